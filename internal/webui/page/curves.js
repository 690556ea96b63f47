// Counters over time, and what each step and frame took.

import { json } from "./api.js";
import { el, fault, svg } from "./dom.js";
import { bytes, count, dur, median } from "./format.js";
import * as place from "./place.js";
import { axis, bars, series } from "./charts.js";

export function curves(root, run) {
  const page = el("div", { class: "page" }, el("section", {}, el("p", { class: "empty" }, "Reading…")));
  root.append(page);
  const fill = (run) => json("curves").then((d) => {
    if (!d.curves.length) {
      page.replaceChildren(el("section", {}, el("p", { class: "empty" }, "No counters, steps or frames in this run. Counters come from rec.Counter, from a trace's counter events, or from memory events; steps from a denoise loop.")));
      return;
    }
    page.replaceChildren(...d.curves.map((c) => card(run, c)), ...(d.left_out > 0 ? [el("p", { class: "note" }, `and ${count(d.left_out)} more counters: reel query 'SELECT * FROM counter' lists them`)] : []));
  }, (e) => fault(e.message));
  fill(run);
  return { refresh: fill };
}

function card(run, c) {
  const unit = { ns: dur, bytes }[c.unit] ?? count, title = `${run.many ? `rank ${run.ranks[c.rank].rank}, ` : ""}${c.name}`;
  const list = c.values, note = `${count(list.length)} values, median ${unit(median(list))}, from ${unit(list.reduce((a, b) => Math.min(a, b)))} to ${unit(list.reduce((a, b) => Math.max(a, b)))}`;
  const chart = c.bars ? bars(list.map((v, i) => ({ v, label: `${unit(v)} at ${dur(c.at_ns[i])}`, href: c.refs ? place.href({ v: "timeline", sel: c.refs[i] }) : place.href({ v: "timeline", from: Math.round(c.at_ns[i] - v), to: Math.round(c.at_ns[i] + 2 * v) }) })), { mid: median(list), unit })
    : series(c.at_ns.map((t, i) => [t, list[i]]), { end: run.end_ns, unit, label: c.name });
  return el("section", { class: "half" }, el("h2", {}, title, el("small", {}, note)), chart);
}
