// The search of the timeline: names that hold a text, and going from one thing to the next.

import { json } from "./api.js";
import { fault, say } from "./dom.js";
import * as place from "./place.js";
import { showNothing, showSearch } from "./detail.js";

export class Search {
  constructor(t) {
    this.t = t;
    this.hits = undefined; // what was found
    this.last = undefined; // where the last find begins, ns
  }

  // begin looks for what was just typed.
  begin() {
    this.t.chosen.item = this.t.chosen.chain = this.last = undefined;
    place.note({ q: this.t.search.value, sel: "", follow: "" });
    this.show();
  }

  // show lists what holds the text, and says what to do without one.
  async show() {
    const { t } = this, q = t.search.value;
    if (!q) {
      this.hits = undefined;
      showNothing(t);
      t.ask();
      return;
    }
    try {
      const hits = await json("search", { q }, t.stop.signal);
      if (q !== t.search.value) return;
      this.hits = hits;
      if (!t.chosen.item && !t.chosen.chain) showSearch(t, hits, q);
      t.ask();
    } catch (e) { if (!t.gone) fault(e.message); }
  }

  // another goes to the next thing that was searched for, or the one before.
  async another(dir) {
    const { t } = this, q = t.search.value;
    if (!q) return;
    const from = this.last ?? Math.round(dir === "next" ? t.view.from - 1 : t.view.to + 1);
    try {
      const f = await json("find", { q, t: from, dir }, t.stop.signal);
      if (!f.ref) { say("No more of them"); this.last = undefined; return; }
      this.last = f.start_ns;
      t.chosen.choose(f.ref, "there");
    } catch (e) { if (!t.gone) fault(e.message); }
  }
}
