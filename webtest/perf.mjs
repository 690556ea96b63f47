// Measures the timeline on a recording of ten million ranges: REEL_BIG is the file.
// One scripted gesture: zoom in from the full view, move along, zoom out to the full
// view again, and move there.
import { readFileSync } from 'node:fs';
import { launch, open, settled, view } from './lib.mjs';

const quantile = (list, q) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(q * list.length))];
const show = (name, list) => `${name}: median ${quantile(list, 0.5).toFixed(1)}, p95 ${quantile(list, 0.95).toFixed(1)}, longest ${Math.max(...list).toFixed(1)} ms (${list.length})`;

// REEL_URL is a server that has the recording already.
const server = process.env.REEL_URL ? { url: process.env.REEL_URL, stop() {} } : await view([process.env.REEL_BIG, '--no-follow']);
const browser = await launch(['--enable-precise-memory-info']);
try {
  // The first paint: from the request to the picture of the tiles.
  for (const round of [1, 2, 3]) {
    const began = performance.now();
    const page = await open(browser, `${server.url}?v=timeline`);
    await page.waitForFunction(() => globalThis.reelTimeline?.tiles.all.size > 0 && globalThis.reelTimeline.costs?.length > 1);
    const first = performance.now() - began;
    await settled(page);
    console.log(`first paint of the timeline ${first.toFixed(0)} ms, complete ${(performance.now() - began).toFixed(0)} ms (run ${round})`);
    if (round < 3) await page.context().close();
    else await gesture(page);
  }
  const began = performance.now();
  const page = await open(browser, server.url);
  await page.waitForSelector('.page section');
  console.log(`first paint of the overview ${(performance.now() - began).toFixed(0)} ms`);
} finally {
  await browser.close();
  await server.stop();
}

async function gesture(page) {
  const client = await page.context().newCDPSession(page);
  const out = await page.evaluate(async () => {
    const t = globalThis.reelTimeline, frames = [], at = {};
    t.costs = [];
    t.tiles.times = [];
    performance.setResourceTimingBufferSize(10000);
    performance.clearResourceTimings();
    let last, on = true;
    const tick = (now) => { if (last) frames.push(now - last); last = now; if (on) requestAnimationFrame(tick); };
    requestAnimationFrame(tick);
    const key = (type, k) => document.dispatchEvent(new KeyboardEvent(type, { key: k, bubbles: true }));
    const hold = async (k, ms, name) => {
      const from = frames.length, cost = t.costs.length;
      key('keydown', k);
      await new Promise((r) => setTimeout(r, ms));
      key('keyup', k);
      at[name] = { frames: frames.slice(from), costs: t.costs.slice(cost) };
      await new Promise((r) => setTimeout(r, 300));
    };
    t.motion.mouse = t.view.width * 0.4;
    await hold('d', 800, 'move, full view');
    await hold('a', 800, 'move back');
    await hold('w', 2200, 'zoom in');
    await hold('d', 1500, 'move, deep');
    await hold('a', 1500, 'move back, deep');
    await hold('s', 2600, 'zoom out');
    await hold('d', 600, 'move, full view again');
    on = false;
    const net = performance.getEntriesByType('resource').filter((e) => e.name.includes('api/tile')).map((e) => ({ wait: e.requestStart - e.startTime, server: e.responseStart - e.requestStart, body: e.responseEnd - e.responseStart, url: e.name.split('?')[1] }));
    return { at, net, times: t.tiles.times, kept: t.tiles.bytes, heap: performance.memory?.usedJSHeapSize };
  });
  const frames = [], costs = [];
  for (const [name, x] of Object.entries(out.at)) {
    frames.push(...x.frames);
    costs.push(...x.costs);
    console.log(`  ${name}: ${(1000 / quantile(x.frames, 0.5)).toFixed(0)} frames/s, drawing ${quantile(x.costs, 0.5).toFixed(1)} ms, p95 ${quantile(x.costs, 0.95).toFixed(1)} ms`);
  }
  console.log(`  ${show('frames', frames)}: ${(1000 / quantile(frames, 0.5)).toFixed(0)} frames/s`);
  console.log(`  ${show('drawing', costs)}`);
  console.log(`  ${show('tile replies, from the request to the first byte', out.net.map((e) => e.server))}`);
  console.log(`  ${show('tiles, from asking to the last byte in the page', out.times)}`);
  if (process.env.SLOWEST) for (const e of out.net.sort((a, b) => b.server - a.server).slice(0, 8)) console.log(`    ${e.wait.toFixed(1)} + ${e.server.toFixed(1)} + ${e.body.toFixed(1)} ms ${e.url}`);
  await client.send('HeapProfiler.enable');
  await client.send('HeapProfiler.collectGarbage');
  const heap = await client.send('Runtime.getHeapUsage');
  const { processInfo } = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter((p) => p.type === 'renderer').map((p) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${p.id}/status`, 'utf8'))[1]) / 1024);
  console.log(`  page memory: heap ${(heap.usedSize / 2 ** 20).toFixed(0)} MiB of ${(heap.totalSize / 2 ** 20).toFixed(0)}, tiles ${(out.kept / 2 ** 20).toFixed(1)} MiB, renderer processes ${renderers.map((r) => r.toFixed(0)).join(', ')} MiB resident`);
}
