// The overview: where the time went, what is wrong, what the run holds.

import { el, redraw, section, svg } from "./dom.js";
import { bytes, count, dur, median, percent } from "./format.js";
import * as place from "./place.js";
import { asked } from "./asked.js";
import { bars, deviceBar, onDevice, requestChart, series, steps } from "./charts.js";

export function overview(root, run) {
  const parts = (r) => (r.tracks.length ? [requests(r), stepStrips(r), ranks(r), findings(r), asked(r), frames(r), latency(r), memory(r), startup(r)] : [empty(r), findings(r), asked(r), startup(r)]);
  const draw = (r) => root.replaceChildren(el("div", { class: "page" }, facts(r), parts(r)));
  draw(run);
  return { refresh: (r) => redraw(root, () => draw(r)) };
}

// nothing stands in for a view of a run that holds nothing.
export function nothing(root, run) {
  const draw = (r) => root.replaceChildren(el("div", { class: "page" }, empty(r)));
  draw(run);
  return { refresh: draw };
}

const empty = (run) => section("Nothing recorded", "", el("p", {}, "This run holds no range, mark or device activity. ", run.live ? "It is still being recorded: this page shows it as soon as there is something." : "See whether the profiled window was entered: which iterations the schedule asks for, whether step() is called, and which process does the work."),
  !run.live && el("p", { class: "note" }, "What was expected and is not there: ", el("kbd", {}, "reel doctor"), ". A run to compare with: ", el("kbd", {}, "reel demo --view"), "."));

const at = (from, to, more) => place.href({ v: "timeline", from: Math.round(from), to: Math.round(to), ...more });

function facts(run) {
  const s = run.summary, r = s.ranks[0];
  const events = s.sources.reduce((n, x) => n + x.events, 0);
  const list = [
    run.began_unix_ns && [new Date(run.began_unix_ns / 1e6).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" }), ""],
    [dur(run.end_ns), "in all"],
    r?.device && [r.device, run.many ? `× ${run.ranks.length}` : ""],
    run.many && [count(run.ranks.length), "ranks"],
    [count(events), "events"],
    r?.gpu && [percent(r.gpu.busy_ns, r.gpu.span_ns), run.many ? `device of rank ${r.rank} busy` : "device busy"],
    r?.producer && [r.producer, ""],
    run.run?.command?.length && [run.run.command.join(" ").slice(0, 120), ""],
  ].filter(Boolean);
  return el("ul", { class: "facts" }, list.map(([b, text]) => el("li", {}, el("b", {}, b), text && ` ${text}`)));
}

// of says which rank a part is about: the first speaks for all.
const of = (run) => (run.many ? `of rank ${run.ranks[0].rank} · ` : "");

// requests shows one bar of stages over one of the device for each request.
function requests(run) {
  const r = run.summary.ranks[0], shift = run.ranks[0]?.shift_ns ?? 0;
  const stages = r.stages ?? [], steps = r.steps ?? [];
  const note = `${of(run)}${r.gpu ? `busy ${dur(r.gpu.busy_ns)} of ${dur(r.gpu.span_ns)} on the device (${percent(r.gpu.busy_ns, r.gpu.span_ns)})` : r.timing === "events" ? "device times by events around stages and steps" : "no device was recorded"}`;
  const all = r.requests.length ? r.requests : [{ index: 0, start_ns: 0, duration_ns: r.duration_ns }];
  const shown = all.slice(0, 6);
  const from = Math.min(...shown.map((q) => q.start_ns)) + shift, to = Math.max(...shown.map((q) => q.start_ns + q.duration_ns)) + shift;
  const end = Math.max(to, Math.min(run.end_ns, r.gpu ? to : run.end_ns));
  const rest = all.length - shown.length;
  return section(all.length > 1 ? "Requests" : "Request", note, requestChart({ run, shift, from, to: end, requests: shown, stages, steps, link: at }),
    legend(run, stages, steps), rest > 0 && el("p", { class: "note" }, `and ${count(rest)} more requests, in the timeline`),
    !stages.length && !steps.length && el("p", { class: "empty" }, "No stage was recognised: ranges, module calls or Python calls tell them. The timeline shows everything all the same."));
}

function legend(run, stages, steps) {
  const sums = new Map();
  for (const s of stages) if (!s.steps || !steps.length) sums.set(s.stage, sum(sums.get(s.stage), s));
  if (steps.length) sums.set("diffuse", steps.reduce(sum, undefined));
  if (!sums.size) return null;
  return el("ul", { class: "legend" }, [...sums].map(([name, x]) => el("li", {},
    el("i", { style: { background: `var(--c-${known(name)})` } }), `${name} `, el("b", {}, dur(x.cpu)), x.gpu !== undefined && ` CPU, ${dur(x.gpu)} device`)));
}

function sum(a, s) {
  const out = a ?? { cpu: 0 };
  out.cpu += s.cpu_ns;
  if (onDevice(s) !== undefined) out.gpu = (out.gpu ?? 0) + onDevice(s);
  return out;
}

const known = (stage) => ["encode", "prepare", "diffuse", "decode", "finalize"].includes(stage) ? stage : stage === "publish" ? "finalize" : "stage";

const span = (s) => Math.max(s.cpu_ns, s.gpu_span_ns ?? 0);

// stepStrips draws the steps of all loops, one after the other, on one scale.
function stepStrips(run) {
  const r = run.summary.ranks[0];
  if (!r) return null;
  const groups = new Map();
  for (const s of r.steps ?? []) {
    const key = `${s.request}.${s.loop}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(s);
  }
  if (!groups.size) return section("Steps", "", el("p", { class: "empty" }, "No denoise steps in this run: they come from ranges such as model.step[i], from module calls, or from a loop through rec.Steps."));
  const shift = run.ranks[0].shift_ns, all = [...groups.values()];
  const steady = all.flatMap((l) => (l.length > 2 ? l.slice(1) : l)), mid = median(steady.map(span));
  const odd = steady.filter((s) => span(s) > 1.3 * mid).sort((a, b) => span(b) - span(a));
  const firsts = all.filter((l) => l.length > 2 && span(l[0]) > 1.15 * mid).map((l) => l[0]);
  const name = (s) => `step ${s.index}${all.length > 1 ? ` of ${s.request}` : ""}`;
  const words = [`${count(r.steps.length)}${all.length > 1 ? ` in ${count(all.length)} loops` : ""}, median ${dur(mid)}`, firsts.length > 0 && `first ${dur(median(firsts.map(span)))} (warm-up)`,
    ...odd.slice(0, 3).map((s) => `${name(s)}: ${dur(span(s))}`), odd.length > 3 && `and ${count(odd.length - 3)} more outliers`].filter(Boolean);
  const device = r.steps.some((s) => s.gpu_busy_ns !== undefined);
  return section("Steps", of(run) + words.join(" · "), steps(all, { span, mid, odd: new Set(odd), warm: new Set(firsts), name, link: (s) => at(s.start_ns + shift - span(s) * 0.05, s.start_ns + shift + span(s) * 1.05) }),
    el("p", { class: "note" }, device ? "Height is time, filled is the device busy, hollow idle, hatched the warm-up; a click opens the timeline there." : `Height is time on the CPU${r.timing === "events" ? " or, where it is longer, by events on the device" : ""}; a click opens the timeline there.`));
}

function findings(run) {
  const list = run.summary.findings ?? [], healthy = run.doctor.healthy ?? [], open = run.doctor.not_answerable ?? [];
  const groups = new Map(); // ranks tend to have the same ones: the most costly speaks for all
  list.forEach((f, i) => groups.set(f.id, [...groups.get(f.id) ?? [], [f, run.places[i]]]));
  const lead = (p) => (p ? at(p.from, p.to) : place.href({ v: "timeline" }));
  const where = (f) => [f.where?.rank !== undefined && run.many && `rank ${f.where.rank}`, f.where?.stage, f.where?.step !== undefined && `step ${f.where.step}`, f.where?.call].filter(Boolean).join(" · ");
  const items = [...groups.values()].map(([[f, p], ...more]) => el("li", { class: f.severity },
    el("p", {}, f.cost_ns !== undefined && el("span", { class: "cost" }, `up to ${dur(f.cost_ns)}`), el("a", { class: "what", href: lead(p), "data-place": true }, f.title), " ", el("small", {}, `${f.severity}, ${f.id}`)),
    where(f) && el("p", { class: "note" }, where(f)), f.remedy && el("p", {}, f.remedy),
    more.length > 0 && el("details", {}, el("summary", {}, `and in ${count(more.length)} more places`), el("ul", { class: "list" }, more.map(([g, q]) => el("li", {}, el("a", { class: "name", href: lead(q), "data-place": true }, where(g) || g.title), el("span", { class: "num" }, g.cost_ns !== undefined ? `up to ${dur(g.cost_ns)}` : g.title)))))));
  return el("section", { class: "wide" }, el("h2", {}, "Findings", el("small", {}, groups.size ? `${groups.size}` : "")),
    items.length ? el("ul", { class: "findings" }, items) : el("p", { class: "empty" }, "Nothing to find fault with among what this trace tells."),
    healthy.length > 0 && el("details", {}, el("summary", {}, `healthy: ${healthy.length} things that were looked for and are not there`),
      el("ul", { class: "findings" }, healthy.map((h) => el("li", { class: "good" }, el("b", {}, h.id), ` ${h.why}`)))),
    open.length > 0 && el("details", {}, el("summary", {}, `not answerable: ${open.length} that this trace does not tell`),
      el("ul", { class: "findings" }, open.map((h) => el("li", {}, el("b", {}, h.id), ` ${h.because}`)))));
}

function frames(run) {
  const out = [];
  run.ranks.forEach((r, i) => {
    const f = r.frames;
    if (!f.shown) return;
    const list = (f.frames ?? []).filter((x) => x.interval_ns !== undefined);
    const link = (x) => place.href({ v: "timeline", follow: `${i}.${x.frame}` });
    out.push(el("p", { class: "note" }, [`${count(f.shown)} shown`, f.dropped !== undefined && `${count(f.dropped)} dropped`, f.repeated !== undefined && `${count(f.repeated)} repeated`,
      `interval ${dur(f.interval.p50_ns)} (p99 ${dur(f.interval.p99_ns)})`, f.rates?.present_fps && `${f.rates.present_fps.toFixed(1)} frames/s`].filter(Boolean).join(" · ")),
      bars(list.map((x) => ({ v: x.interval_ns, label: `frame ${x.frame}: ${dur(x.interval_ns)} after the one before`, href: link(x) })), { mid: f.interval.p50_ns, unit: dur, late: true }));
  });
  return out.length ? el("section", { class: "half" }, el("h2", {}, "Frame intervals", el("small", {}, "a click follows a frame")), ...out) : null;
}

function latency(run) {
  const r = run.ranks.find((x) => x.frames.input?.shown);
  if (!r) return null;
  const x = r.frames.input, parts = [["queue", "prepare"], ["step", "diffuse"], ["present", "finalize"]];
  const most = x.latency.p90_ns || x.latency.max_ns || 1;
  const rows = [["p50", "p50_ns"], ["p90", "p90_ns"], ["longest", "max_ns"]].filter(([, k]) => x.latency[k]);
  const total = Math.max(...rows.map(([, k]) => parts.reduce((s, [p]) => s + (x[p][k] ?? 0), 0)), most);
  return el("section", { class: "half" }, el("h2", {}, "Input to screen", el("small", {}, `${count(x.shown)} of ${count(x.batches)} inputs reached the screen`)),
    el("div", { class: "rows" }, rows.map(([name, k]) => {
      let left = 0;
      return [el("span", { class: "lab" }, name),
        svg("svg", { class: "chart bar-cell", viewBox: "0 0 1000 18", preserveAspectRatio: "none", height: 18, role: "img", "aria-label": parts.map(([p]) => `${p} ${dur(x[p][k])}`).join(", ") },
          parts.map(([p, c]) => { const w = 1000 * (x[p][k] ?? 0) / total; left += w; return svg("rect", { x: left - w, width: w, height: 18, fill: `var(--c-${c})` }, svg("title", {}, `${p} ${dur(x[p][k])}`)); })),
        el("span", { class: "val" }, dur(x.latency[k]))];
    })),
    el("ul", { class: "legend" }, parts.map(([p, c]) => el("li", {}, el("i", { style: { background: `var(--c-${c})` } }), p))));
}

function memory(run) {
  const out = [];
  run.summary.ranks.forEach((r, i) => {
    for (const [where, m] of Object.entries(r.memory ?? {})) {
      if (!m?.series?.length || i > 7) continue;
      const shift = run.ranks[i].shift_ns;
      out.push(el("h3", {}, run.many && `rank ${r.rank}, `, where, " ", el("small", {}, `peak ${bytes(m.peak_bytes)} at `, el("a", { href: at(m.peak_at_ns + shift - run.end_ns / 100, m.peak_at_ns + shift + run.end_ns / 100), "data-place": true }, dur(m.peak_at_ns)), m.absolute ? "" : " · above the lowest level seen")),
        series(m.series.map((p) => [p.at_ns + shift, p.allocated_bytes]), { end: run.end_ns, unit: bytes, label: `memory on the ${where}` }));
    }
  });
  return out.length ? el("section", { class: "half" }, el("h2", {}, "Memory"), ...out) : null;
}

function startup(run) {
  if (!run.startup?.length) return null;
  const total = run.startup[0].duration_ns || 1, begin = run.startup[0].start_ns;
  return section("Start-up", dur(total), el("div", { class: "rows" }, run.startup.slice(0, 80).map((p) => [
    el("span", { class: "lab", style: { textAlign: "left", paddingLeft: `${Math.min(p.depth, 8) * 10}px` }, title: p.name }, p.name),
    svg("svg", { class: "chart bar-cell", viewBox: "0 0 1000 12", preserveAspectRatio: "none", height: 12, "aria-hidden": "true" },
      svg("rect", { x: 1000 * (p.start_ns - begin) / total, width: Math.max(1.5, 1000 * p.duration_ns / total), height: 12, rx: 2, fill: `var(--c-${p.depth ? "diffuse" : "request"})` }, svg("title", {}, `${p.name}: ${dur(p.duration_ns)}, own ${dur(p.own_ns)}`))),
    el("span", { class: "val" }, dur(p.duration_ns), p.own_ns && p.own_ns !== p.duration_ns ? el("small", {}, ` own ${dur(p.own_ns)}`) : "")])));
}

function ranks(run) {
  if (!run.ranks.some((r) => r.busy) || !run.many && run.summary.ranks[0].requests.length < 2) return null; // the request shows it
  return section(run.many ? "Ranks" : "Device over time", run.many ? "how busy each device was, on one clock" : "how busy it was; the colour is the stage that launched the work",
    el("div", { class: "rows" }, run.ranks.map((r, i) => {
      const g = run.summary.ranks[i]?.gpu;
      return [el("span", { class: "lab" }, run.many ? `rank ${r.rank}` : "busy"),
        el("a", { class: "bar-cell", href: at(0, run.end_ns), "data-place": true, "aria-label": `rank ${r.rank} in the timeline` }, deviceBar(run, r.busy, 0, run.end_ns, run.many ? 26 : 44)),
        el("span", { class: "val" }, g ? percent(g.busy_ns, g.span_ns) : "–")];
    })));
}
