// Charts of the overview, as SVG: each bar is a link to its place.

import { el, svg } from "./dom.js";
import { dur, unitOf } from "./format.js";

const W = 1000; // width of every chart in its own units

// ticks returns round instants between from and to, and how to write them.
export function ticks(from, to, n = 8) {
  const raw = (to - from) / n, mag = 10 ** Math.floor(Math.log10(Math.max(raw, 1e-9)));
  const step = [1, 2, 5, 10].map((m) => m * mag).find((s) => s >= raw);
  const [unit, size] = unitOf(Math.max(Math.abs(to - from), 1));
  const digits = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
  const out = [];
  for (let t = Math.ceil(from / step - 1e-9) * step; t <= to + step * 1e-6; t += step) out.push({ t, text: `${(t / size).toFixed(digits)}`, unit });
  return out;
}

const stageOf = (name) => ["encode", "prepare", "diffuse", "decode", "finalize"].includes(name) ? name : name === "publish" ? "finalize" : "stage";

// link is a bar that leads somewhere.
const link = (href, label, ...inner) => svg("a", { href, "data-place": true, "aria-label": label, class: "hit" }, svg("title", {}, label), ...inner);

// onDevice is how long a stage or step kept the device busy, or, where only events around
// it are known, lasted on it.
export const onDevice = (s) => s.gpu_busy_ns ?? s.gpu_span_ns;

// requestChart draws requests on one axis: stages as the CPU saw them above the device.
export function requestChart({ run, shift, from, to, requests, stages, steps, link: at }) {
  const span = Math.max(to - from, 1), x = (t) => W * (t - from) / span;
  const device = run.ranks[0]?.busy, rowH = 24, each = (device ? 2 : 1) * (rowH + 5) + (requests.length > 1 ? 8 : 0);
  const box = el("div", { class: "rows" });
  requests.forEach((q, i) => {
    const mine = stages.filter((s) => s.request === q.index && !(s.steps && steps.length));
    const own = steps.filter((s) => s.request === q.index);
    const parts = mine.map((s) => ({ name: s.stage, label: `${s.stage} · ${s.name}`, start: s.start_ns + shift, dur: s.cpu_ns, gpu: onDevice(s) }));
    if (own.length) {
      const loops = Map.groupBy ? [...Map.groupBy(own, (s) => s.loop).values()] : [own];
      for (const l of loops) {
        const start = l[0].start_ns, last = l.at(-1);
        parts.push({ name: "diffuse", label: `diffuse, ${l.length} steps`, start: start + shift, dur: last.start_ns + last.cpu_ns - start, gpu: l.some((y) => onDevice(y) === undefined) ? undefined : l.reduce((s, y) => s + onDevice(y), 0), steps: l });
      }
    }
    const chart = svg("svg", { class: "chart bar-cell", viewBox: `0 0 ${W} ${rowH}`, preserveAspectRatio: "none", height: rowH, role: "group", "aria-label": `stages of request ${q.index}, CPU` },
      svg("rect", { x: x(q.start_ns + shift), width: Math.max(1, W * q.duration_ns / span), height: rowH, rx: 3, class: "idle" }),
      parts.sort((a, b) => b.dur - a.dur).map((p) => link(at(p.start - p.dur * 0.03, p.start + p.dur * 1.03), `${p.label}: ${dur(p.dur)} on the CPU${p.gpu !== undefined ? `, ${dur(p.gpu)} on the device` : ""}`,
        svg("rect", { x: x(p.start), width: Math.max(1.5, W * p.dur / span), height: rowH, rx: 2, fill: `var(--c-${stageOf(p.name)})` }),
        (p.steps ?? []).slice(1, 200).map((s) => svg("line", { x1: x(s.start_ns + shift), x2: x(s.start_ns + shift), y1: 0, y2: rowH, stroke: "var(--card)", "stroke-opacity": 0.55, "vector-effect": "non-scaling-stroke" })))));
    box.append(el("span", { class: "lab" }, requests.length > 1 ? `request ${q.index}, CPU` : "CPU"), el("div", { class: "bar-cell" }, over(chart, parts.filter((p) => p.dur / span > 0.055).map((p) => ({ at: (p.start - from + p.dur / 2) / span, text: p.steps ? `${p.name}, ${p.steps.length} steps` : p.name, room: p.dur / span })))), el("span", { class: "val" }, dur(q.duration_ns)));
  });
  if (device) box.append(el("span", { class: "lab" }, "device"), el("div", { class: "bar-cell" }, deviceBar(run, device, from, to, rowH)), el("span", { class: "val" }, `busy ${dur(device.busy_ns)}`));
  box.append(el("span", { class: "lab" }), el("div", { class: "bar-cell" }, axis(from, to)), el("span", { class: "val" }));
  return box;
}

// over puts words over a chart that is stretched, which would stretch them as well.
function over(chart, words) {
  return el("div", { style: { position: "relative" } }, chart, words.map((w) => el("span", { "aria-hidden": "true", style: { position: "absolute", left: `${(w.at - w.room / 2) * 100}%`, width: `${w.room * 100}%`, top: "0", height: "24px", lineHeight: "24px",
    color: "var(--on)", fontSize: "12px", fontWeight: "600", pointerEvents: "none", whiteSpace: "nowrap", overflow: "hidden", textOverflow: "ellipsis", textAlign: "center", padding: "0 4px" } }, w.text)));
}

// axis writes round instants below a chart; the style sheet thins them where it is narrow.
export function axis(from, to) {
  const list = ticks(from, to);
  return el("div", { class: "axis", "aria-hidden": "true" }, list.map((t, i) => {
    const share = (t.t - from) / Math.max(to - from, 1);
    return el("small", { style: { left: `${share * 100}%`, transform: share > 0.95 ? "translateX(-100%)" : share < 0.03 ? "none" : "translateX(-50%)" } }, `${t.text}${i === 0 || i === list.length - 1 ? ` ${t.unit}` : ""}`);
  }));
}

// deviceBar draws how busy a device was: height is the share, colour the stage.
export function deviceBar(run, busy, from, to, height) {
  if (!busy) return el("p", { class: "note" }, "no device was recorded");
  const n = busy.share.length, each = run.end_ns / n, span = Math.max(to - from, 1), paths = new Map();
  for (let i = 0; i < n; i++) {
    if (!busy.share[i] || (i + 1) * each < from || i * each > to) continue;
    const h = Math.max(1, height * busy.share[i] / 255), x = W * (i * each - from) / span, w = W * each / span;
    const name = run.colours[busy.stage[i] & 31] || "stage";
    paths.set(name, `${paths.get(name) ?? ""}M${x.toFixed(2)} ${height}v${(-h).toFixed(2)}h${w.toFixed(2)}v${h.toFixed(2)}z`);
  }
  return svg("svg", { class: "chart", viewBox: `0 0 ${W} ${height}`, preserveAspectRatio: "none", height, role: "img", "aria-label": `device busy ${dur(busy.busy_ns)}`, style: { overflow: "hidden", borderRadius: "3px" } },
    svg("rect", { width: W, height, fill: "var(--track)" }), [...paths].map(([name, d]) => svg("path", { d, fill: `var(--c-${name})` })));
}

// steps draws one bar for each step of each loop.
export function steps(loops, { span, mid, odd, warm, name, link: href }) {
  const H = 92, n = loops.reduce((k, l) => k + l.length, 0), most = Math.max(1, ...loops.flat().map(span)), gap = loops.length > 1 ? 0.6 : 0;
  const shown = n > 500 ? loops.map((l) => thinned(l, span, Math.max(1, Math.floor(l.length * 500 / n)))) : loops;
  const many = shown.reduce((k, l) => k + l.length + gap, 0), u = Math.min(W / many, 120), air = u > 4 ? Math.min(3, u * 0.15) : 0, y = (v) => H * v / most;
  const out = [];
  let x = 0;
  for (const l of shown) {
    for (const s of l) {
      const v = span(s), busy = s.gpu_busy_ns, w = Math.max(u - air, 0.5);
      const label = `${name(s)}: ${dur(s.cpu_ns)} on the CPU${busy !== undefined ? `, device busy ${dur(busy)}, idle ${dur(s.gpu_idle_ns)}, ${s.launches} launches` : s.gpu_span_ns !== undefined ? `, ${dur(s.gpu_span_ns)} on the device` : ""}`;
      const fill = warm.has(s) ? "url(#hatch)" : "var(--c-step)";
      out.push(link(href(s), label, svg("rect", { x, y: H - y(v) + 2, width: w, height: y(v), class: busy === undefined ? "" : "hollow", fill: busy === undefined ? fill : null, "vector-effect": "non-scaling-stroke" }),
        busy !== undefined && svg("rect", { x, y: H - y(Math.min(busy, v)) + 2, width: w, height: y(Math.min(busy, v)), fill }),
        odd.has(s) && svg("path", { d: `M${x} 0h${w}v2.5h${-w}z`, class: "mark" })));
      x += u;
    }
    x += u * gap;
  }
  return svg("svg", { class: "chart", viewBox: `0 0 ${W} ${H + 4}`, preserveAspectRatio: "none", height: H + 4, role: "group", "aria-label": `${n} steps` },
    svg("defs", {}, svg("pattern", { id: "hatch", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, svg("rect", { width: 5, height: 5, fill: "var(--c-step)", opacity: 0.35 }), svg("rect", { width: 2, height: 5, fill: "var(--c-step)" }))),
    out, mid && svg("line", { class: "median", x1: 0, x2: Math.min(W, x), y1: H - y(mid) + 2, y2: H - y(mid) + 2, "vector-effect": "non-scaling-stroke" }));
}

function thinned(list, v, n) {
  const out = [];
  for (let i = 0; i < n; i++) out.push(list.slice(Math.floor(i * list.length / n), Math.floor((i + 1) * list.length / n)).reduce((a, b) => (v(b) > v(a) ? b : a)));
  return out;
}

// bars draws values one after the other, of many the highest of each group.
export function bars(list, { mid, unit, late }) {
  const H = 70, shown = list.length > 600 ? thinned(list, (x) => x.v, 600) : list;
  const top = Math.max(...shown.map((x) => x.v), 1), u = W / Math.max(shown.length, 20);
  return el("div", {}, svg("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: "none", height: H, role: "group", "aria-label": `${list.length} values, up to ${unit(top)}` },
    shown.map((b, i) => link(b.href, b.label, svg("rect", { x: i * u, width: Math.max(u - (u > 5 ? 1.5 : 0), 0.6), y: H - H * b.v / top, height: H * b.v / top, fill: late && b.v > 1.5 * mid ? "var(--warn)" : "var(--c-frame)" }))),
    mid && svg("line", { class: "median", x1: 0, x2: W, y1: H - H * mid / top, y2: H - H * mid / top, "vector-effect": "non-scaling-stroke" })));
}

// series draws a level over the run's time.
export function series(points, { end, unit, label, from = 0 }) {
  const H = 64, top = Math.max(...points.map((p) => p[1]), 1), low = Math.min(0, ...points.map((p) => p[1]));
  const x = (t) => W * (t - from) / Math.max(end - from, 1), y = (v) => H - (H - 4) * (v - low) / Math.max(top - low, 1);
  let d = "";
  points.forEach(([t, v], i) => { d += i ? `H${x(t).toFixed(1)}V${y(v).toFixed(1)}` : `M${x(t).toFixed(1)} ${y(v).toFixed(1)}`; });
  return el("div", {}, svg("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: "none", height: H, role: "img", "aria-label": `${label}: up to ${unit(top)}`, style: { overflow: "hidden" } },
    svg("path", { class: "area", d: `${d}V${H}H${x(points[0][0]).toFixed(1)}z` }), svg("path", { class: "curve", d })), axis(from, end));
}
