// What of the run's time is on the screen, and how it moves.

export const minLevel = -24;
const MOST = 1.25; // of the run is on the screen

export class View {
  constructor(end) {
    this.end = end;
    this.from = 0;
    this.scale = 1; // ns per pixel of the device
    this.width = 1; // pixels of the device
    this.wanted = undefined; // {from, to} before it was fitted to the width
  }

  get to() { return this.from + this.scale * this.width; }
  get level() { return Math.log2(this.scale) * 8; }

  x(t) { return (t - this.from) / this.scale; }
  t(x) { return this.from + x * this.scale; }

  // resize keeps what is shown.
  resize(width) {
    this.width = Math.max(1, width);
    if (this.wanted) this.set(this.wanted.from, this.wanted.to);
    else this.fit();
  }

  fit() { this.set(0, this.end); }

  // set shows [from, to) and a bit more: columns of pixels are columns of tiles. Addresses
  // round to a nanosecond, which is not to lead to the next scale.
  set(from, to) {
    if (!(to > from && to - from < 2 * this.end)) { from = 0; to = this.end; }
    const middle = (from + to) / 2;
    this.scale = Math.max(to - from - 1, this.width * 2 ** (minLevel / 8)) / this.width;
    this.snap(middle, this.width / 2, true);
    if (to - from > this.end * 0.98) this.from = Math.floor(Math.max(0, from) / this.scale) * this.scale;
    const moved = this.bound();
    this.wanted = { from: from + moved, to: to + moved };
  }

  // snap moves to the next scale that tiles have, keeping instant t at pixel x.
  snap(t, x, up) {
    const level = Math.max(minLevel, up ? Math.ceil(this.level - 1e-6) : Math.round(this.level));
    this.scale = 2 ** (level / 8);
    this.from = Math.round((t - x * this.scale) / this.scale) * this.scale;
  }

  // zoom by a factor around pixel x.
  zoom(factor, x) {
    const t = this.t(x), most = this.end / this.width * MOST;
    this.scale = Math.min(Math.max(this.scale * factor, 2 ** (minLevel / 8)), Math.max(most, 2 ** (minLevel / 8)));
    this.from = t - x * this.scale;
    this.bound();
    this.keep();
  }

  // pan by pixels.
  pan(px) {
    this.from += px * this.scale;
    this.bound();
    this.keep();
  }

  // centre brings instant t into the middle.
  centre(t) {
    this.from = Math.round(t / this.scale - this.width / 2) * this.scale;
    this.bound();
    this.keep();
  }

  keep() { this.wanted = { from: this.from, to: this.to }; }

  // settle ends a movement at a scale of tiles, with whole pixels.
  settle(x) {
    this.snap(this.t(x), x, false);
    this.bound();
    this.keep();
  }

  get settled() {
    return Math.abs(this.level - Math.round(this.level)) < 1e-6 && Math.abs(this.from / this.scale - Math.round(this.from / this.scale)) < 1e-5;
  }

  // bound keeps some of the run on the screen, and returns by how much it had to move.
  bound() {
    const span = this.scale * this.width, slack = Math.round(this.width * 0.1) * this.scale;
    const low = -slack, high = Math.max(this.end + slack - span, low), before = this.from;
    if (this.from < low) this.from = Math.ceil(low / this.scale) * this.scale;
    else if (this.from > high) this.from = Math.floor(high / this.scale) * this.scale;
    return this.from - before;
  }
}
