// The timeline: requests and steps pinned at the top, threads and streams below, what
// is chosen at the bottom.

import { json } from "./api.js";
import { el, fault, say } from "./dom.js";
import { at as instant, count, dur } from "./format.js";
import * as place from "./place.js";
import * as theme from "./theme.js";
import { Tiles } from "./tiles.js";
import { View } from "./view.js";
import { Painter } from "./paint.js";
import { key, layout, nextFold, ROW } from "./rows.js";
import { showFrame, showItem, showNothing, showSearch, showSelection } from "./detail.js";

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
    this.tiles = new Tiles(() => this.ask());
    this.stop = new AbortController();
    this.build(root);
    this.painter = new Painter(this);
    this.relay();
    this.listen();
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
    this.detail = el("div", { class: "detail", "aria-label": "Details", role: "region", tabindex: 0 });
    root.append(el("div", { class: "timeline" },
      el("div", { class: "toolbar", role: "toolbar", "aria-label": "Timeline" }, this.search, button("−", "Zoom out (S)", () => this.glide(2)), button("+", "Zoom in (W)", () => this.glide(0.5)), button("all", "Show everything (0)", () => this.show(0, this.run.end_ns)), this.hover),
      el("div", { class: "strip" }, el("span", {}, "whole run"), this.canvas.mini),
      el("div", { class: "strip" }, el("span", {}, this.run.many ? "" : "requests, steps"), this.canvas.pinned),
      this.lanes, this.detail));
    showNothing(this);
  }

  leave() {
    this.stop.abort();
    cancelAnimationFrame(this.next);
    this.gone = true;
  }

  refresh(run) {
    const same = run.tracks.length === this.run.tracks.length && run.bands.every((b, i) => b.n === this.run.bands[i]?.n);
    const all = this.view.from <= 0 && this.view.to >= this.run.end_ns, atEnd = this.view.to >= this.run.end_ns && !all;
    const span = this.view.to - this.view.from;
    this.run = run;
    this.view.end = run.end_ns;
    this.tiles.clear(same);
    this.painter.forget();
    this.relay();
    if (all) this.view.fit();
    else if (atEnd) this.view.set(run.end_ns - span * 0.95, run.end_ns + span * 0.05);
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
    if (from !== undefined && to !== undefined && to > from) this.view.set(from, to);
    else if (!this.view.shown) this.view.fit();
    const sel = place.get("sel"), follow = place.get("follow"), mark = [place.number("a"), place.number("b")];
    this.span = mark[0] !== undefined && mark[1] !== undefined ? { from: Math.min(...mark), to: Math.max(...mark) } : undefined;
    this.item = this.chain = undefined;
    if (follow && /^\d+\.\d+$/.test(follow)) this.follow(...follow.split(".").map(Number), from === undefined);
    else if (sel) this.choose(sel, from === undefined);
    else if (this.span) this.select(this.span);
    else if (place.get("q")) this.find();
    this.ask();
  }

  address() {
    clearTimeout(this.noted);
    this.noted = setTimeout(() => !this.gone && place.note({ v: "timeline", from: Math.round(this.view.from), to: Math.round(this.view.to) }), 250);
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
    this.ask();
  }

  ask() {
    if (this.gone || this.next) return;
    this.next = requestAnimationFrame((now) => {
      this.next = 0;
      this.step(now);
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

  // step moves the view as long as keys are held or it glides.
  step(now) {
    const past = Math.min(now - (this.last ?? now), 50);
    this.last = now;
    const held = this.held ?? new Set();
    let moving = false;
    const x = this.mouse ?? this.view.width / 2;
    if (held.has("w") || held.has("s")) { this.view.zoom(2 ** ((held.has("w") ? -1 : 1) * past / 160), x); moving = true; }
    if (held.has("a") || held.has("d")) { this.view.pan(Math.round((held.has("a") ? -1 : 1) * past * this.view.width / 900)); moving = true; }
    if (this.gliding) {
      const k = Math.min(1, past / this.gliding.left || 1);
      this.view.zoom(this.gliding.factor ** k, x);
      this.gliding.factor **= 1 - k;
      this.gliding.left -= past;
      if (this.gliding.left <= 0) this.gliding = undefined;
      moving = true;
    }
    if (moving) {
      this.moving = true;
      this.ask();
    } else {
      this.last = undefined;
      this.rest();
    }
  }

  // rest settles the view a moment after the last movement.
  rest() {
    if (this.view.settled) { this.moving = false; return; }
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      if (this.held?.size || this.gliding || this.gone) return;
      this.view.settle(this.mouse ?? this.view.width / 2);
      this.moving = false;
      this.address();
      this.ask();
    }, 110);
  }

  glide(factor) {
    this.gliding = { factor: (this.gliding?.factor ?? 1) * factor, left: 120 };
    this.address();
    this.ask();
  }

  listen() {
    const on = (target, name, f, opt) => target.addEventListener(name, f, { signal: this.stop.signal, ...opt });
    this.held = new Set();
    on(document, "keydown", (e) => this.keydown(e));
    on(document, "keyup", (e) => { this.held.delete(e.key.toLowerCase()); this.address(); this.ask(); });
    on(window, "blur", () => this.held.clear());
    on(this.lanes, "scroll", () => this.ask());
    for (const c of [this.canvas.lanes, this.canvas.pinned]) {
      on(c, "wheel", (e) => this.wheel(e), { passive: false });
      on(c, "pointerdown", (e) => this.pointerdown(e, c));
      on(c, "pointermove", (e) => this.pointermove(e, c));
      on(c, "pointerleave", () => { this.mouse = undefined; this.hover.replaceChildren(); });
    }
    on(this.canvas.mini, "pointerdown", (e) => this.jump(e));
    on(this.canvas.mini, "pointermove", (e) => e.buttons & 1 && this.jump(e));
    on(this.search, "input", () => { clearTimeout(this.typing); this.typing = setTimeout(() => { place.note({ q: this.search.value }); this.find(); }, 200); });
    on(this.search, "keydown", (e) => {
      if (e.key === "Enter") { e.preventDefault(); this.another(e.shiftKey ? "prev" : "next"); }
      if (e.key === "Escape") this.lanes.focus();
    });
    const watcher = new ResizeObserver(() => { if (!this.gone) { this.size(); this.ask(); } });
    watcher.observe(this.lanes);
    this.stop.signal.addEventListener("abort", () => watcher.disconnect());
  }

  keydown(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest?.("input, select, textarea, dialog")) return;
    const k = e.key.toLowerCase();
    const alias = { arrowleft: "a", arrowright: "d", "+": "w", "=": "w", "-": "s" }[k] ?? k;
    if (["w", "s", "a", "d"].includes(alias)) {
      if (k.startsWith("arrow") && e.target.closest?.(".detail, nav")) return;
      this.held.add(k === alias ? k : alias);
      if (k !== alias) setTimeout(() => this.held.delete(alias), 90); // until it repeats
      this.ask();
    } else if (k === "0") this.show(0, this.run.end_ns);
    else if (k === "f") this.fit();
    else if (k === "m" && this.item) this.select({ from: this.item.start_ns, to: this.item.start_ns + this.item.duration_ns });
    else if (k === "/") this.search.focus();
    else if (k === "n") this.another("next");
    else if (k === "p") this.another("prev");
    else if ((k === "[" || k === "]") && this.chain) this.follow(this.chain.rank, Math.max(0, this.chain.story.frame + (k === "]" ? 1 : -1)), true);
    else if (k === "escape") this.letGo();
    else return;
    e.preventDefault();
  }

  fit() {
    const s = this.chain ? this.extent(this.chain) : this.span ?? (this.item && { from: this.item.start_ns, to: this.item.start_ns + this.item.duration_ns });
    if (!s) return;
    const pad = Math.max((s.to - s.from) * 0.06, 20);
    this.show(s.from - pad, s.to + pad);
    this.address();
  }

  letGo() {
    if (this.chain || this.item) {
      this.chain = this.item = undefined;
      place.note({ sel: "", follow: "" });
      if (this.span) this.select(this.span);
      else showNothing(this);
    } else if (this.span) {
      this.span = undefined;
      place.note({ a: "", b: "" });
      showNothing(this);
    } else if (this.hits) {
      this.hits = undefined;
      this.search.value = "";
      place.note({ q: "" });
      showNothing(this);
    }
    this.ask();
  }

  wheel(e) {
    if (e.ctrlKey || e.metaKey) {
      e.preventDefault();
      this.mouse = e.offsetX * this.ratio;
      this.view.zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY / 250))), this.mouse);
    } else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
      e.preventDefault();
      this.view.pan(Math.round((e.deltaX || e.deltaY) * this.ratio));
    } else return;
    this.moving = true;
    this.address();
    this.ask();
  }

  pointerdown(e, canvas) {
    if (e.button > 1) return;
    const x0 = e.offsetX, pan = e.shiftKey || e.button === 1 || e.pointerType === "touch";
    let moved = false, last = e.clientX;
    if (e.button === 1) e.preventDefault();
    canvas.setPointerCapture(e.pointerId);
    const move = (m) => {
      if (Math.abs(m.offsetX - x0) > 4) moved = true;
      if (!moved) return;
      if (pan) { this.view.pan(Math.round((last - m.clientX) * this.ratio)); last = m.clientX; this.address(); } else {
        const a = this.view.t(x0 * this.ratio), b = this.view.t(m.offsetX * this.ratio);
        this.span = { from: Math.min(a, b), to: Math.max(a, b) };
      }
      this.ask();
    };
    const up = (m) => {
      canvas.removeEventListener("pointermove", move);
      canvas.removeEventListener("pointerup", up);
      canvas.removeEventListener("pointercancel", up);
      if (m.type === "pointercancel") return;
      if (!moved) this.click(m, canvas);
      else if (!pan) this.select(this.span);
    };
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
  }

  jump(e) {
    const t = e.offsetX / this.canvas.mini.clientWidth * this.run.end_ns, span = this.view.to - this.view.from;
    this.view.from = Math.round((t - span / 2) / this.view.scale) * this.view.scale;
    this.view.bound();
    this.address();
    this.ask();
  }

  // under returns the band and row below the mouse.
  under(e, canvas) {
    if (canvas === this.canvas.pinned) {
      const row = Math.floor((e.offsetY - 22) / ROW), i = this.run.tracks.findIndex((t) => t.kind === "plan");
      return row >= 0 && row < this.pinnedRows ? { track: i, row, band: this.run.tracks[i].band } : undefined;
    }
    const y = e.offsetY + this.lanes.scrollTop;
    const r = this.rows.list.find((x) => x.track !== undefined && y >= x.y && y < x.y + x.height);
    if (!r) return undefined;
    const row = Math.floor((y - r.y) / ROW);
    return { track: r.track, row, band: this.run.tracks[r.track].band + Math.floor(row / 16) };
  }

  pointermove(e, canvas) {
    this.mouse = e.offsetX * this.ratio;
    if (e.buttons) return;
    clearTimeout(this.hovering);
    this.hovering = setTimeout(() => this.tell(this.under(e, canvas), e.offsetX), 40);
  }

  async what(u, x) {
    if (!u) return undefined;
    const slack = 2 * this.view.scale * this.ratio; // thin things are hard to meet
    const t = this.view.t(x * this.ratio);
    let found = await json("at", { b: u.band, row: u.row % 16, t, w: this.view.scale }, this.stop.signal);
    if (!found.ref) found = await json("at", { b: u.band, row: u.row % 16, t: t - slack, w: 2 * slack }, this.stop.signal);
    return found.ref ? found : undefined;
  }

  async tell(u, x) {
    try {
      const f = await this.what(u, x);
      if (this.gone) return;
      this.hover.replaceChildren(...(f ? [el("b", {}, f.name), ` ${dur(f.duration_ns)} at ${instant(f.start_ns, this.view.scale)}`, f.among > 1 ? ` · ${count(f.among)} here` : ""] : [instant(this.view.t(x * this.ratio), this.view.scale)]));
      this.canvas.lanes.style.cursor = f ? "pointer" : "crosshair";
    } catch { /* the mouse has moved on */ }
  }

  async click(e, canvas) {
    try {
      const f = await this.what(this.under(e, canvas), e.offsetX);
      if (f) this.choose(f.ref);
      else this.letGo();
    } catch (err) { if (!this.gone) fault(err.message); }
  }

  // choose shows the details of a thing and, when asked to, where it is.
  async choose(ref, there) {
    try {
      const item = await json("item", { ref }, this.stop.signal);
      this.item = item;
      this.chain = undefined;
      place.note({ v: "timeline", sel: ref, follow: "" });
      showItem(this, item);
      say(`${item.name}, ${dur(item.duration_ns)}`);
      if (there) {
        const pad = Math.max(item.duration_ns * 1.5, 200);
        const seen = item.start_ns >= this.view.from && item.start_ns + item.duration_ns <= this.view.to && item.duration_ns > 12 * this.view.scale;
        if (!seen) this.view.set(item.start_ns - pad, item.start_ns + item.duration_ns + pad);
        this.reveal(item.places?.[0]);
      }
      this.address();
      this.ask();
    } catch (e) { if (!this.gone) fault(e.message); }
  }

  // reveal opens the track of a place and scrolls to its row.
  reveal(p) {
    if (!p) return;
    const t = this.run.tracks[p.track];
    if (this.run.many && (this.folds.get(`r${t.rank}`) ?? t.rank > 0) && !this.rows.of.has(p.track)) this.folds.set(`r${t.rank}`, false);
    this.relay();
    let r = this.rows.of.get(p.track);
    if (!r) return;
    if (p.row >= r.rows) {
      this.folds.set(key(this.run, p.track), t.rows);
      this.relay();
      r = this.rows.of.get(p.track);
    }
    const y = r.y + p.row * ROW, top = this.lanes.scrollTop, height = this.lanes.clientHeight;
    if (y < top + 10 || y > top + height - 30) this.lanes.scrollTop = Math.max(0, y - height / 2);
  }

  async select(span) {
    this.span = { from: Math.round(span.from), to: Math.round(span.to) };
    this.item = this.chain = undefined;
    place.note({ v: "timeline", a: this.span.from, b: this.span.to, sel: "", follow: "" });
    this.ask();
    try {
      const mine = this.span, s = await json("select", mine, this.stop.signal);
      if (mine === this.span && !this.item) showSelection(this, s);
    } catch (e) { if (!this.gone) fault(e.message); }
  }

  async follow(rank, n, there) {
    try {
      const chain = await json("frame", { rank, n }, this.stop.signal);
      this.chain = chain;
      this.item = undefined;
      place.note({ v: "timeline", follow: `${rank}.${n}`, sel: "" });
      showFrame(this, chain);
      if (there) {
        this.chain.chain.filter((c) => c.track >= 0).forEach((c) => this.open(c.track, c.row));
        this.relay();
        this.fit();
        this.reveal(chain.chain.find((c) => c.what === "step" && c.track >= 0) ?? undefined);
      }
      this.ask();
    } catch (e) { if (!this.gone) fault(e.message); }
  }

  open(track, row) {
    const r = this.rows.of.get(track);
    if (r && row >= r.rows) this.folds.set(key(this.run, track), this.run.tracks[track].rows);
  }

  extent(chain) {
    return { from: Math.min(...chain.chain.map((c) => c.start_ns)), to: Math.max(...chain.chain.map((c) => c.start_ns + (c.what === "shown" ? 0 : c.duration_ns))) };
  }

  async find() {
    const q = this.search.value;
    this.item = this.chain = undefined;
    if (!q) { this.hits = undefined; showNothing(this); this.ask(); return; }
    try {
      const hits = await json("search", { q }, this.stop.signal);
      if (q !== this.search.value) return;
      this.hits = hits;
      showSearch(this, hits, q);
      this.ask();
    } catch (e) { if (!this.gone) fault(e.message); }
  }

  // another goes to the next thing that was searched for.
  async another(dir) {
    const q = this.search.value;
    if (!q) return;
    const from = this.found ?? Math.round(dir === "next" ? this.view.from : this.view.to);
    try {
      const f = await json("find", { q, t: from, dir }, this.stop.signal);
      if (!f.ref) { say("No more of them"); this.found = undefined; return; }
      this.found = f.start_ns;
      this.choose(f.ref, true);
    } catch (e) { if (!this.gone) fault(e.message); }
  }
}
