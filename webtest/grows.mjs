// A run that grows while one looks at it: names, what is chosen, and what was done by hand
// stay right; a page of an empty run comes to life.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, open, settled, view } from './lib.mjs';

// write makes a trace of n steps; first, as many calls stand before them, so that all
// that is counted moves.
function write(folder, n, first = 0) {
  const x = (cat, name, ts, dur, args) => ({ ph: 'X', cat, name, pid: 1, tid: 1, ts, dur, args });
  const events = [{ ph: 'M', name: 'process_name', pid: 1, args: { name: 'python' } }];
  for (let i = 0; i < first; i++) events.push(x('cpu_op', `early::call_${i}`, 10 + i, 0.5));
  for (let i = 0; i < n; i++) {
    const at = 1000 * (i + 1);
    events.push(x('user_annotation', `model.step[${i}]`, at, 900), x('cpu_op', `aten::op_${i}`, at + 10, 400), { ph: 'i', s: 't', cat: 'user_annotation', name: `present.frame [step ${i}]`, pid: 1, tid: 1, ts: at + 950 });
    events.push(x('cuda_runtime', 'cudaLaunchKernel', at + 20, 50, { correlation: i + 1 }), { ph: 'X', cat: 'kernel', name: `kernel_${i}`, pid: 0, tid: 7, ts: at + 100, dur: 700, args: { device: 0, stream: 7, correlation: i + 1 } });
  }
  if (n) events.push(x('user_annotation', 'beginning', 0, 1));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'new'), JSON.stringify({ schemaVersion: 1, traceEvents: events }));
  renameSync(join(folder, 'new'), join(folder, 'trace.json'));
}

// grow writes the trace and waits until the page shows it.
async function grow(page, folder, n, first) {
  const before = await page.evaluate(async () => (await (await fetch('api/run')).json()).generation);
  const shown = page.waitForFunction((g) => performance.getEntriesByName('reel-shown').length > g, await page.evaluate(() => performance.getEntriesByName('reel-shown').length), { timeout: 30000 });
  write(folder, n, first);
  await shown;
  check(await page.evaluate(async () => (await (await fetch('api/run')).json()).generation) > before, 'grows: the server has read the run again');
  await page.waitForTimeout(300);
}

export async function grows(browser, folder) {
  for (const f of [empty, timeline, byHand]) await f(browser, join(folder, f.name)).catch((e) => check(false, `grows: ${f.name}`, e.stack));
}

async function opened(browser, folder, n, more, f) {
  write(folder, n);
  const server = await view([folder]), page = await open(browser, `${server.url}${more}`);
  try {
    await f(page);
    check(page.faults.length === 0, `grows, ${more}: no fault on the page`, page.faults.slice(0, 3).join('; '));
  } finally {
    await page.context().close();
    await server.stop();
  }
}

async function empty(browser, folder) {
  await opened(browser, folder, 0, '', async (page) => {
    for (const v of ['timeline', 'tables', 'flame', 'curves', 'overview']) {
      await page.goto(new URL(`?v=${v}`, page.url()).href);
      await page.waitForSelector('.page section');
      check(/holds no range, mark or device activity/.test(await page.textContent('main')), `grows: the ${v} of an empty run says so`);
    }
    await page.keyboard.press('2');
    await grow(page, folder, 3);
    await settled(page);
    check(await page.locator('.names button').count() > 2, 'grows: the timeline of an empty run comes to life');
  });
}

async function timeline(browser, folder) {
  await opened(browser, folder, 4, '?v=timeline', async (page) => {
    await settled(page);
    const choose = (q) => page.evaluate(async (q) => { const hit = (await (await fetch(`api/search?q=${encodeURIComponent(q)}`)).json()).hits[0]; await globalThis.reelTimeline.chosen.choose(hit.ref, 'there'); return hit.ref; }, q);
    const ref = await choose('aten::op_2');
    await grow(page, folder, 6, 50);
    await page.waitForFunction((ref) => globalThis.reelTimeline.chosen.item?.ref !== ref, ref);
    const now = await page.evaluate(() => ({ name: globalThis.reelTimeline.chosen.item?.name, ref: globalThis.reelTimeline.chosen.item?.ref }));
    check(now.name === 'aten::op_2' && page.url().includes(`sel=${now.ref}`) && /aten::op_2/.test(await page.textContent('.detail h3')), 'grows: what is chosen is found again', JSON.stringify([ref, now, page.url()]));
    await page.keyboard.press('0');
    await settled(page);
    const wrong = await page.evaluate(async () => {
      const t = globalThis.reelTimeline, { Tiles } = await import('./tiles.js'), fresh = new Tiles(t.run.generation, () => {}, () => {});
      for (const k of t.tiles.all.keys()) { const [l, i, b] = k.split('/').map(Number); await fresh.ask(l, i, [b]); }
      return [...t.tiles.names].filter(([k, name]) => (fresh.names.get(k) ?? name) !== name);
    });
    check(wrong.length === 0, 'grows: names are those of the run as it is', JSON.stringify(wrong.slice(0, 3)));
    // Words at the mouse.
    const spot = await page.evaluate(() => {
      const t = globalThis.reelTimeline, r = t.rows.list.find((r) => t.run.tracks[r.track]?.kind === 'device'), box = t.canvas.lanes.getBoundingClientRect();
      return { x: box.left + t.view.x(2.5e6) / t.ratio, y: box.top + r.y - t.lanes.scrollTop + 8 };
    });
    await page.mouse.move(spot.x, spot.y);
    await page.waitForSelector('.tip:not([hidden])');
    const tip = await page.textContent('.tip');
    check(/^kernel_1.*step 1.*launched by cudaLaunchKernel.*in aten::op_1$/.test(tip), 'grows: what the mouse is over is told beside it', tip);
    await page.mouse.move(4, 4);
    await page.waitForSelector('.tip', { state: 'hidden' });
    // Frames.
    await page.goto(new URL('?v=timeline&sel=0.f2', page.url()).href);
    await page.getByRole('button', { name: 'follow this frame' }).click();
    await page.waitForFunction(() => globalThis.reelTimeline.chosen.chain?.story.frame === 2);
    await page.goto(new URL('?v=timeline&sel=0.f2', page.url()).href);
    await page.waitForFunction(() => globalThis.reelTimeline.chosen.item?.class === 'frame');
    await page.keyboard.press(']');
    await page.waitForFunction(() => globalThis.reelTimeline.chosen.chain?.story.frame === 3);
    check(page.url().includes('follow=0.3'), 'grows: a shown frame leads to following it and those beside', page.url());
    await page.keyboard.press('Escape');
    await choose('aten::op_5');
    await grow(page, folder, 3);
    await page.waitForFunction(() => !globalThis.reelTimeline.chosen.item);
    check(!page.url().includes('sel='), 'grows: what is gone is let go', page.url());
  });
}

async function byHand(browser, folder) {
  await opened(browser, folder, 4, '?v=tables', async (page) => {
    const filter = page.locator('section input[type=search]');
    await filter.waitFor();
    await filter.fill('op_');
    await page.locator('th button', { hasText: 'name' }).click();
    await filter.focus();
    const first = await page.textContent('tbody td');
    await grow(page, folder, 6, 3);
    check(await page.locator('tbody tr').count() === 6 && await filter.inputValue() === 'op_' && await page.textContent('tbody td') === first, 'grows: a table stays filtered and sorted', `${await page.locator('tbody tr').count()} rows, ${await filter.inputValue()}`);
    check(await filter.evaluate((e) => e === document.activeElement), 'grows: one can go on typing the filter');
    await filter.blur();
    await page.keyboard.press('4');
    await page.waitForFunction(() => /everything/.test(document.querySelector('.page .note')?.textContent));
    await page.locator('.flame canvas').click({ position: { x: 200, y: 30 } });
    const name = (await page.textContent('.page .note')).split(' · ')[0];
    await grow(page, folder, 8, 3);
    check(name !== 'everything' && (await page.textContent('.page .note')).startsWith(name), 'grows: a stack stays open', await page.textContent('.page .note'));
    await page.keyboard.press('1');
    const details = page.locator('details').first();
    await details.locator('summary').click();
    await grow(page, folder, 9, 3);
    check(await details.getAttribute('open') !== null, 'grows: what was opened stays open');
    // A page that is not seen keeps no connection.
    const closed = await page.evaluate(() => { const real = EventSource.prototype.close; let n = 0; EventSource.prototype.close = function close() { n++; real.call(this); }; Object.defineProperty(document, 'hidden', { value: true, configurable: true }); document.dispatchEvent(new Event('visibilitychange')); return n; });
    check(closed === 1, 'grows: a hidden page does not follow the run');
    write(folder, 10, 3);
    await page.waitForTimeout(300);
    const shown = page.waitForFunction(() => performance.getEntriesByName('reel-shown').length > 4, null, { timeout: 30000 });
    await page.evaluate(() => { delete document.hidden; document.dispatchEvent(new Event('visibilitychange')); });
    await shown;
    check(true, 'grows: a page that is seen again catches up');
  });
}
