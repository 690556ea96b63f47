// The gesture of perf.mjs in speedscope: SPEEDSCOPE_FILE is what it opens.
import { createReadStream, statSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { launch } from './lib.mjs';

const dist = join(process.env.REEL_NODE, 'node_modules/speedscope/dist/release'), file = process.env.SPEEDSCOPE_FILE;
const kinds = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.json': 'application/json' };
const server = createServer((request, reply) => {
  const path = new URL(request.url, 'http://x').pathname, real = path === '/x.json' ? file : join(dist, normalize(path));
  reply.setHeader('Content-Type', kinds[extname(real)] ?? 'application/octet-stream');
  createReadStream(real).on('error', () => { reply.statusCode = 404; reply.end(); }).pipe(reply);
}).listen(0, '127.0.0.1');
await new Promise((done) => server.once('listening', done));
const quantile = (list, q) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(q * list.length))];
const browser = await launch();
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const began = performance.now();
  await page.goto(`http://127.0.0.1:${server.address().port}/index.html#profileURL=${encodeURIComponent('/x.json')}`);
  await page.waitForFunction(() => document.querySelectorAll('canvas').length > 1, null, { timeout: 300000 });
  console.log(`speedscope: ${(statSync(file).size / 2 ** 20).toFixed(0)} MiB shown after ${((performance.now() - began) / 1000).toFixed(1)} s`);
  await page.waitForTimeout(2000);
  const frames = await page.evaluate(async () => {
    const frames = [], keys = { d: [0, 68], a: [0, 65], w: [0, 87], s: [0, 83] };
    let last, on = true;
    const tick = (now) => { if (last) frames.push(now - last); last = now; if (on) requestAnimationFrame(tick); };
    requestAnimationFrame(tick);
    // speedscope moves by wheel; the same times and directions as in perf.mjs.
    const canvas = [...document.querySelectorAll('canvas')].at(-1), box = canvas.getBoundingClientRect();
    const target = document.elementFromPoint(box.x + box.width * 0.4, box.y + box.height / 2) ?? canvas;
    const roll = async (deltaX, deltaY, ms, zoom) => {
      const end = performance.now() + ms;
      while (performance.now() < end) {
        target.dispatchEvent(new WheelEvent('wheel', { deltaX, deltaY, clientX: box.x + box.width * 0.4, clientY: box.y + box.height / 2, ctrlKey: zoom, bubbles: true, cancelable: true }));
        await new Promise((r) => requestAnimationFrame(r));
      }
      await new Promise((r) => setTimeout(r, 300));
    };
    await roll(20, 0, 800);
    await roll(-20, 0, 800);
    await roll(0, -6, 2200, true);
    await roll(20, 0, 1500);
    await roll(-20, 0, 1500);
    await roll(0, 6, 2600, true);
    await roll(20, 0, 600);
    on = false;
    return frames;
  });
  console.log(`speedscope: frames: median ${quantile(frames, 0.5).toFixed(1)}, p95 ${quantile(frames, 0.95).toFixed(1)}, longest ${Math.max(...frames).toFixed(1)} ms (${frames.length}): ${(1000 / quantile(frames, 0.5)).toFixed(0)} frames/s`);
  const { processInfo } = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo');
  console.log(`speedscope: renderer processes ${processInfo.filter((p) => p.type === 'renderer').map((p) => (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${p.id}/status`, 'utf8'))[1]) / 1024).toFixed(0)).join(', ')} MiB resident`);
} finally {
  await browser.close();
  server.close();
}
