// Keeps the tiles of the timeline: columns of pixels that the server worked out, for a
// band of rows at a level of zoom. See the form in webui/tiles.go.

import { get } from "./api.js";

export const COLS = 512;
const MAGIC = 0x31544c52, BUDGET = 48 << 20, AT_ONCE = 4, BANDS = 24;

export const widthOf = (level) => 2 ** (level / 8);
const key = (level, index, band) => `${level}/${index}/${band}`;

export class Tiles {
  // changed is told when tiles have come, failed when they do not and, with "", when they do again.
  constructor(run, changed, failed) {
    this.changed = changed;
    this.failed = failed;
    this.times = []; // how long replies took, ms
    this.clear(run);
  }

  // clear forgets everything: in another state of the run, of the server's number, the
  // ids are others.
  clear(run) {
    this.run = run;
    this.names = new Map(); // "rank/name" to text
    this.all = new Map(); // by key, the last used last
    this.bytes = 0;
    this.wanted = new Map(); // groups that are to be asked for, by "level/index"
    this.asked = new Set();
    this.running = 0;
    this.pause = this.later = 0; // after a try that failed, ms
    this.generation = (this.generation ?? 0) + 1;
  }

  // get returns a tile, undefined when it is not here.
  get(level, index, band) {
    const k = key(level, index, band), t = this.all.get(k);
    if (t && t.used !== this.frame) { // to the end: it is in use
      t.used = this.frame;
      this.all.delete(k);
      this.all.set(k, t);
    }
    return t;
  }

  has(level, first, last, band) {
    for (let i = first; i <= last; i++) if (!this.all.has(key(level, i, band))) return false;
    return true;
  }

  // want asks for tiles that are not here. What was wanted before and is not yet under
  // way is forgotten: the view has moved on.
  want(list) {
    this.wanted.clear();
    for (const [level, index, band] of list) {
      const k = key(level, index, band);
      if (this.all.has(k) || this.asked.has(k)) continue;
      const group = `${level}/${index}`;
      if (!this.wanted.has(group)) this.wanted.set(group, []);
      this.wanted.get(group).push(band);
    }
    this.pump();
  }

  // idle says that nothing is under way or wanted.
  get idle() { return this.running === 0 && this.wanted.size === 0; }

  pump() {
    if (performance.now() < this.later) return;
    while (this.running < AT_ONCE && this.wanted.size) {
      const [group, bands] = this.wanted.entries().next().value;
      const some = bands.splice(0, BANDS);
      if (!bands.length) this.wanted.delete(group);
      const [level, index] = group.split("/").map(Number);
      this.ask(level, index, some);
    }
  }

  async ask(level, index, bands) {
    const generation = this.generation, keys = bands.map((b) => key(level, index, b));
    keys.forEach((k) => this.asked.add(k));
    this.running++;
    const began = performance.now();
    try {
      const reply = await (await get("tile", { l: level, i: index, b: bands.join(",") })).arrayBuffer();
      this.times.push(performance.now() - began);
      if (this.times.length > 4000) this.times.splice(0, 2000);
      if (generation !== this.generation) return;
      if (!this.take(reply, level, index)) return this.rest();
      if (this.told) this.failed(this.told = "");
      this.pause = this.later = 0;
    } catch (e) {
      if (generation === this.generation) this.rest(e.message);
    } finally {
      if (generation === this.generation) {
        keys.forEach((k) => this.asked.delete(k));
        this.running--;
      }
      this.pump();
      this.changed();
    }
  }

  // rest waits before the next try, each time twice as long: what fails is wanted in each frame.
  rest(why) {
    if (performance.now() < this.later) return; // others that were under way
    if (why && why !== this.told) this.failed(this.told = why);
    this.pause = Math.min(this.pause * 2 || 1000, 30000);
    this.later = performance.now() + this.pause;
    setTimeout(() => this.changed(), this.pause + 1);
  }

  take(reply, level, index) {
    const d = new DataView(reply), bytes = new Uint8Array(reply);
    if (d.getUint32(0, true) !== MAGIC) throw new Error("this is no tile");
    if (d.getUint32(4, true) !== this.run) return false; // the page is about to hear of a new state
    let at = 24;
    for (let n = d.getUint32(12, true); n > 0; n--) {
      const band = d.getUint32(at, true), mask = d.getUint16(at + 4, true), wide = d.getUint32(at + 8, true);
      at += 12;
      const tile = { rows: new Array(16), wide: [], used: this.frame };
      let size = 64 + wide * 72;
      for (let row = 0; row < 16; row++) {
        if (!(mask >> row & 1)) continue;
        // Cover and colour as the palette wants them: colour << 8 | cover.
        const both = new Uint16Array(COLS);
        for (let i = 0; i < COLS; i++) both[i] = bytes[at + COLS + i] << 8 | bytes[at + i];
        tile.rows[row] = both;
        at += 2 * COLS;
        size += 2 * COLS;
      }
      const w = widthOf(level), first = index * COLS * w;
      for (let i = 0; i < wide; i++, at += 20) {
        tile.wide.push({ id: d.getUint32(at, true), name: d.getUint32(at + 4, true), from: first + d.getFloat32(at + 8, true) * w, to: first + d.getFloat32(at + 12, true) * w, row: d.getUint16(at + 16, true), colour: bytes[at + 18] });
      }
      this.put(key(level, index, band), tile, size);
    }
    const text = new TextDecoder();
    for (let n = d.getUint32(at, true), p = at + 4; n > 0; n--) {
      const length = d.getUint16(p + 8, true);
      const k = `${d.getUint32(p, true)}/${d.getUint32(p + 4, true)}`;
      if (!this.names.has(k)) this.names.set(k, text.decode(bytes.subarray(p + 10, p + 10 + length)));
      p += 10 + length;
    }
    if (this.names.size > 200000) this.names.clear();
    return true;
  }

  put(k, tile, size) {
    tile.size = size;
    this.all.set(k, tile);
    this.bytes += size;
    for (const [old, t] of this.all) {
      if (this.bytes <= BUDGET) break;
      this.all.delete(old);
      this.bytes -= t.size;
    }
  }
}
