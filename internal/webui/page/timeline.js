// The timeline: requests and steps pinned at the top, threads and streams below, what
// is chosen at the bottom.

import { el, fault } from "./dom.js";
import { count } from "./format.js";
import * as place from "./place.js";
import * as theme from "./theme.js";
import { Tiles } from "./tiles.js";
import { View } from "./view.js";
import { Painter } from "./paint.js";
import { key, layout, nextFold, ROW } from "./rows.js";
import { showNothing } from "./detail.js";
import { Chosen } from "./chosen.js";
import { Search } from "./search.js";
import { Input } from "./input.js";
import { Motion } from "./motion.js";

const kept = { folds: new Map() }; // what was opened by hand outlives the view

export function timeline(root, run) {
  const t = new Timeline(root, run);
  return { leave: () => t.leave(), refresh: (r) => t.refresh(r), paint: () => t.recolour(), moved: () => t.moved() };
}

class Timeline {
  constructor(root, run) {
    this.run = run;
    this.folds = kept.folds;
    this.view = new View(run.end_ns);
    this.tiles = new Tiles(run.generation, () => this.ask(), (why) => fault(why && `The timeline cannot be drawn: ${why}. It is tried again.`));
    this.stop = new AbortController();
    this.motion = new Motion(this);
    this.chosen = new Chosen(this);
    this.finds = new Search(this);
    this.build(root);
    this.painter = new Painter(this);
    this.relay();
    new Input(this);
    this.size();
    this.fromAddress();
    globalThis.reelTimeline = this; // for tests and for the curious
  }

  build(root) {
    this.search = el("input", { type: "search", placeholder: "Search names", "aria-label": "Search names", value: place.get("q") ?? "" });
    this.hover = el("span", { class: "hover" });
    const button = (text, label, f) => el("button", { class: "button", type: "button", title: label, "aria-label": label, onclick: f }, text);
    this.canvas = { mini: el("canvas", { height: 26, role: "img", "aria-label": "The whole run; a click moves there" }), pinned: el("canvas", { role: "img", "aria-label": "Time axis, requests, stages and steps" }), lanes: el("canvas", { role: "img", "aria-label": "Tracks of the run" }) };
    this.inner = el("div", { class: "inner" }, this.names = el("div", { class: "names" }), this.canvas.lanes);
    this.lanes = el("div", { class: "lanes", tabindex: 0, role: "application", "aria-label": "Timeline. W and S zoom, A and D move, Enter on a track's name opens it." }, this.inner);
    this.tip = el("div", { class: "tip", hidden: true, "aria-hidden": "true" }); // the toolbar says the same
    this.detail = el("div", { class: "detail", "aria-label": "Details", role: "region", tabindex: 0 });
    root.append(el("div", { class: "timeline" },
      el("div", { class: "toolbar", role: "toolbar", "aria-label": "Timeline" }, this.search, button("−", "Zoom out (S)", () => this.motion.glide(2)), button("+", "Zoom in (W)", () => this.motion.glide(0.5)), button("all", "Show everything (0)", () => this.show(0, this.run.end_ns)), this.hover),
      el("div", { class: "strip" }, el("span", {}, "whole run"), this.canvas.mini),
      el("div", { class: "strip" }, el("span", {}, this.run.many ? "" : "requests, steps"), this.canvas.pinned),
      this.lanes, this.detail, this.tip));
    showNothing(this);
  }

  leave() {
    this.stop.abort();
    cancelAnimationFrame(this.next);
    this.gone = true;
  }

  refresh(run) {
    const was = this.run, all = this.view.from <= 0 && this.view.to >= this.run.end_ns, atEnd = this.view.to >= this.run.end_ns && !all;
    const span = this.view.to - this.view.from;
    this.run = run;
    this.view.end = run.end_ns;
    this.tiles.clear(run.generation);
    this.painter.forget();
    this.relay();
    if (all) this.view.fit();
    else if (atEnd) this.view.set(run.end_ns - span * 0.95, run.end_ns + span * 0.05);
    this.chosen.again(was);
    this.ask();
  }

  recolour() {
    this.painter.recolour();
    this.draw();
  }

  // moved takes the place of the address while the view stays.
  moved() {
    this.fromAddress();
    return true;
  }

  fromAddress() {
    const from = place.number("from"), to = place.number("to");
    const sel = place.get("sel"), follow = place.get("follow"), mark = [place.number("a"), place.number("b")];
    const given = from !== undefined && to !== undefined && to > from; // then only the rows are looked for
    if (given) this.view.set(from, to);
    else if (!sel && !follow) this.view.fit();
    this.chosen.span = mark[0] !== undefined && mark[1] !== undefined ? { from: Math.min(...mark), to: Math.max(...mark) } : undefined;
    this.chosen.item = this.chosen.chain = this.finds.hits = undefined;
    this.search.value = place.get("q") ?? "";
    if (follow && /^\d+\.\d+$/.test(follow)) this.chosen.follow(...follow.split(".").map(Number), given ? "row" : "there");
    else if (sel) this.chosen.choose(sel, given ? "row" : "there");
    else if (this.chosen.span) this.chosen.select(this.chosen.span);
    if (sel || follow || !this.chosen.span) this.finds.show();
    this.ask();
  }

  address() {
    clearTimeout(this.noted);
    this.noted = setTimeout(() => !this.gone && place.note({ v: "timeline", from: Math.round(this.view.wanted.from), to: Math.round(this.view.wanted.to) }), 250);
  }

  // relay places tracks and their names.
  relay() {
    this.rows = layout(this.run, this.folds);
    this.inner.style.height = `${Math.max(this.rows.height, this.lanes.clientHeight)}px`;
    this.names.replaceChildren(...this.rows.list.map((r) => {
      if (r.group !== undefined) {
        const closed = this.folds.get(`r${r.group}`) ?? r.group > 0;
        return el("button", { type: "button", class: "group", "aria-expanded": String(!closed), style: { top: `${r.y}px`, height: `${r.height}px` }, onclick: () => this.fold(`r${r.group}`, !closed) }, el("i", {}, closed ? "▸" : "▾"), `rank ${this.run.ranks[r.group].rank}`);
      }
      const t = this.run.tracks[r.track], more = t.rows > r.rows ? `, ${r.rows} of ${t.rows} rows shown` : "";
      return el("button", { type: "button", class: t.part && r.rows > 1 ? "two" : "", title: `${t.name}${t.part ? `, ${t.part}` : ""}: ${count(t.count)}${more}`, "aria-expanded": String(r.rows === t.rows), style: { top: `${r.y}px`, height: `${r.height}px` }, onclick: () => this.fold(key(this.run, r.track), nextFold(t, r.rows)) },
        el("i", {}, t.rows === 1 ? "" : r.rows < t.rows ? "▸" : "▾"), el("b", {}, t.kind === "plan" ? "plan" : t.name), el("span", {}, t.part ?? ""));
    }));
  }

  fold(name, value) {
    this.folds.set(name, value);
    this.relay();
    this.ask();
  }

  size() {
    const ratio = Math.min(devicePixelRatio || 1, 2), gutter = parseFloat(getComputedStyle(this.lanes.closest(".timeline")).getPropertyValue("--gutter")) || 210;
    const width = Math.max(50, this.lanes.clientWidth - gutter), height = Math.max(60, this.lanes.clientHeight);
    this.ratio = ratio;
    const plan = this.run.many ? 0 : Math.min(3, this.run.tracks.find((t) => t.kind === "plan")?.rows ?? 0);
    this.pinnedRows = plan;
    for (const [name, h] of [["mini", 26], ["pinned", 22 + plan * ROW + 3], ["lanes", height]]) {
      const c = this.canvas[name];
      c.width = Math.round(width * ratio);
      c.height = Math.round(h * ratio);
      c.style.width = `${width}px`;
      c.style.height = `${h}px`;
    }
    this.inner.style.height = `${Math.max(this.rows.height, height)}px`;
    this.view.resize(this.canvas.lanes.width);
    this.painter.sized();
  }

  // show brings a stretch onto the screen, smoothly.
  show(from, to) {
    this.view.set(from, to);
    this.address();
    this.ask();
  }

  ask() {
    if (this.gone || this.next) return;
    this.next = requestAnimationFrame((now) => {
      this.next = 0;
      this.motion.step(now);
      this.draw();
    });
  }

  draw() {
    const began = performance.now();
    this.painter.draw();
    this.cost = performance.now() - began;
    (this.costs ??= []).push(this.cost);
    if (this.costs.length > 4000) this.costs.splice(0, 2000);
  }
}
