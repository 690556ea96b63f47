// A trace whose names are markup, scripts, megabytes and control characters is shown as
// text, and nothing of it runs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, open, overflows, settled, view } from './lib.mjs';

const evil = ['<script>window.evil=1</script>', '"><img src=x onerror="window.evil=1">', "'-alert(1)-'", '{{constructor.constructor("window.evil=1")()}}', 'javascript:window.evil=1', '=HYPERLINK("http://example.invalid","x")',
  '\u202Eevil\u202C', '\u0000\u001b[31mred', '</title><svg onload=window.evil=1>', '__proto__', 'constructor', '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 🎬'.repeat(50), 'm'.repeat(1 << 20), '<b>'.repeat(1 << 18)];

export async function hostile(browser, folder) {
  const events = [{ ph: 'M', name: 'process_name', pid: 1, args: { name: evil[0] } }, { ph: 'M', name: 'thread_name', pid: 1, tid: 1, args: { name: evil[1] } }];
  evil.forEach((name, i) => {
    events.push({ ph: 'X', cat: 'user_annotation', name, pid: 1, tid: 1, ts: 1000 * i, dur: 900, args: { 'Input Dims': [[evil[0]]] } });
    events.push({ ph: 'X', cat: 'cpu_op', name, pid: 1, tid: 1, ts: 1000 * i + 10, dur: 300, args: { 'External id': i + 1 } });
    events.push({ ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 1, tid: 1, ts: 1000 * i + 20, dur: 50, args: { correlation: i + 1, 'External id': i + 1 } });
    events.push({ ph: 'X', cat: 'kernel', name, pid: 0, tid: 7, ts: 1000 * i + 100, dur: 700, args: { device: 0, stream: 7, correlation: i + 1 } });
    events.push({ ph: 'C', cat: 'x', name, pid: 1, ts: 1000 * i, args: { v: i } });
  });
  const file = join(folder, 'hostile <img src=x onerror=window.evil=1>.json');
  writeFileSync(file, JSON.stringify({ schemaVersion: 1, deviceProperties: [{ id: 0, name: evil[0] }], distributedInfo: { rank: 0, world_size: 1 }, traceEvents: events }));
  const server = await view([file, '--compare', file]);
  const page = await open(browser, server.url);
  const sound = async (what) => {
    const state = await page.evaluate(() => ({ evil: window.evil, scripts: document.querySelectorAll('script').length, images: document.querySelectorAll('main img').length, handlers: document.querySelectorAll('[onerror], [onload]').length }));
    check(state.evil === undefined && state.scripts === 1 && state.images === 0 && state.handlers === 0, `hostile names are text in ${what}`, JSON.stringify(state));
    check(!(await overflows(page)), `hostile names do not widen ${what}`);
  };
  try {
    await page.waitForSelector('.page section');
    await sound('the overview');
    await page.goto(`${server.url}?v=timeline`);
    await settled(page);
    await sound('the timeline');
    for (const sel of ['0.h0', '0.d0', `0.h${3 * (evil.length - 1)}`]) {
      await page.goto(`${server.url}?v=timeline&sel=${sel}`);
      await page.waitForSelector('.detail h3');
      await sound(`the details of ${sel}`);
    }
    check((await page.textContent('.detail h3')).length < 5000, 'a name of a megabyte is cut');
    await page.goto(`${server.url}?v=timeline&q=${encodeURIComponent('<script>')}`);
    await page.waitForSelector('.detail .list li');
    await sound('a search');
    for (const v of ['tables', 'tables&table=ops.shape', 'tables&table=kernels', 'tables&table=stats.nvtx_sum', 'flame', 'flame&by=cpu', 'curves', 'compare', '%3Cscript%3Ewindow.evil=1%3C/script%3E', 'timeline&sel=%3Cimg%3E', 'timeline&follow=0.99999', 'timeline&from=NaN&to=1e999']) {
      await page.goto(`${server.url}?v=${v}`);
      await page.waitForTimeout(400);
      await sound(v);
    }
    const bad = page.faults.filter((f) => !/status of 400/.test(f)); // of references to nothing
    check(bad.length === 0, 'hostile: no fault on the page', bad.slice(0, 3).join('; '));
  } finally {
    await page.context().close();
    await server.stop();
  }
}
