// Keys, mouse and wheel of the timeline.

import { json } from "./api.js";
import { el, fault } from "./dom.js";
import { at as instant, count, dur } from "./format.js";
import * as place from "./place.js";
import { ROW } from "./rows.js";
import { showTip } from "./detail.js";

export class Input {
  constructor(t) {
    this.t = t;
    this.listen();
  }

  listen() {
    const on = (target, name, f, opt) => target.addEventListener(name, f, { signal: this.t.stop.signal, ...opt });
    on(document, "keydown", (e) => this.keydown(e));
    on(document, "keyup", (e) => { this.t.motion.held.delete(e.key.toLowerCase()); this.t.address(); this.t.ask(); });
    on(window, "blur", () => this.t.motion.held.clear());
    on(this.t.lanes, "scroll", () => { this.away(); this.t.ask(); });
    for (const c of [this.t.canvas.lanes, this.t.canvas.pinned]) {
      on(c, "wheel", (e) => this.wheel(e), { passive: false });
      on(c, "pointerdown", (e) => this.pointerdown(e, c));
      on(c, "pointermove", (e) => this.pointermove(e, c));
      on(c, "pointerleave", () => { this.t.motion.mouse = undefined; this.t.hover.replaceChildren(); this.away(); });
    }
    on(this.t.canvas.mini, "pointerdown", (e) => this.jump(e));
    on(this.t.canvas.mini, "pointermove", (e) => e.buttons & 1 && this.jump(e));
    on(this.t.search, "input", () => { clearTimeout(this.typing); this.typing = setTimeout(() => this.typed(), 200); });
    on(this.t.search, "keydown", (e) => {
      if (e.key === "Enter") { e.preventDefault(); if (this.typing) this.typed(); this.t.finds.another(e.shiftKey ? "prev" : "next"); }
      if (e.key === "Escape") this.t.lanes.focus();
    });
    const watcher = new ResizeObserver(() => { if (!this.t.gone) { this.t.size(); this.t.ask(); } });
    watcher.observe(this.t.lanes);
    this.t.stop.signal.addEventListener("abort", () => watcher.disconnect());
  }

  typed() {
    clearTimeout(this.typing);
    this.typing = 0;
    this.t.finds.begin();
  }

  keydown(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest?.("input, select, textarea, dialog")) return;
    const k = e.key.toLowerCase();
    const alias = { arrowleft: "a", arrowright: "d", "+": "w", "=": "w", "-": "s" }[k] ?? k;
    if (["w", "s", "a", "d"].includes(alias)) {
      if (k.startsWith("arrow") && e.target.closest?.(".detail, nav")) return;
      this.t.motion.held.add(k === alias ? k : alias);
      if (k !== alias) setTimeout(() => this.t.motion.held.delete(alias), 90); // until it repeats
      this.t.ask();
    } else if (k === "0") this.t.show(0, this.t.run.end_ns);
    else if (k === "f") this.t.chosen.fit();
    else if (k === "m" && this.t.chosen.item) this.t.chosen.select({ from: this.t.chosen.item.start_ns, to: this.t.chosen.item.start_ns + this.t.chosen.item.duration_ns });
    else if (k === "/") this.t.search.focus();
    else if (k === "n") this.t.finds.another("next");
    else if (k === "p") this.t.finds.another("prev");
    else if ((k === "[" || k === "]") && this.t.chosen.frame) this.t.chosen.step(k === "]" ? 1 : -1);
    else if (k === "escape") this.t.chosen.letGo();
    else return;
    e.preventDefault();
  }

  // away takes the words at the mouse off.
  away() {
    clearTimeout(this.hovering);
    this.hovering = 0;
    this.t.tip.hidden = true;
  }

  wheel(e) {
    this.away();
    if (e.ctrlKey || e.metaKey) {
      e.preventDefault();
      this.t.motion.mouse = e.offsetX * this.t.ratio;
      this.t.view.zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY / 250))), this.t.motion.mouse);
    } else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
      e.preventDefault();
      this.t.view.pan(Math.round((e.deltaX || e.deltaY) * this.t.ratio));
    } else return;
    this.t.motion.moving = true;
    this.t.address();
    this.t.ask();
  }

  pointerdown(e, canvas) {
    this.away();
    if (e.button > 1) return;
    const x0 = e.offsetX, pan = e.shiftKey || e.button === 1 || e.pointerType === "touch";
    let moved = false, last = e.clientX;
    if (e.button === 1) e.preventDefault();
    canvas.setPointerCapture(e.pointerId);
    const move = (m) => {
      if (Math.abs(m.offsetX - x0) > 4) moved = true;
      if (!moved) return;
      if (pan) { this.t.view.pan(Math.round((last - m.clientX) * this.t.ratio)); last = m.clientX; this.t.address(); } else {
        const a = this.t.view.t(x0 * this.t.ratio), b = this.t.view.t(m.offsetX * this.t.ratio);
        this.t.chosen.span = { from: Math.min(a, b), to: Math.max(a, b) };
      }
      this.t.ask();
    };
    const up = (m) => {
      canvas.removeEventListener("pointermove", move);
      canvas.removeEventListener("pointerup", up);
      canvas.removeEventListener("pointercancel", up);
      if (m.type === "pointercancel") return;
      if (!moved) this.click(m, canvas);
      else if (!pan) this.t.chosen.select(this.t.chosen.span);
    };
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
  }

  jump(e) {
    this.t.view.centre(e.offsetX / this.t.canvas.mini.clientWidth * this.t.run.end_ns);
    this.t.address();
    this.t.ask();
  }

  // under returns the band and row below the mouse.
  under(e, canvas) {
    if (canvas === this.t.canvas.pinned) {
      const row = Math.floor((e.offsetY - 22) / ROW), i = this.t.run.tracks.findIndex((t) => t.kind === "plan");
      return row >= 0 && row < this.t.pinnedRows ? { track: i, row, band: this.t.run.tracks[i].band } : undefined;
    }
    const y = e.offsetY + this.t.lanes.scrollTop;
    const r = this.t.rows.list.find((x) => x.track !== undefined && y >= x.y && y < x.y + x.height);
    if (!r) return undefined;
    const row = Math.floor((y - r.y) / ROW);
    return { track: r.track, row, band: this.t.run.tracks[r.track].band + Math.floor(row / 16) };
  }

  pointermove(e, canvas) {
    this.t.motion.mouse = e.offsetX * this.t.ratio;
    if (e.buttons) return;
    clearTimeout(this.hovering);
    this.hovering = setTimeout(() => this.tell(this.under(e, canvas), e.offsetX, e), 40);
  }

  async what(u, x) {
    if (!u) return undefined;
    const slack = 2 * this.t.view.scale * this.t.ratio; // thin things are hard to meet
    const t = this.t.view.t(x * this.t.ratio);
    let found = await json("at", { b: u.band, row: u.row % 16, t, w: this.t.view.scale }, this.t.stop.signal);
    if (!found.ref) found = await json("at", { b: u.band, row: u.row % 16, t: t - slack, w: 2 * slack }, this.t.stop.signal);
    return found.ref ? found : undefined;
  }

  async tell(u, x, e) {
    const mine = this.hovering;
    try {
      const f = await this.what(u, x);
      if (this.t.gone || mine !== this.hovering) return;
      showTip(this.t, f, e);
      this.t.hover.replaceChildren(...(f ? [el("b", {}, f.name), ` ${dur(f.duration_ns)} at ${instant(f.start_ns, this.t.view.scale)}`, f.among > 1 ? ` · ${count(f.among)} here` : ""] : [instant(this.t.view.t(x * this.t.ratio), this.t.view.scale)]));
      this.t.canvas.lanes.style.cursor = f ? "pointer" : "crosshair";
    } catch { /* the mouse has moved on */ }
  }

  async click(e, canvas) {
    try {
      const f = await this.what(this.under(e, canvas), e.offsetX);
      if (f) this.t.chosen.choose(f.ref);
      else this.t.chosen.letGo();
    } catch (err) { if (!this.t.gone) fault(err.message); }
  }
}
