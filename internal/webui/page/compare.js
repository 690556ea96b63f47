// Two runs side by side, aligned by step; of the rest only what changed.

import { json } from "./api.js";
import { el, fault, redraw, section, svg } from "./dom.js";
import { count, dur, median } from "./format.js";
import { table } from "./table.js";

export function compare(root, run) {
  const page = el("div", { class: "page" }, el("section", {}, el("p", { class: "empty" }, run.compare ? "Comparing…" : ["There is no second run: ", el("kbd", {}, "reel view RUN --compare OTHER"), " puts one beside this one."])));
  root.append(page);
  const kept = {}; // of each table
  const fill = () => run.compare && json("compare").then((d) => redraw(page, () => page.replaceChildren(...parts(d, kept))), (e) => fault(e.message));
  fill();
  return { refresh: fill };
}

const change = (a, b) => (a === undefined || b === undefined || !a ? undefined : (100 * (b - a)) / a);
const marked = (v) => (v === undefined ? "" : v > 0 ? "slower" : v < 0 ? "faster" : "");

function parts(d, kept) {
  const span = (s) => Math.max(s.cpu_ns, s.span_ns ?? 0);
  return [section("Two runs", "", el("ul", { class: "facts" }, el("li", {}, "A ", el("b", {}, d.a)), el("li", {}, "B ", el("b", {}, d.b)))),
    ...(d.steps.length ? d.steps.slice(0, 6).map((l) => steps(l, span, d.steps.length > 1)) : [section("Steps", "", el("p", { class: "empty" }, "Neither run has denoise steps that were recognised."))]),
    ...[["Stages", "stages"], ["Kernels, time on the device", "kernels"], ["Operators, own CPU time", "ops"]].map(([title, key]) => pairs(title, d[key], d.same[key], kept[key] ??= {}))];
}

function steps(l, span, several) {
  const n = Math.max(l.a.length, l.b.length), H = 90, W = 1000, most = Math.max(...l.a.map(span), ...l.b.map(span), 1), u = Math.min(W / n, 60), w = Math.max(u * 0.42, 0.4);
  const ma = median(l.a.map(span)), mb = median(l.b.map(span)), c = change(ma, mb);
  const bar = (s, x, colour, name) => s && svg("g", {}, svg("title", {}, `${name}, step ${s.index}: ${dur(span(s))}${s.busy_ns !== undefined ? `, device busy ${dur(s.busy_ns)}` : ""}`),
    svg("rect", { x, width: w, y: H - H * span(s) / most, height: H * span(s) / most, fill: `var(--c-${colour})`, opacity: s.busy_ns === undefined ? 1 : 0.35 }),
    s.busy_ns !== undefined && svg("rect", { x, width: w, y: H - H * s.busy_ns / most, height: H * s.busy_ns / most, fill: `var(--c-${colour})` }));
  return section(several ? `Steps of request ${l.request}, loop ${l.loop}` : "Steps", [ma !== undefined && `A: ${count(l.a.length)}, median ${dur(ma)}`, mb !== undefined && `B: ${count(l.b.length)}, median ${dur(mb)}`, c !== undefined && `B is ${Math.abs(c).toFixed(1)} % ${c > 0 ? "slower" : "faster"}`].filter(Boolean).join(" · "),
    svg("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: "none", height: H, role: "img", "aria-label": `steps of both runs: median ${dur(ma)} and ${dur(mb)}` }, Array.from({ length: n }, (_, i) => [bar(l.a[i], i * u, "diffuse", "A"), bar(l.b[i], i * u + w, "encode", "B")])),
    el("ul", { class: "legend" }, el("li", {}, el("i", { style: { background: "var(--c-diffuse)" } }), "A"), el("li", {}, el("i", { style: { background: "var(--c-encode)" } }), "B"), el("li", {}, "full colour: the device busy")));
}

function pairs(title, rows, same, kept) {
  const note = same ? `${count(same)} did not change` : "";
  if (!rows.length) return section(title, note, el("p", { class: "empty" }, "Nothing changed by more than 3 %."));
  return section(title, note, table({ name: title, kept, rows: rows.map((r) => ({ ...r, delta: (r.b_ns ?? 0) - (r.a_ns ?? 0), percent: change(r.a_ns, r.b_ns), size: Math.abs((r.b_ns ?? 0) - (r.a_ns ?? 0)) })), sort: "size",
    columns: [{ name: "name", key: "name", kind: "text" }, { name: "A", key: "a_ns", kind: "ns" }, { name: "B", key: "b_ns", kind: "ns" }, { name: "B − A", key: "delta", kind: "ns", mark: marked }, { name: "%", key: "percent", kind: "percent", mark: marked },
      { name: "calls A", key: "a_count", kind: "count" }, { name: "calls B", key: "b_count", kind: "count" }, { name: "difference", key: "size", kind: "ns" }] }));
}
