// What was asked for and seen, what was not, the artefacts, and the picture of the run.

import { el } from "./dom.js";
import { bytes, count } from "./format.js";

// asked is the card of what was asked for.
export function asked(run) {
  const warnings = [...new Set([...run.run?.warnings ?? [], ...run.summary.warnings ?? []])];
  return el("section", { class: "side" }, el("h2", {}, "Asked for and seen"),
    el("ul", { class: "list keys2" }, [...seen(run), ...absent(run)].map(([what, how]) => el("li", {}, el("span", { class: "name" }, what), el("span", { class: "num told" }, how)))),
    warnings.length > 0 && el("details", { open: warnings.length < 4 }, el("summary", {}, `${count(warnings.length)} warning${warnings.length > 1 ? "s" : ""}`),
      el("ul", { class: "findings" }, warnings.slice(0, 50).map((w) => el("li", { class: "warn" }, w)))),
    clip(run), files(run));
}

// seen is what the run's own note says of all ranks, or what each trace does.
function seen(run) {
  const note = run.run ?? {};
  const cover = note.coverage?.map((line) => /^(.*?): (.*)$/s.exec(line)?.slice(1) ?? ["coverage", line]) ??
    run.summary.ranks.flatMap((r) => (r.coverage ?? []).map((c) => [`${run.many ? `rank ${r.rank}: ` : ""}${c.asked}`, `${c.entered}${c.of ? ` of ${c.of}` : ""}${c.unit ? ` ${c.unit}` : ""} · ${count(c.events)} events${c.missed ? ` · ${c.missed}` : ""}`]));
  return [note.window && ["window", note.window], ...cover].filter(Boolean);
}

// absent is what is not in this run, and how to get it.
function absent(run) {
  const note = run.run ?? {}, r = run.summary.ranks[0], world = run.summary.world_size;
  return [
    note.unready?.length && !run.live && ["ranks not done", note.unready.join(", ")],
    note.missing?.length && ["not recorded", note.missing.join(", ")],
    r?.timing === "events" ? ["device activity", "device times by events around stages and steps; single kernels were not recorded"] : r && !r.gpu && ["device activity", "not recorded: profile with the device's activities on"],
    r && !r.memory && ["memory events", "not recorded: reel demo --memory, or profile_memory=True"],
    !run.ranks.some((x) => x.frames.shown) && ["frames", "none in this run: they come from reel play, or from a program that marks present.frame"],
    !run.startup && ["start-up report", "none: reel profile of a Python program leaves one, and reel startup vae"],
    world && world > run.ranks.length && ["ranks", `${run.ranks.length} of ${world} are here`],
  ].filter(Boolean);
}

function clip(run) {
  if (!run.clip) return null;
  const file = run.files.find((f) => f.id === run.clip), src = `api/file?id=${encodeURIComponent(run.clip)}&show=1`;
  const text = `what the run made: ${file.name}`;
  return [el("h3", {}, "Clip"), el("figure", { class: "clip" }, /\.(mp4|webm)$/i.test(file.name)
    ? el("video", { src, controls: true, muted: true, loop: true, "aria-label": text }) : el("img", { src, alt: text, loading: "lazy" }))];
}

function files(run) {
  if (!run.files.length) return null;
  return [el("h3", {}, "Artefacts"), el("ul", { class: "list" }, run.files.map((f) => el("li", {},
    el("a", { class: "name", href: `api/file?id=${encodeURIComponent(f.id)}`, download: f.name.split("/").pop(), title: f.viewer ? `opens in ${f.viewer}` : "" }, f.name), el("span", { class: "num" }, `${bytes(f.size_bytes)}`))))];
}
