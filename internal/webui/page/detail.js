// The panel below the timeline: what is chosen, selected, searched for or followed.

import { el } from "./dom.js";
import { at as instant, bytes, count, dur, percent } from "./format.js";
import * as place from "./place.js";

const put = (t, ...children) => { t.detail.classList.toggle("bare", !t.chosen.item && !t.chosen.span && !t.chosen.chain && !t.finds.hits); t.detail.replaceChildren(...children.flat().filter(Boolean)); t.detail.scrollTop = 0; };
const fact = (k, v) => v !== undefined && v !== null && v !== "" && [el("dt", {}, k), el("dd", {}, v)];

export function showNothing(t) {
  put(t, el("p", { class: "empty" }, "A click chooses, dragging selects a stretch of time, ", el("kbd", {}, "W"), " ", el("kbd", {}, "S"), " zoom and ", el("kbd", {}, "A"), " ", el("kbd", {}, "D"), " move. ", el("kbd", {}, "?"), " shows all keys."),
    t.run.notes?.length && el("ul", { class: "note" }, t.run.notes.map((n) => el("li", {}, n))));
}

// leads is a link to a thing of the run.
function leads(t, l, text) {
  return el("a", { href: place.href({ v: "timeline", sel: l.ref }), onclick: (e) => { if (e.ctrlKey || e.metaKey || e.shiftKey) return; e.preventDefault(); e.stopPropagation(); t.chosen.choose(l.ref, "there"); } }, text ?? l.name);
}

// showTip says at the mouse what is below it and where in the program that belongs.
export function showTip(t, f, e) {
  t.tip.hidden = !f;
  if (!f) return;
  const where = [f.stage, f.step && `step ${f.step}`].filter(Boolean).join(", ");
  t.tip.replaceChildren(el("b", {}, f.name), ...[dur(f.duration_ns), where, f.launch && `launched by ${f.launch}`, f.within && `in ${f.within}`].filter(Boolean).map((text) => el("div", {}, text)));
  const { offsetWidth: w, offsetHeight: h } = t.tip; // beside the mouse, and on the page
  t.tip.style.left = `${Math.max(4, Math.min(e.clientX + 14, innerWidth - w - 4))}px`;
  t.tip.style.top = `${e.clientY + 18 + h > innerHeight ? e.clientY - h - 10 : e.clientY + 18}px`;
}

export function showItem(t, i) {
  const delay = i.launch && i.start_ns - i.launch.start_ns;
  put(t, el("h3", {}, i.name), el("div", { class: "cols" },
    el("dl", {}, fact("takes", dur(i.duration_ns)), i.self_ns !== undefined && i.self_ns !== i.duration_ns && fact("of its own", dur(i.self_ns)), fact("begins", instant(i.start_ns, t.view.scale)), fact("what", i.class), fact("on", i.track),
      t.run.many && fact("rank", i.rank), fact("stage", [i.stage, i.step && `step ${i.step}`].filter(Boolean).join(", ")), i.bytes > 0 && fact("moves", `${bytes(i.bytes)} (${(i.bytes / Math.max(i.duration_ns, 1)).toFixed(1)} GB/s)`), (i.facts ?? []).map(([k, v]) => fact(k, v))),
    t.chosen.frame && el("p", {}, el("button", { class: "button", type: "button", onclick: () => t.chosen.follow(...t.chosen.frame, "there") }, "follow this frame"), " ", el("kbd", {}, "["), " ", el("kbd", {}, "]"), " the frames beside it"),
    i.launch && el("dl", {}, fact("launched by", leads(t, i.launch)), fact("waited", `${dur(delay)} from the call to the start`), python(t, i)),
    i.work && el("div", {}, el("p", {}, `launched ${count(i.work.count)}, ${dur(i.work.device_ns)} on the device, the last ended ${dur(i.work.last_ns - i.start_ns)} after the beginning`),
      el("ul", { class: "list" }, i.work.some.slice(0, 8).map((w) => el("li", {}, el("span", { class: "name" }, leads(t, w)), el("span", { class: "num" }, dur(w.duration_ns)))))),
    i.stack?.length && el("div", {}, el("p", { class: "note" }, i.class === "kernel" || i.launch ? "called from" : "within"), el("ol", { class: "list mono" }, i.stack.slice(0, 30).map((s) => el("li", {}, el("span", { class: "name" }, leads(t, s)), el("span", { class: "num" }, dur(s.duration_ns))))))));
}

// python is the innermost Python line that led to an activity.
function python(t, i) {
  const call = i.stack?.find((s) => s.class === "python");
  return call && fact("Python", leads(t, call));
}

export function showSelection(t, s) {
  const length = s.to - s.from, list = (title, rows, empty) => el("div", {}, el("p", { class: "note" }, title),
    rows.length ? el("ul", { class: "list" }, rows.map((r) => el("li", {}, el("span", { class: "name", title: r.name }, r.name), el("span", { class: "num" }, `${dur(r.ns)} · ${count(r.count)}`)))) : el("p", { class: "empty" }, empty));
  put(t, el("h3", {}, `${dur(length)} selected `, el("small", {}, `from ${instant(s.from, t.view.scale)} to ${instant(s.to, t.view.scale)} · `, el("a", { href: place.href({ v: "flame", from: s.from, to: s.to }), "data-place": true }, "flame graph of it"))),
    el("div", { class: "cols" }, el("dl", {}, s.ranks.slice(0, 16).map((r) => fact(t.run.many ? `rank ${r.rank}` : "device", r.device ? `busy ${dur(r.busy_ns)} (${percent(r.busy_ns, length)}), ${count(r.activities)} activities` : "no activity was recorded"))),
      list("top kernels, time on the device", s.kernels, "no work on a device"), list("top calls, their own time", s.calls, "no calls")));
}

export function showSearch(t, hits, q) {
  put(t, el("h3", {}, hits.names ? `${count(hits.count)} things of ${count(hits.names)} names hold “${q}” ` : `Nothing holds “${q}” `, hits.names ? el("small", {}, el("kbd", {}, "N"), " and ", el("kbd", {}, "P"), " go through them") : ""),
    el("ul", { class: "list" }, hits.hits.map((h) => el("li", {}, el("span", { class: "name" }, leads(t, h)), el("span", { class: "num" }, `${t.run.many ? `rank ${t.run.ranks[h.rank].rank}, ` : ""}${h.kind} · ${count(h.count)} · ${dur(h.sum_ns)} in all · longest ${dur(h.max_ns)}`)))));
}

export function showFrame(t, f) {
  const s = f.story, ends = t.chosen.extent(f), least = (ends.to - ends.from) / 500; // shorter waits tell nothing
  let last;
  const rows = f.chain.filter((c) => c.what !== "inside").map((c) => {
    const gap = last !== undefined && c.start_ns - last;
    const wait = gap > least && c.what !== "queue" && c.what !== "wait" ? el("li", { class: "wait" }, el("span", {}, "wait"), el("span", {}, "nothing of this frame happens"), el("span", {}, dur(gap)), el("span", {})) : null;
    last = Math.max(last ?? -Infinity, c.start_ns + (c.what === "shown" ? 0 : c.duration_ns));
    return [wait, el("li", { class: c.what === "queue" || c.what === "wait" ? "wait" : "" }, el("span", {}, c.what), el("span", {}, c.ref ? leads(t, c, c.name) : c.name), el("span", {}, c.what === "input" || c.what === "shown" ? "" : dur(c.duration_ns)), el("span", {}, `at ${instant(c.start_ns, t.view.scale)}`))];
  });
  const begin = t.chosen.extent(f).from, end = f.chain.find((c) => c.what === "shown")?.start_ns;
  const inside = f.chain.filter((c) => c.what === "inside");
  put(t, el("h3", {}, `frame ${s.frame}${s.step !== undefined ? `, step ${s.step}` : ""}: ${dur(end - begin)} from ${s.inputs?.length ? "its input" : "the beginning of its step"} to the screen `,
    el("button", { class: "button", type: "button", onclick: () => t.chosen.step(-1), "aria-label": "the frame before" }, "◂"), " ", el("button", { class: "button", type: "button", onclick: () => t.chosen.step(1), "aria-label": "the next frame" }, "▸")),
    el("ol", { class: "chain" }, rows), inside.length > 0 && el("p", { class: "note" }, "in the step: ", inside.map((c, k) => [k ? " · " : "", `${c.name} ${dur(c.duration_ns)}`])),
    s.device && el("p", { class: "note" }, `${count(s.device.activities)} activities, busy ${dur(s.device.busy_ns)}`), s.missing?.length && el("p", { class: "note" }, `not recorded: ${s.missing.join("; ")}`));
}
