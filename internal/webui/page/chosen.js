// What is chosen in the timeline: a thing, a stretch, a frame that is followed, a word
// that is searched for.

import { json } from "./api.js";
import { fault, say } from "./dom.js";
import { dur } from "./format.js";
import * as place from "./place.js";
import { key, ROW } from "./rows.js";
import { showFrame, showItem, showNothing, showSearch, showSelection } from "./detail.js";

export class Chosen {
  constructor(t) {
    this.t = t;
  }

  fit() {
    const s = this.chain ? this.extent(this.chain) : this.span ?? (this.item && { from: this.item.start_ns, to: this.item.start_ns + this.item.duration_ns });
    if (!s) return;
    const pad = Math.max((s.to - s.from) * 0.06, 20);
    this.t.show(s.from - pad, s.to + pad);
    this.t.address();
  }

  letGo() {
    if (this.chain || this.item) {
      this.chain = this.item = undefined;
      place.note({ sel: "", follow: "" });
      if (this.span) this.select(this.span);
      else showNothing(this.t);
    } else if (this.span) {
      this.span = undefined;
      place.note({ a: "", b: "" });
      showNothing(this.t);
    } else if (this.hits) {
      this.hits = undefined;
      this.t.search.value = "";
      place.note({ q: "" });
      showNothing(this.t);
    }
    this.t.ask();
  }

  // choose shows the details of a thing and, when asked to, where it is.
  async choose(ref, there) {
    try {
      const item = await json("item", { ref }, this.t.stop.signal);
      this.item = item;
      this.chain = undefined;
      place.note({ v: "timeline", sel: ref, follow: "" });
      showItem(this.t, item);
      say(`${item.name}, ${dur(item.duration_ns)}`);
      if (there) {
        const pad = Math.max(item.duration_ns * 1.5, 200);
        const seen = item.start_ns >= this.t.view.from && item.start_ns + item.duration_ns <= this.t.view.to && item.duration_ns > 12 * this.t.view.scale;
        if (!seen) this.t.view.set(item.start_ns - pad, item.start_ns + item.duration_ns + pad);
        this.reveal(item.places?.[0]);
      }
      this.t.address();
      this.t.ask();
    } catch (e) { if (!this.t.gone) fault(e.message); }
  }

  // reveal opens the track of a place and scrolls to its row.
  reveal(p) {
    if (!p) return;
    const t = this.t.run.tracks[p.track];
    if (this.t.run.many && (this.t.folds.get(`r${t.rank}`) ?? t.rank > 0) && !this.t.rows.of.has(p.track)) this.t.folds.set(`r${t.rank}`, false);
    this.t.relay();
    let r = this.t.rows.of.get(p.track);
    if (!r) return;
    if (p.row >= r.rows) {
      this.t.folds.set(key(this.t.run, p.track), t.rows);
      this.t.relay();
      r = this.t.rows.of.get(p.track);
    }
    const y = r.y + p.row * ROW, top = this.t.lanes.scrollTop, height = this.t.lanes.clientHeight;
    if (y < top + 10 || y > top + height - 30) this.t.lanes.scrollTop = Math.max(0, y - height / 2);
  }

  async select(span) {
    this.span = { from: Math.round(span.from), to: Math.round(span.to) };
    this.item = this.chain = undefined;
    place.note({ v: "timeline", a: this.span.from, b: this.span.to, sel: "", follow: "" });
    this.t.ask();
    try {
      const mine = this.span, s = await json("select", mine, this.t.stop.signal);
      if (mine === this.span && !this.item) showSelection(this.t, s);
    } catch (e) { if (!this.t.gone) fault(e.message); }
  }

  async follow(rank, n, there) {
    try {
      const chain = await json("frame", { rank, n }, this.t.stop.signal);
      this.chain = chain;
      this.item = undefined;
      place.note({ v: "timeline", follow: `${rank}.${n}`, sel: "" });
      showFrame(this.t, chain);
      if (there) {
        this.chain.chain.filter((c) => c.track >= 0).forEach((c) => this.open(c.track, c.row));
        this.t.relay();
        this.fit();
        this.reveal(chain.chain.find((c) => c.what === "step" && c.track >= 0) ?? undefined);
      }
      this.t.ask();
    } catch (e) { if (!this.t.gone) fault(e.message); }
  }

  open(track, row) {
    const r = this.t.rows.of.get(track);
    if (r && row >= r.rows) this.t.folds.set(key(this.t.run, track), this.t.run.tracks[track].rows);
  }

  extent(chain) {
    return { from: Math.min(...chain.chain.map((c) => c.start_ns)), to: Math.max(...chain.chain.map((c) => c.start_ns + (c.what === "shown" ? 0 : c.duration_ns))) };
  }

  async find() {
    const q = this.t.search.value;
    this.item = this.chain = undefined;
    if (!q) { this.hits = undefined; showNothing(this.t); this.t.ask(); return; }
    try {
      const hits = await json("search", { q }, this.t.stop.signal);
      if (q !== this.t.search.value) return;
      this.hits = hits;
      showSearch(this.t, hits, q);
      this.t.ask();
    } catch (e) { if (!this.t.gone) fault(e.message); }
  }

  // another goes to the next thing that was searched for.
  async another(dir) {
    const q = this.t.search.value;
    if (!q) return;
    const from = this.found ?? Math.round(dir === "next" ? this.t.view.from : this.t.view.to);
    try {
      const f = await json("find", { q, t: from, dir }, this.t.stop.signal);
      if (!f.ref) { say("No more of them"); this.found = undefined; return; }
      this.found = f.start_ns;
      this.choose(f.ref, true);
    } catch (e) { if (!this.t.gone) fault(e.message); }
  }
}
