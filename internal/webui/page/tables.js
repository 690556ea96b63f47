// Tables: operators, kernels, and the reports of nsys stats.

import { json } from "./api.js";
import { el, redraw } from "./dom.js";
import * as place from "./place.js";
import { table } from "./table.js";

export function tables(root, run) {
  const box = el("section", {}), page = el("div", { class: "page" }, box);
  root.append(page);
  const which = place.get("table") ?? "ops.name";
  const names = [["ops.name", "operators, by name"], ["ops.shape", "operators, by input shapes"], ["ops.stack", "operators, by call stack"], ["kernels", "kernels"], ["steps", "steps"], ...run.reports.map((r) => [`stats.${r}`, r])];
  const choice = el("select", { "aria-label": "Which table", onchange: () => place.go({ v: "tables", table: choice.value }) }, names.map(([v, text]) => el("option", { value: v, selected: v === which }, text)));
  box.append(el("div", { class: "toolbar" }, choice), el("p", { class: "empty" }, "Adding up…"));
  const kept = {};
  const fill = (r) => make(which, r, kept).then((t) => redraw(box, () => box.replaceChildren(...[t(choice)].flat())), (e) => { box.replaceChildren(el("div", { class: "toolbar" }, choice), el("p", { class: "empty" }, e.message)); });
  fill(run);
  return { refresh: fill };
}

async function make(which, run, kept) {
  const [kind, name] = which.split(".");
  if (kind === "ops") return ops(await json("ops", { by: name }), name, kept);
  if (kind === "kernels") return kernels(await json("kernels"), kept);
  if (kind === "steps") return steps(run, kept);
  return stats(await json("stats", { report: which.slice(6) }), kept);
}

function ops(d, by, kept) {
  const has = (key) => d.rows.some((r) => r[key] !== undefined);
  const columns = [{ name: "name", key: "name", kind: "text" }, { name: "on", key: "device_type", kind: "text" },
    by === "shape" && { name: "input shapes", key: "input_shapes", kind: "text" }, by === "stack" && { name: "stack", key: "stack", kind: "text", wrap: true, value: (r) => (r.stack ?? []).join(" ← ") },
    { name: "calls", key: "count", kind: "count" }, { name: "self CPU", key: "self_cpu_ns", kind: "ns", share: true }, { name: "CPU", key: "cpu_ns", kind: "ns" },
    has("self_device_ns") && { name: "self device", key: "self_device_ns", kind: "ns", share: true }, has("device_ns") && { name: "device", key: "device_ns", kind: "ns" },
    has("flops") && { name: "FLOPs", key: "flops", kind: "si" }, has("self_device_memory_bytes") && { name: "self device memory", key: "self_device_memory_bytes", kind: "bytes" }].filter(Boolean);
  return (choice) => [table({ name: `operators by ${by}`, columns, rows: d.rows, total: d.rows_total, sort: has("self_device_ns") ? "self_device_ns" : "self_cpu_ns", extra: choice, kept, link: (r, c) => c.key === "name" && place.named(r.name) }),
    (d.notes ?? []).map((n) => el("p", { class: "note" }, n))].flat();
}

function kernels(d, kept) {
  const columns = [{ name: "name", key: "name", kind: "text" }, { name: "sort of work", key: "class", kind: "text" }, { name: "calls", key: "count", kind: "count" }, { name: "total", key: "sum_ns", kind: "ns", share: true },
    { name: "mean", key: "mean", kind: "ns", value: (r) => r.sum_ns / r.count }, { name: "shortest", key: "min_ns", kind: "ns" }, { name: "longest", key: "max_ns", kind: "ns" },
    d.rows.some((r) => r.bytes) && { name: "bytes", key: "bytes", kind: "bytes" }].filter(Boolean);
  if (!d.rows.length) return (choice) => [el("div", { class: "toolbar" }, choice), el("p", { class: "empty" }, "No work on a device in this run: profile with the device's activities on.")];
  return (choice) => table({ name: "kernels", columns, rows: d.rows, total: d.rows_total, sort: "sum_ns", extra: choice, kept, link: (r, c) => c.key === "name" && place.href({ v: "timeline", sel: r.ref }) });
}

function steps(run, kept) {
  const rows = run.summary.ranks.flatMap((r, i) => r.steps.map((s) => ({ rank: r.rank, shift: run.ranks[i].shift_ns, ...s })));
  if (!rows.length) return (choice) => [el("div", { class: "toolbar" }, choice), el("p", { class: "empty" }, "No denoise steps were recognised in this run.")];
  const columns = [run.many && { name: "rank", key: "rank", kind: "number" }, { name: "request", key: "request", kind: "number" }, { name: "loop", key: "loop", kind: "number" }, { name: "step", key: "name", kind: "text", value: (s) => `${s.index} · ${s.name}` },
    { name: "begins", key: "start_ns", kind: "ns" }, { name: "CPU", key: "cpu_ns", kind: "ns", share: true }, { name: "device busy", key: "gpu_busy_ns", kind: "ns", share: true }, { name: "device idle", key: "gpu_idle_ns", kind: "ns" },
    rows.some((r) => r.gpu_span_ns !== undefined) && { name: "on the device", key: "gpu_span_ns", kind: "ns" },
    { name: "launches", key: "launches", kind: "count" }, { name: "activities", key: "activities", kind: "count" }, rows.some((r) => r.peak_memory_bytes) && { name: "peak memory", key: "peak_memory_bytes", kind: "bytes" }].filter(Boolean);
  return (choice) => table({ name: "steps", columns, rows, sort: "start_ns", extra: choice, kept, link: (s, c) => c.kind === "text" && place.href({ v: "timeline", from: s.start_ns + s.shift, to: s.start_ns + s.shift + Math.max(s.cpu_ns, s.gpu_span_ns ?? 0) }) });
}

function stats(d, kept) {
  if (d.skipped) return (choice) => [el("div", { class: "toolbar" }, choice), el("p", { class: "empty" }, `${d.name}: ${d.skipped}`)];
  const unit = (c) => (/\(ns\)|Time \(ns\)|ns\)$/.test(c) ? "ns" : /Bytes|\(B\)/.test(c) ? "bytes" : "number");
  const columns = d.cols.map((c, i) => ({ name: c.replace(/ \(ns\)$/, ""), key: `c${i}`, kind: d.text[i] ? "text" : unit(c), share: /^Total Time/.test(c), value: (r) => r[i] ?? undefined }));
  const label = columns.findLast((c) => c.kind === "text");
  return (choice) => [table({ name: d.name, columns, rows: d.rows, total: d.rows_total, extra: choice, kept, sort: columns.find((c) => c.share)?.key, link: (r, c) => c === label && place.named(String(c.value(r))) }), (d.notes ?? []).map((n) => el("p", { class: "note" }, n))].flat();
}
