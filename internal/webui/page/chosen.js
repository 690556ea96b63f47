// What is chosen in the timeline: a thing, a stretch, a frame that is followed.

import { json } from "./api.js";
import { fault, say } from "./dom.js";
import { dur } from "./format.js";
import * as place from "./place.js";
import { key, ROW } from "./rows.js";
import { showFrame, showItem, showSelection } from "./detail.js";

export class Chosen {
  constructor(t) {
    this.t = t;
  }

  fit() {
    const s = this.chain ? this.extent(this.chain) : this.span ?? (this.item && { from: this.item.start_ns, to: this.item.start_ns + this.item.duration_ns });
    if (!s) return;
    const pad = Math.max((s.to - s.from) * 0.06, 20);
    this.t.show(s.from - pad, s.to + pad);
  }

  letGo() {
    if (this.chain || this.item) {
      this.chain = this.item = undefined;
      place.note({ sel: "", follow: "" });
      if (this.span) this.select(this.span);
      else this.t.finds.show();
    } else if (this.span) {
      this.span = undefined;
      place.note({ a: "", b: "" });
      this.t.finds.show();
    } else if (this.t.search.value) {
      this.t.search.value = "";
      this.t.finds.begin();
    }
    this.t.ask();
  }

  // frame is what is followed, or could be: [rank, number].
  get frame() {
    if (this.chain) return [this.chain.rank, this.chain.story.frame];
    return /^(\d+)\.f(\d+)$/.exec(this.item?.ref)?.slice(1).map(Number);
  }

  // step follows the frame beside.
  step(by) {
    const [rank, n] = this.frame;
    this.follow(rank, Math.max(0, n + by), "there");
  }

  // choose shows the details of a thing and, with how, where it is: "there" moves to its
  // time and row, "row" leaves the time.
  async choose(ref, how) {
    try {
      const item = await json("item", { ref }, this.t.stop.signal);
      this.item = item;
      this.chain = undefined;
      place.note({ v: "timeline", sel: ref, follow: "" });
      showItem(this.t, item);
      say(`${item.name}, ${dur(item.duration_ns)}`);
      if (how === "there") {
        const pad = Math.max(item.duration_ns * 1.5, 200);
        const seen = item.start_ns >= this.t.view.from && item.start_ns + item.duration_ns <= this.t.view.to && item.duration_ns > 12 * this.t.view.scale;
        if (!seen) this.t.view.set(item.start_ns - pad, item.start_ns + item.duration_ns + pad);
      }
      if (how) this.reveal(item.places?.[0]);
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

  async follow(rank, n, how) {
    try {
      const chain = await json("frame", { rank, n }, this.t.stop.signal);
      this.chain = chain;
      this.item = undefined;
      place.note({ v: "timeline", follow: `${rank}.${n}`, sel: "" });
      showFrame(this.t, chain);
      if (how) {
        chain.chain.filter((c) => c.track >= 0).forEach((c) => this.open(c.track, c.row));
        this.t.relay();
        if (how === "there") this.fit();
        this.reveal(chain.chain.find((c) => c.what === "step" && c.track >= 0));
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

  // again looks up what is chosen after the run was read anew: references have moved. What
  // is no longer there is let go.
  async again(was) {
    const { item, chain, span } = this, top = this.t.detail.scrollTop;
    try {
      if (item) {
        const now = await json("again", { kind: item.ref.split(".")[1][0], rank: item.rank, start: item.start_ns, name: item.name }, this.t.stop.signal);
        if (item !== this.item) return;
        if (!now.ref) return this.letGo();
        this.item = now;
        place.note({ sel: now.ref });
        showItem(this.t, now);
        this.t.ask();
      } else if (chain) await this.follow(this.t.run.ranks.findIndex((r) => r.rank === was.ranks[chain.rank].rank), chain.story.frame);
      else if (span) await this.select(span);
      else await this.t.finds.show();
      this.t.detail.scrollTop = top;
    } catch (e) { if (!this.t.gone) fault(e.message); }
  }
}
