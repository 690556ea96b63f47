// What the timeline draws is compared, pixel by pixel, with what every single range
// says: a trace is made of which all times are known, and opened.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, open, settled, view } from './lib.mjs';

// made is a thread of ranges that do not overlap, of one name: bursts, gaps, ranges
// that last nothing, and some long ones.
function made(n) {
  let seed = 12345, t = 1000;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  const list = [];
  for (let i = 0; i < n; i++) {
    const long = random() < 0.002, dur = random() < 0.05 ? 0 : Math.floor(Math.exp(random() * (long ? 14 : 8)));
    list.push([t, dur]);
    t += dur + (random() < 0.3 ? 0 : Math.floor(Math.exp(random() * 9)));
  }
  return list;
}

export async function pixels(browser, folder) {
  const list = made(40000), file = join(folder, 'pixels.json');
  writeFileSync(file, JSON.stringify({ traceEvents: list.map(([ts, dur]) => ({ ph: 'X', cat: 'cpu_op', name: 'x', pid: 1, tid: 1, ts: ts / 1000, dur: dur / 1000 })) }));
  const server = await view([file]);
  const page = await open(browser, `${server.url}?v=timeline`);
  const end = list.at(-1)[0] + list.at(-1)[1] - list[0][0];
  try {
    for (const [from, to] of [[0, end], [end * 0.2, end * 0.5], [end * 0.31, end * 0.33], [end * 0.6, end * 0.6005], [end * 0.7, end * 0.7 + 900]]) {
      await page.evaluate(([a, b]) => globalThis.reelTimeline.show(a, b), [from, to]);
      await settled(page);
      const wrong = await page.evaluate(({ list, first }) => {
        const t = globalThis.reelTimeline, v = t.view, r = t.rows.list.find((x) => x.track !== undefined && t.run.tracks[x.track].kind === 'host');
        const { pixels } = t.painter.buffer(t.canvas.lanes), W = t.canvas.lanes.width, y = Math.round(r.y * t.ratio) + 4, seen = pixels.subarray(y * W, y * W + W);
        const colour = [...t.tiles.all.values()].flatMap((x) => x.rows.filter(Boolean).flatMap((row) => [...row].filter((p) => p & 255).map((p) => p >> 8)))[0];
        const table = t.painter.palette.table, edges = new Set(), cover = new Float64Array(W), any = new Uint8Array(W);
        for (const [at, dur] of list) {
          const a = v.x(at - first), b = v.x(at - first + dur);
          if (b < -1 || a > W + 1) continue;
          if (b - a >= 3) edges.add(Math.round(a));
          for (let x = Math.max(0, Math.floor(a)); x < W && (x < b || x === Math.floor(a)); x++) { any[x] = 1; cover[x] += Math.max(0, Math.min(b, x + 1) - Math.max(a, x)); }
        }
        let bad = 0, drawn = 0;
        for (let x = 0; x < W; x++) {
          if (edges.has(x)) continue;
          const q = any[x] ? Math.floor(1.5 + 254 * Math.min(1, cover[x])) : 0;
          const fits = any[x] ? [q - 1, q, q + 1].filter((k) => k > 0 && k < 256).some((k) => table[colour << 8 | k] === seen[x]) : seen[x] === t.painter.palette.page;
          if (any[x]) drawn++;
          if (!fits) bad++;
        }
        return { bad, drawn, W, level: t.painter.level };
      }, { list, first: list[0][0] });
      check(wrong.bad === 0 && wrong.drawn > 0, `pixels from ${Math.round(from)} to ${Math.round(to)} ns are those of every range`, JSON.stringify(wrong));
    }
    check(page.faults.length === 0, 'pixels: no fault on the page', page.faults.join('; '));
  } finally {
    await page.context().close();
    await server.stop();
  }
}
