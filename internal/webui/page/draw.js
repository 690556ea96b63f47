// Draws rows of the timeline from tiles, pixel by pixel, so that the cost is that of the
// pixels and not of what lies behind them.

import { COLS, widthOf } from "./tiles.js";

// nearest returns the level whose tiles show the stretch best: the wanted one, else the
// closest of those that are here; undefined when there is none.
export function nearest(tiles, band, wanted, levels, from, to) {
  let best, least = Infinity;
  for (const level of levels) {
    const off = level > wanted ? (level - wanted) * 1.01 : wanted - level;
    if (off >= least) continue;
    const w = widthOf(level) * COLS, first = Math.floor(from / w), last = Math.floor(to / w);
    if (last - first > 64 || !tiles.has(level, first, last, band)) continue;
    best = level;
    least = off;
  }
  return best;
}

// line fills one row of pixels: out[x] is the palette's colour for each column of width
// scale ns from the instant from on. It reports whether anything was there.
export function line(tiles, band, row, level, from, scale, out, palette) {
  const w = widthOf(level), n = out.length;
  let any = false;
  const exact = Math.abs(w - scale) < scale * 1e-9 && Math.abs(from / w - Math.round(from / w)) < 1e-6;
  if (exact) {
    const start = Math.round(from / w);
    for (let x = 0; x < n;) {
      const bin = start + x, index = Math.floor(bin / COLS), at = bin - index * COLS, m = Math.min(COLS - at, n - x);
      const data = tiles.get(level, index, band)?.rows[row];
      if (!data) out.fill(palette.page, x, x + m);
      else {
        any = true;
        for (let i = 0; i < m; i++) {
          const v = data[at + i];
          out[x + i] = v & 255 ? palette.table[v] : palette.page;
        }
      }
      x += m;
    }
    return any;
  }
  let index = NaN, data;
  for (let x = 0; x < n; x++) {
    const a = (from + x * scale) / w, e = a + scale / w;
    let sum = 0, best = 0, most = -1, seen = 0;
    for (let bin = Math.floor(a); bin < e; bin++) {
      const i = Math.floor(bin / COLS);
      if (i !== index) data = tiles.get(level, index = i, band)?.rows[row];
      if (!data) continue;
      const v = data[bin - i * COLS], cover = v & 255;
      if (!cover) continue;
      const part = Math.min(e, bin + 1) - Math.max(a, bin), share = (cover - 1) / 254 * part;
      seen = 1;
      sum += share;
      if (share > most) { most = share; best = v >> 8; }
    }
    if (seen) {
      any = true;
      out[x] = palette.table[best << 8 | Math.max(1, Math.min(255, Math.round(1 + 254 * sum * w / scale)))];
    } else out[x] = palette.page;
  }
  return any;
}

// darker is a colour of the buffer, towards black or, at night, the page.
export const edge = (v, page) => ((255 << 24) | mix(v >> 16, page >> 16) << 16 | mix(v >> 8, page >> 8) << 8 | mix(v, page)) >>> 0;
const mix = (a, b) => ((a & 255) * 3 + (b & 255) * 5) >> 3;
