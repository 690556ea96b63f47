// Paints the three canvases of the timeline.

import { deviceShare } from "./minimap.js";
import { edge, line, nearest } from "./draw.js";
import { at as instant, dur } from "./format.js";
import { hex, palette } from "./theme.js";
import { COLS, widthOf } from "./tiles.js";
import { key, ROW } from "./rows.js";
import { ticks } from "./charts.js";

const LABEL = 34; // pixels of the page from which a name is written

export class Painter {
  constructor(t) {
    this.t = t;
    this.levels = new Set(); // levels of which tiles may be here
    this.recolour();
  }

  recolour() {
    this.palette = palette(this.t.run.colours);
    this.ink = { text: hex("--text"), soft: hex("--soft"), line: hex("--line"), card: hex("--card"), select: hex("--select"), shade: hex("--track") };
  }

  forget() { this.levels.clear(); }
  sized() { this.buffers = undefined; }

  // buffer is the pixels of a canvas.
  buffer(canvas) {
    this.buffers ??= new Map();
    let b = this.buffers.get(canvas);
    if (!b) {
      const image = new ImageData(canvas.width, canvas.height);
      b = { image, pixels: new Uint32Array(image.data.buffer), ctx: canvas.getContext("2d", { alpha: false }) };
      this.buffers.set(canvas, b);
    }
    return b;
  }

  draw() {
    const t = this.t, v = t.view;
    t.tiles.frame = (t.tiles.frame ?? 0) + 1;
    this.want = [];
    // Moving, tiles of each eighth level do; at rest those of the very pixels.
    this.level = v.settled && !t.motion.moving ? Math.round(v.level) : Math.floor(v.level / 8 + 1e-9) * 8;
    this.levels.add(this.level);
    if (this.levels.size > 40) this.levels = new Set([...this.levels].slice(-24));
    this.lanes();
    this.pinned();
    this.mini();
    this.ahead();
    t.tiles.want(this.want);
  }

  // rows paints tracks: list has {track, y, rows} in pixels of the device.
  rows(canvas, list, top) {
    const t = this.t, v = t.view, { image, pixels, ctx } = this.buffer(canvas), W = canvas.width, H = canvas.height, high = Math.round(ROW * t.ratio);
    pixels.fill(this.palette.page);
    const labels = [];
    for (const r of list) {
      const track = t.run.tracks[r.track];
      for (let row = 0; row < r.rows; row++) {
        const y = Math.round((r.y + row * ROW) * t.ratio - top), band = track.band + (row >> 4);
        if (y + high <= 0 || y >= H) continue;
        const level = this.levelFor(band);
        if (level === undefined) continue;
        const y0 = Math.max(0, y), y1 = Math.min(H, y + high - Math.max(1, Math.round(t.ratio)));
        if (y1 <= y0) continue;
        const first = pixels.subarray(y0 * W, y0 * W + W);
        if (!line(t.tiles, band, row & 15, level, v.from, v.scale, first, this.palette)) continue;
        this.wide(band, row & 15, level, first, y, track, labels);
        for (let k = y0 + 1; k < y1; k++) pixels.copyWithin(k * W, y0 * W, y0 * W + W);
      }
    }
    ctx.putImageData(image, 0, 0);
    this.write(ctx, labels, high);
    return ctx;
  }

  // levelFor is the best level that is here for a band, and notes what should be.
  levelFor(band) {
    if (this.memo?.frame !== this.t.tiles.frame) this.memo = { frame: this.t.tiles.frame, of: new Map() };
    if (this.memo.of.has(band)) return this.memo.of.get(band);
    const v = this.t.view, w = widthOf(this.level) * COLS;
    for (let i = Math.floor(v.from / w); i <= Math.floor(v.to / w); i++) this.want.push([this.level, i, band]);
    const level = nearest(this.t.tiles, band, this.level, this.levels, v.from, v.to);
    this.memo.of.set(band, level);
    return level;
  }

  // ahead asks for what lies beside the view, once the view itself is here.
  ahead() {
    const v = this.t.view, w = widthOf(this.level) * COLS, bands = [...this.memo?.of.keys() ?? []];
    const first = Math.floor(v.from / w), last = Math.floor(v.to / w);
    for (const i of [last + 1, first - 1]) if ((i + 1) * w > 0 && i * w < this.t.run.end_ns) for (const b of bands) this.want.push([this.level, i, b]);
  }

  // wide marks where intervals begin, and collects the names that have room.
  wide(band, row, level, first, y, track, labels) {
    const t = this.t, v = t.view, w = widthOf(level) * COLS, least = LABEL * t.ratio;
    let last = -1;
    for (let i = Math.floor(v.from / w); i <= Math.floor(v.to / w); i++) {
      for (const s of t.tiles.get(level, i, band)?.wide ?? []) {
        if (s.row !== row) continue;
        const a = v.x(s.from), b = v.x(s.to);
        if (b < 0 || a > first.length || b - a < 3) continue;
        const x = Math.round(a);
        if (x > 0 && x < first.length) first[x] = edge(first[x], this.palette.page);
        if (b - a < least || s.id === last) continue;
        last = s.id;
        labels.push({ x: Math.max(a, 0), w: Math.min(b, first.length) - Math.max(a, 0), y, s, rank: track.rank });
      }
    }
  }

  write(ctx, labels, high) {
    const t = this.t, each = 6.15 * t.ratio;
    if (labels.length > 500) labels = labels.sort((a, b) => b.w - a.w).slice(0, t.motion.moving ? 220 : 500);
    ctx.font = `${11 * t.ratio}px system-ui, sans-serif`;
    ctx.textBaseline = "middle";
    const q = t.finds.hits && t.search.value.toLowerCase();
    for (const l of labels) {
      let name = t.tiles.names.get(`${l.rank}/${l.s.name}`);
      if (!name) continue;
      if (q && name.toLowerCase().includes(q)) {
        ctx.strokeStyle = this.ink.text;
        ctx.lineWidth = 2 * t.ratio;
        ctx.strokeRect(l.x + 1, l.y + 1, l.w - 2, high - 3 * t.ratio);
      }
      const room = Math.floor((l.w - 7 * t.ratio) / each);
      if (room < 3) continue;
      name = shorten(name, room);
      ctx.fillStyle = this.palette.text[l.s.colour];
      ctx.fillText(name, l.x + 4 * t.ratio, l.y + high / 2 - t.ratio * 0.2, l.w - 6 * t.ratio);
    }
  }

  lanes() {
    const t = this.t, top = t.lanes.scrollTop, H = t.lanes.clientHeight;
    const list = t.rows.list.filter((r) => r.track !== undefined && r.y < top + H && r.y + r.height > top);
    const ctx = this.rows(t.canvas.lanes, list, Math.round(top * t.ratio));
    this.overlay(ctx, t.canvas.lanes, (p) => {
      const r = t.rows.of.get(p.track);
      return r && p.row < r.rows ? (r.y + p.row * ROW - top) * t.ratio : undefined;
    });
  }

  pinned() {
    const t = this.t, c = t.canvas.pinned, i = t.run.tracks.findIndex((x) => x.kind === "plan");
    const ctx = this.rows(c, t.pinnedRows ? [{ track: i, y: 22, rows: t.pinnedRows }] : [], 0);
    this.overlay(ctx, c, (p) => (p.track === i && p.row < t.pinnedRows ? (22 + p.row * ROW) * t.ratio : undefined));
    this.axis(ctx, c.width);
  }

  axis(ctx, W) {
    const t = this.t, v = t.view, r = t.ratio;
    const list = ticks(v.from, v.to, Math.max(2, W / r / 110));
    ctx.font = `${11 * r}px system-ui, sans-serif`;
    ctx.textBaseline = "top";
    const scale = list.length > 1 ? (list[1].t - list[0].t) / 100 : v.scale;
    for (const k of list) {
      const x = Math.round(v.x(k.t));
      ctx.fillStyle = this.ink.line;
      ctx.fillRect(x, 14 * r, 1, 6 * r);
      ctx.fillStyle = this.ink.soft;
      ctx.fillText(instant(k.t, scale), x + 3 * r, 4 * r);
    }
    const s = t.chosen.span;
    if (!s) return;
    const a = v.x(s.from), b = v.x(s.to), text = dur(s.to - s.from), w = ctx.measureText(text).width + 10 * r;
    ctx.fillStyle = this.ink.select;
    ctx.fillRect(a, 19 * r, Math.max(1, b - a), 2 * r);
    const x = Math.min(Math.max((a + b) / 2 - w / 2, 0), W - w);
    ctx.fillRect(x, 2 * r, w, 16 * r);
    ctx.fillStyle = this.ink.card;
    ctx.fillText(text, x + 5 * r, 4.5 * r);
  }

  // overlay draws what is chosen over the rows; yOf places a row on this canvas.
  overlay(ctx, canvas, yOf) {
    const t = this.t, v = t.view, r = t.ratio, high = ROW * r, W = canvas.width, H = canvas.height;
    if (t.chosen.span) {
      const a = v.x(t.chosen.span.from), b = v.x(t.chosen.span.to);
      ctx.fillStyle = this.ink.select;
      ctx.globalAlpha = 0.13;
      ctx.fillRect(a, 0, Math.max(1, b - a), H);
      ctx.globalAlpha = 1;
      ctx.fillRect(a, 0, 1, H);
      ctx.fillRect(b, 0, 1, H);
    }
    if (t.chosen.chain) this.chain(ctx, W, H, yOf, high);
    if (!t.chosen.item) return;
    const places = new Map((t.chosen.item.places ?? []).map((p) => [p.ref, p]));
    const box = (ref, start, length) => {
      const p = places.get(ref), y = p && yOf(p);
      return y === undefined ? undefined : { x: v.x(start), y, w: Math.max(length / v.scale, 2) };
    };
    const me = box(t.chosen.item.ref, t.chosen.item.start_ns, t.chosen.item.duration_ns);
    const others = [t.chosen.item.launch, ...(t.chosen.item.work?.some ?? [])].filter(Boolean);
    ctx.lineWidth = 1.2 * r;
    ctx.strokeStyle = this.ink.text;
    for (const o of others) {
      const b = box(o.ref, o.start_ns, o.duration_ns);
      if (!me || !b) continue;
      const [from, to] = o === t.chosen.item.launch ? [b, me] : [me, b];
      this.arrow(ctx, from.x + Math.min(from.w, o === t.chosen.item.launch ? from.w : o.start_ns > t.chosen.item.start_ns ? from.w : 0) / 2, from.y + high / 2, to.x, to.y + high / 2);
    }
    if (me) this.outline(ctx, me.x, me.y, me.w, high);
  }

  outline(ctx, x, y, w, high) {
    const r = this.t.ratio;
    ctx.lineWidth = 2 * r;
    ctx.strokeStyle = this.ink.card;
    ctx.strokeRect(x - 2 * r, y - 2 * r, w + 4 * r, high + 3 * r);
    ctx.strokeStyle = this.ink.text;
    ctx.strokeRect(x - r * 0.5, y - r * 0.5, w + r, high);
  }

  arrow(ctx, x0, y0, x1, y1) {
    const r = this.t.ratio, bend = Math.max(20 * r, Math.abs(x1 - x0) / 2);
    ctx.beginPath();
    ctx.moveTo(x0, y0);
    ctx.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x1, y1);
    ctx.lineTo(x1 - 7 * r, y1 - 4 * r);
    ctx.lineTo(x1 - 7 * r, y1 + 4 * r);
    ctx.closePath();
    ctx.fillStyle = this.ink.text;
    ctx.fill();
  }

  // chain dims everything but the way of one frame, and draws the way.
  chain(ctx, W, H, yOf, high) {
    const t = this.t, v = t.view, r = t.ratio;
    const links = t.chosen.chain.chain.filter((c) => c.track >= 0 && c.what !== "inside").map((c) => ({ c, y: yOf(c) })).filter((l) => l.y !== undefined);
    ctx.fillStyle = this.ink.card;
    ctx.globalAlpha = 0.6;
    ctx.fillRect(0, 0, W, H);
    ctx.globalAlpha = 1;
    const { pixels } = this.buffer(ctx.canvas);
    for (const l of links) { // back to full colour
      const x = Math.max(0, Math.floor(v.x(l.c.start_ns))), w = Math.max(2, Math.min(W, Math.ceil(v.x(l.c.start_ns + l.c.duration_ns))) - x), y = Math.round(l.y);
      if (x >= W || w <= 0 || y < 0 || y + high > H) continue;
      const part = new ImageData(w, Math.round(high) - 1), to = new Uint32Array(part.data.buffer);
      for (let k = 0; k < part.height; k++) to.set(pixels.subarray((y + k) * W + x, (y + k) * W + Math.min(x + w, W)), k * w);
      ctx.putImageData(part, x, y);
      this.outline(ctx, v.x(l.c.start_ns), l.y, Math.max(2, l.c.duration_ns / v.scale), high);
    }
    ctx.lineWidth = 1.4 * r;
    ctx.strokeStyle = this.ink.text;
    for (let i = 1; i < links.length; i++) {
      const a = links[i - 1], b = links[i], end = Math.min(a.c.start_ns + a.c.duration_ns, Math.max(b.c.start_ns, a.c.start_ns));
      this.arrow(ctx, v.x(end), a.y + high / 2, v.x(b.c.start_ns), b.y + high / 2);
    }
    // Inputs stand on no track: they are marked at the top.
    ctx.font = `${11 * r}px system-ui, sans-serif`;
    ctx.textBaseline = "top";
    ctx.fillStyle = this.ink.text;
    for (const c of t.chosen.chain.chain.filter((c) => c.what === "input")) {
      const x = v.x(c.start_ns);
      ctx.fillRect(x, 0, 1.5 * r, H);
      if (canvasIsLanes(ctx, t)) ctx.fillText("input", x + 4 * r, 2 * r);
    }
  }

  mini() {
    const t = this.t, c = t.canvas.mini, ctx = c.getContext("2d", { alpha: false }), v = t.view, W = c.width, H = c.height, x = (n) => W * n / t.run.end_ns;
    if (!this.map || this.map.run !== t.run || this.map.W !== W || this.map.night !== this.palette.night) {
      this.map = { run: t.run, W, night: this.palette.night, image: deviceShare(t.run, W, H, this.ink) };
    }
    ctx.drawImage(this.map.image, 0, 0);
    const a = Math.max(0, x(v.from)), b = Math.min(W, x(v.to));
    ctx.fillStyle = this.ink.card;
    ctx.globalAlpha = 0.55;
    ctx.fillRect(0, 0, a, H);
    ctx.fillRect(b, 0, W - b, H);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = this.ink.text;
    ctx.lineWidth = t.ratio;
    ctx.strokeRect(a + 0.5, 0.5, Math.max(b - a - 1, 2), H - 1);
  }
}

const canvasIsLanes = (ctx, t) => ctx.canvas === t.canvas.lanes;

// shorten keeps both ends of a name: both tell something.
export function shorten(name, room) {
  if (name.length <= room) return name;
  const head = Math.ceil((room - 1) * 0.62);
  return `${name.slice(0, head)}…${room - 1 - head > 0 ? name.slice(-(room - 1 - head)) : ""}`;
}
