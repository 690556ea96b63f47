// Places: addresses lead to what they say, however wide the window is and whatever they
// hold; keys and searches keep the address; what fails is not asked for again and again.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, open, settled, view } from './lib.mjs';

const span = (page) => page.evaluate(() => globalThis.reelTimeline.view.to - globalThis.reelTimeline.view.from);
const detail = (page) => page.textContent('.detail').then((t) => t.replaceAll(/\s+/g, ' '));
const noted = (page) => page.waitForTimeout(350); // the address is written a moment later
const param = (page, key) => new URL(page.url()).searchParams.get(key);

// trace is two ranks of one job, of 40 steps of a second each.
function trace(folder) {
  return [0, 1].map((rank) => {
    const x = (cat, name, ts, dur, args) => ({ ph: 'X', cat, name, pid: 1, tid: 1, ts, dur, args });
    const events = [{ ph: 'M', name: 'process_name', pid: 1, args: { name: 'python' } }];
    for (let i = 0; i < 40; i++) {
      const at = 1e6 * i;
      events.push(x('user_annotation', `model.step[${i}]`, at, 9e5), x('cpu_op', `aten::op_${i % 3}`, at + 10, 4e5), x('cpu_op', `long::${'m'.repeat(300)}::${'n'.repeat(300)}`, at + 5e5, 1e5));
      for (let d = 0; d < 20; d++) events.push(x('cpu_op', `deep_${d}`, at + 100 + d, 3e5 - 2 * d));
    }
    const file = join(folder, `place-${rank}.json`);
    writeFileSync(file, JSON.stringify({ schemaVersion: 1, distributedInfo: { rank, world_size: 2 }, traceEvents: events }));
    return file;
  });
}

export async function places(browser, folder) {
  const files = trace(folder), server = await view([files[0]]);
  const page = await open(browser, `${server.url}?v=timeline`);
  try {
    await settled(page);
    for (const f of [widths, bounds, keys, names, copies, contrast]) await f(page).catch((e) => check(false, `places: ${f.name}`, e.stack));
    check(page.faults.length === 0, 'places: no fault on the page', page.faults.slice(0, 3).join('; '));
    await shared(browser, files);
    await told(browser, join(folder, 'told'));
    await page.goto(`${server.url}?v=timeline`);
    await settled(page);
  } finally {
    await server.stop();
  }
  await dead(page);
  await page.context().close();
}

// widths: what is shown depends on the width alone, not on how it came about.
async function widths(page) {
  const at = (more) => page.goto(new URL(`?v=timeline&${more}`, page.url()).href).then(() => settled(page));
  await at('from=1000000000&to=1100000000');
  const before = await span(page);
  for (let w = 1279; w > 1264; w--) { await page.setViewportSize({ width: w, height: 900 }); await page.waitForTimeout(30); }
  check(await span(page) < 1.2 * before, 'places: a window that shrinks by pixels keeps what is shown', `${before} to ${await span(page)}`);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.waitForTimeout(60);
  check(Math.abs(await span(page) - before) < 1, 'places: a window of the old width shows what it did', `${before} to ${await span(page)}`);
  for (const length of [300, 3000, 777, 333333]) {
    await at(`from=5000000000&to=${5000000000 + length}&sel=0.h100`);
    const first = await span(page);
    for (let i = 0; i < 3; i++) { await noted(page); await page.reload(); await settled(page); }
    check(Math.abs(await span(page) - first) < 1e-6 * first, `places: ${length} ns stay so when they are loaded again`, `${first} to ${await span(page)}`);
  }
}

// bounds: no address breaks the page or floods the server.
async function bounds(page) {
  for (const more of ['v=timeline&from=0&to=1e30', 'v=timeline&from=-1e300&to=1e300', 'v=timeline&from=1e18&to=2e18']) {
    let asked = 0;
    const count = (r) => { if (r.url().includes('/tile')) asked++; };
    await page.goto(new URL(`?${more}`, page.url()).href);
    page.on('request', count);
    await settled(page);
    await page.waitForTimeout(300);
    page.off('request', count);
    const v = await page.evaluate(() => ({ from: globalThis.reelTimeline.view.from, to: globalThis.reelTimeline.view.to, end: globalThis.reelTimeline.run.end_ns }));
    check(asked < 40 && v.from > -v.end && v.to < 3 * v.end, `places: ${more} is bounded`, `${asked} requests, ${JSON.stringify(v)}`);
  }
  for (const v of ['constructor', '__proto__', 'toString']) {
    await page.goto(new URL(`?v=${v}`, page.url()).href);
    await page.waitForSelector('.page section');
    check(/^Overview/.test(await page.title()), `places: v=${v} is the overview`);
  }
}

// keys: what is shown and what the address says are one.
async function keys(page) {
  await page.goto(new URL('?v=timeline&from=1000000000&to=2000000000', page.url()).href);
  await settled(page);
  await page.getByRole('button', { name: /Show everything/ }).click();
  await noted(page);
  check(Number(param(page, 'to')) >= 39e9, 'places: "all" is written to the address', page.url());
  const choose = (q) => page.evaluate(async (q) => globalThis.reelTimeline.chosen.choose((await (await fetch(`api/search?q=${q}`)).json()).hits[0].ref), q);
  await choose('op_1');
  const url = page.url();
  await page.keyboard.press('2');
  await page.locator('#tabs a', { hasText: 'Timeline' }).click();
  check(page.url() === url && /op_1/.test(await detail(page)), 'places: the tab of the timeline keeps what is chosen there', page.url());
  await page.evaluate(() => history.pushState(null, '', '?v=timeline'));
  await page.goBack();
  await page.waitForFunction(() => globalThis.reelTimeline.chosen.item);
  await page.goForward();
  await page.waitForFunction(() => /A click chooses/.test(document.querySelector('.detail').textContent));
  check(param(page, 'sel') === null, 'places: the panel and the address let go together');
  // Search.
  await page.keyboard.press('/');
  await page.keyboard.type('op_2');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /op_2/.test(globalThis.reelTimeline.chosen.item?.name));
  await page.locator('.lanes').focus();
  for (let i = 0; i < 3; i++) { const was = param(page, 'sel'); await page.keyboard.press('n'); await page.waitForFunction((was) => new URLSearchParams(location.search).get('sel') !== was, was); }
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => /hold “op_2”/.test(document.querySelector('.detail').textContent), null, { timeout: 3000 }).catch(() => check(false, 'places: Escape shows the search again'));
  await page.keyboard.press('n');
  await page.waitForFunction(() => globalThis.reelTimeline.chosen.item);
  await page.keyboard.press('0');
  await page.keyboard.press('/');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('op_0');
  await page.waitForFunction(() => /hold “op_0”/.test(document.querySelector('.detail').textContent));
  check(param(page, 'sel') === null && param(page, 'q') === 'op_0', 'places: a new search lets go of the old find', page.url());
  await page.locator('.lanes').focus();
  await page.keyboard.press('n');
  await page.waitForFunction(() => globalThis.reelTimeline.chosen.item);
  check(await page.evaluate(() => globalThis.reelTimeline.chosen.item.start_ns) < 1e9, 'places: a new search begins where the view does');
}

// names: each name of a table leads to its things, cut or not.
async function names(page) {
  for (const v of ['tables', 'tables&table=stats.nvtx_sum', 'flame&by=cpu']) {
    await page.goto(new URL(`?v=${v}`, page.url()).href);
    await page.waitForSelector('tbody tr');
    const lost = await page.evaluate(async () => {
      const all = [...document.querySelectorAll('tbody td a')].map((a) => new URLSearchParams(a.getAttribute('href')).get('q')).filter(Boolean), lost = [];
      for (const q of all) if (!(await (await fetch(`api/search?${new URLSearchParams({ q })}`)).json()).count) lost.push(q);
      return all.length ? lost : ['no link'];
    });
    check(lost.filter((q) => !/^thread |python/.test(q)).length === 0, `places: the names of ${v} are found`, lost.slice(0, 3).join(', '));
  }
}

// copies: a table is copied where the browser gives no clipboard.
async function copies(page) {
  await page.goto(new URL('?v=tables', page.url()).href);
  await page.waitForSelector('tbody tr');
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true });
    document.addEventListener('copy', () => { globalThis.copied = document.activeElement.value; });
  });
  await page.locator('button', { hasText: 'copy' }).click();
  await page.waitForSelector('button:has-text("copied")');
  check(/^name\t[\s\S]*aten::op_0/.test(await page.evaluate(() => globalThis.copied)), 'places: a table is copied without navigator.clipboard');
}

// contrast: words on the overview's bars are readable.
async function contrast(page) {
  await page.goto(new URL('?v=overview', page.url()).href);
  await page.waitForSelector('.page section');
  const low = await page.evaluate(() => ['light', 'dark'].flatMap((theme) => {
    document.documentElement.dataset.theme = theme;
    const style = getComputedStyle(document.documentElement), hex = (name) => style.getPropertyValue(name).trim();
    const l = (s) => { const [r, g, b] = [1, 3, 5].map((k) => parseInt(s.slice(k, k + 2), 16) / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const ratio = (a, b) => (Math.max(l(a), l(b)) + 0.05) / (Math.min(l(a), l(b)) + 0.05);
    return ['encode', 'prepare', 'diffuse', 'decode', 'finalize', 'stage', 'request'].filter((n) => ratio(hex('--on'), hex(`--c-${n}`)) < 4.5).map((n) => `${n} (${theme})`);
  }));
  check(low.length === 0, 'places: words on the bars of the overview have a contrast of 4.5', low.join(', '));
}

// shared: an address shows its thing, in a closed rank and a row that is not shown at first.
async function shared(browser, files) {
  const server = await view(files), page = await open(browser, `${server.url}?v=timeline`);
  await settled(page);
  const ref = await page.evaluate(async () => (await (await fetch('api/search?q=deep_19')).json()).hits.find((h) => h.rank === 1).ref);
  await page.goto(`${server.url}?v=timeline&from=0&to=40000000000&sel=${ref}`);
  await page.waitForFunction(() => globalThis.reelTimeline.chosen.item);
  await settled(page);
  const at = await page.evaluate(() => {
    const t = globalThis.reelTimeline, p = t.chosen.item.places[0], r = t.rows.of.get(p.track), y = r && r.y + p.row * 17;
    return { seen: r && p.row < r.rows && y >= t.lanes.scrollTop && y < t.lanes.scrollTop + t.lanes.clientHeight, span: t.view.to - t.view.from };
  });
  check(at.seen && at.span >= 39e9, 'places: an address opens the row of its thing, and keeps the time', JSON.stringify(at));
  check(/of rank 0/.test(await page.goto(server.url).then(() => page.waitForSelector('.page section')).then(() => page.textContent('main'))), 'places: of several ranks the overview says whose request it shows');
  await page.context().close();
  await server.stop();
}

// told: the overview says what the run's note does, and how the device was timed.
async function told(browser, folder) {
  mkdirSync(folder, { recursive: true });
  const x = (cat, name, ts, dur) => ({ ph: 'X', cat, name, pid: 1, tid: 1, ts, dur });
  const traceEvents = [0, 1, 2].map((i) => x('user_annotation', `denoise[${i}]`, 1000 * (i + 1), 200));
  writeFileSync(join(folder, 'trace.json'), JSON.stringify({ schemaVersion: 1, traceEvents }));
  writeFileSync(join(folder, 'run.json'), JSON.stringify({ schema: 'reel.run/1', app: 'paint', window: '50-60', coverage: ['window 50-60: nothing'], warnings: ['rank 1 crashed'], ranks: [{ rank: 0, state: 'done' }, { rank: 1, state: 'failed' }] }));
  const server = await view([folder]), page = await open(browser, server.url);
  await page.route('**/api/run', async (route) => { // as of a recording by the Python client
    const reply = await route.fetch(), run = await reply.json();
    Object.assign(run.summary.ranks[0], { timing: 'events', steps: run.summary.ranks[0].steps.map((s) => ({ ...s, gpu_span_ns: 900000 })) });
    await route.fulfill({ response: reply, json: run });
  });
  await page.reload();
  await page.waitForSelector('.page section');
  const all = await page.textContent('main');
  for (const what of ['50-60', 'nothing', 'rank 1 crashed', 'rank 1: failed', 'device times by events around stages and steps']) check(all.includes(what), `places: the overview tells of “${what}”`);
  check(!/no device was recorded|activities on/.test(all), 'places: a device timed by events is not called unrecorded');
  await page.context().close();
  await server.stop();
}

// dead: a server that has gone is asked now and then, and the page says so.
async function dead(page) {
  let asked = 0;
  page.on('request', (r) => { if (r.url().includes('/tile')) asked++; });
  await page.evaluate(() => globalThis.reelTimeline.show(0, 1e8));
  await page.waitForTimeout(3200);
  check(asked > 0 && asked < 30, 'places: a server that has gone is not asked in each frame', `${asked} requests in 3 s`);
  check(/cannot be drawn/.test(await page.textContent('#fault')), 'places: the page says what fails');
}
