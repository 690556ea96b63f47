// Every view on real runs: it shows what the run holds, at both widths and in both
// colour schemes, by mouse and by keyboard.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { check, open, overflows, settled, view } from './lib.mjs';

const views = ['overview', 'timeline', 'tables', 'tables&table=kernels', 'tables&table=stats.nvtx_sum', 'flame', 'flame&by=cpu', 'curves', 'compare'];
const text = (page, selector) => page.textContent(selector).then((t) => t.replaceAll(/\s+/g, ' '));
const place = (page, more) => page.goto(new URL(`?${more}`, page.url()).href);

// shown waits until a view is what it will be.
async function shown(page, v) {
  if (v.startsWith('timeline')) return settled(page);
  await page.waitForSelector('.page section');
  await page.waitForFunction(() => !/Adding up…|Reading…|Comparing…|Waiting for/.test(document.querySelector('main').textContent) && !/^…$/.test(document.querySelector('.page .note')?.textContent ?? ''), null, { timeout: 60000 });
}

// named lists what a screen reader could not name.
const unnamed = (page) => page.evaluate(() => [...document.querySelectorAll('button, a, input, select, canvas, img, video, svg[role=img], [role=application]')].filter((e) => e.offsetParent !== null || e instanceof SVGElement)
  .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.alt || e.title || e.querySelector?.('title'))).map((e) => e.outerHTML.slice(0, 80)));

// each looks at every view of a run in both schemes and widths.
async function each(browser, url, name, keep) {
  for (const [scheme, width, height] of [['light', 1280, 900], ['dark', 390, 844]]) {
    const page = await open(browser, url, { width, height, scheme });
    for (const v of views) {
      await place(page, `v=${v}`);
      await shown(page, v);
      check(!(await overflows(page)), `${name}, ${v}, ${width}: as wide as the window`);
      check(await page.evaluate(() => [...document.querySelectorAll('.axis')].every((a) => { const r = [...a.children].map((c) => c.getBoundingClientRect()).filter((x) => x.width); return r.length > 1 && r.every((x, i) => !i || x.left > r[i - 1].right + 2); })), `${name}, ${v}, ${width}: the words of an axis stand apart`);
      const nameless = await unnamed(page);
      check(nameless.length === 0, `${name}, ${v}: everything has a name`, nameless.slice(0, 3).join(' '));
      if (keep) await page.screenshot({ path: join(keep, `${name}-${v.replaceAll(/\W+/g, '-')}-${width}.png`) });
    }
    check(page.faults.length === 0, `${name}, ${scheme}: no fault on the page`, page.faults.slice(0, 3).join('; '));
    await page.context().close();
  }
}

async function withRun(browser, args, f) {
  const server = await view(args);
  try { await f(server.url); } finally { await server.stop(); }
}

export async function sd35(browser, data, keep) {
  await withRun(browser, [join(data, 'kineto/tl_mi300x_sd35_xdit.json.gz')], async (url) => {
    await each(browser, url, 'sd35', keep);
    const page = await open(browser, url);
    await page.waitForSelector('.page section');
    const all = await text(page, 'main');
    check(/diffuse, 4 steps/.test(all) && /AMD Instinct MI300X/.test(all) && /60\.8 %/.test(all), 'sd35: the overview tells of the device, its share and four steps');
    check(await page.locator('svg[aria-label="4 steps"] a').count() === 4, 'sd35: a bar for each step');
    check(/gpu-idle/.test(all) && /repeated-encode/.test(all), 'sd35: findings are shown');
    // A number leads to its place, and Back comes back.
    await page.locator('svg[aria-label="4 steps"] a').nth(2).click();
    await settled(page);
    const v = await page.evaluate(() => ({ from: globalThis.reelTimeline.view.from, to: globalThis.reelTimeline.view.to }));
    check(v.to - v.from > 240e6 && v.to - v.from < 420e6, 'sd35: a click on a step opens the timeline there', JSON.stringify(v));
    await page.goBack();
    await page.waitForSelector('svg[aria-label="4 steps"]');
    // Keys.
    await page.keyboard.press('2');
    await settled(page);
    const scale = () => page.evaluate(() => globalThis.reelTimeline.view.scale);
    const before = await scale();
    await page.keyboard.down('w');
    await page.waitForTimeout(300);
    await page.keyboard.up('w');
    await settled(page);
    check(await scale() < before, 'W zooms in');
    await page.keyboard.press('0');
    await settled(page);
    check(Math.abs(await scale() - before) < 1e-6 * before, '0 shows everything');
    // Search, choose, arrows, Escape.
    await page.keyboard.press('/');
    await page.keyboard.type('attn_fwd');
    await page.waitForSelector('.detail .list li');
    check(/241/.test(await text(page, '.detail')), 'search counts the 241 attention kernels');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => globalThis.reelTimeline.chosen.item?.class === 'kernel' || globalThis.reelTimeline.chosen.item?.class === 'op');
    await page.locator('.lanes').focus();
    await place(page, 'v=timeline&q=attn_fwd');
    await page.waitForSelector('.detail .list a');
    await page.locator('.detail .list a').first().click();
    await page.waitForFunction(() => globalThis.reelTimeline.chosen.item?.launch);
    await settled(page);
    const item = await text(page, '.detail');
    check(/launched by\s*hipModuleLaunchKernel/.test(item) && /waited/.test(item) && /Python/.test(item), 'a kernel tells of its launch and its Python line', item.slice(0, 200));
    check(await page.evaluate(() => globalThis.reelTimeline.chosen.item.places.length >= 2), 'both ends of the arrow have their rows');
    const link = page.url();
    check(/sel=0\.d\d+/.test(link), 'what is chosen stands in the address');
    const other = await open(browser, link);
    await other.waitForFunction(() => globalThis.reelTimeline?.chosen.item);
    check(await other.evaluate(() => globalThis.reelTimeline.chosen.item.ref) === await page.evaluate(() => globalThis.reelTimeline.chosen.item.ref), 'the address shows the same to somebody else');
    await other.context().close();
    // A selection by mouse.
    await page.keyboard.press('Escape');
    await place(page, 'v=timeline');
    await settled(page);
    const box = await page.locator('.lanes canvas').boundingBox();
    await page.mouse.move(box.x + 300, box.y + 150);
    await page.mouse.down();
    await page.mouse.move(box.x + 600, box.y + 160, { steps: 5 });
    await page.mouse.up();
    await page.waitForFunction(() => /selected/.test(document.querySelector('.detail').textContent));
    const sel = await text(page, '.detail');
    check(/busy/.test(sel) && /top kernels/.test(sel) && /top calls/.test(sel), 'a selection tells how busy the device was and what took longest');
    check(/a=\d+/.test(page.url()) && /b=\d+/.test(page.url()), 'a selection stands in the address');
    await page.locator('.detail a', { hasText: 'flame graph' }).click();
    await shown(page, 'flame');
    check(/from=/.test(page.url()), 'the flame graph is that of the selection');
    // Tables.
    await place(page, 'v=tables&table=kernels');
    await page.waitForSelector('tbody tr');
    await page.fill('section input[type=search]', 'attn');
    check(await page.locator('tbody tr').count() === 1, 'the filter leaves what holds the word');
    await page.fill('section input[type=search]', '');
    await page.locator('th button', { hasText: 'calls' }).click();
    const calls = await page.locator('tbody tr td:nth-child(3)').allTextContents();
    const numbers = calls.map((c) => Number(c.replaceAll(',', '')));
    check(numbers.every((n, i) => !i || n <= numbers[i - 1]) && numbers.length > 20, 'a column sorts');
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('button', { hasText: 'CSV' }).click()]);
    check(/kernels\.csv/.test(download.suggestedFilename()), 'the table is saved as CSV');
    await page.locator('button', { hasText: 'copy' }).click();
    await page.waitForFunction(() => /copied/.test(document.querySelector('#say').textContent));
    check(/attn_fwd/.test(await page.evaluate(() => navigator.clipboard.readText())), 'the table is copied');
    // Contrast of words on bars, in both schemes.
    for (const theme of ['light', 'dark']) {
      const low = await page.evaluate(async (theme) => {
        document.documentElement.dataset.theme = theme;
        const { palette } = await import('./theme.js'), run = await (await fetch('api/run')).json(), p = palette(run.colours);
        const l = (rgb) => { const [r, g, b] = rgb.map((v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        const of = (s) => l(s.startsWith('#') ? [1, 3, 5].map((k) => parseInt(s.slice(k, k + 2), 16)) : s.match(/\d+/g).map(Number));
        const low = [];
        run.colours.forEach((name, c) => { for (let k = 0; name && k < 4; k++) { const a = of(p.solid[c | k << 5]), b = of(p.text[c | k << 5]), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); if (ratio < 4.5) low.push(`${name}/${k} ${ratio.toFixed(2)}`); } });
        return low;
      }, theme);
      check(low.length === 0, `words on bars have a contrast of 4.5 (${theme})`, low.join(', '));
    }
    check(page.faults.length === 0, 'sd35: no fault on the page', page.faults.slice(0, 3).join('; '));
    await page.context().close();
  });
}

export async function ranks(browser, data, keep) {
  await withRun(browser, [join(data, 'multirank')], async (url) => {
    await each(browser, url, 'ranks', keep);
    const page = await open(browser, url);
    await page.waitForSelector('.page section');
    check(await page.locator('a[aria-label^="rank "]').count() === 8, 'eight ranks as small multiples');
    await place(page, 'v=timeline');
    await settled(page);
    check(await page.locator('.names .group').count() === 8, 'the tracks are grouped by rank');
    const closed = await page.locator('.names button').count();
    await page.locator('.names .group').nth(3).click();
    await settled(page);
    check(await page.locator('.names button').count() > closed, 'a rank opens');
    await page.context().close();
  });
}

export async function nsys(browser, data, keep) {
  await withRun(browser, [join(data, 'nsys/nsys-ai_h100_2gpu_1s.sqlite'), '--compare', join(data, 'nsys/nsys-ai_mfu_2gpu_before.sqlite')], async (url) => {
    await each(browser, url, 'nsys', keep);
    const page = await open(browser, `${url}?v=tables&table=stats.nvtx_sum`);
    await page.waitForSelector('tbody tr');
    check(await page.locator('tbody tr').count() > 10 && /aten::/.test(await text(page, 'tbody')), 'nsys: nvtx_sum has rows');
    await place(page, 'v=compare');
    await page.waitForSelector('tbody tr');
    check(/flash_fwd/.test(await text(page, 'main')), 'nsys: the comparison lists kernels that one run alone has');
    await page.context().close();
  });
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

function run(args) {
  const child = spawn(process.env.REEL, args, { stdio: 'ignore' });
  return { child, done: new Promise((done) => child.on('exit', done)) };
}

export async function lantern(browser, folder, keep) {
  const demo = join(folder, 'demo'), play = join(folder, 'play');
  check(await run(['demo', '--steps', '6', '--memory', '--report-path', demo]).done === 0, 'reel demo runs');
  mkdirSync(join(demo, 'startup'));
  check(await run(['startup', 'vae', '--output', join(demo, 'startup', 'startup_rank0.json')]).done === 0, 'reel startup vae runs');
  await withRun(browser, [demo], async (url) => {
    await each(browser, url, 'demo', keep);
    const page = await open(browser, url);
    await page.waitForSelector('.page section');
    const phases = await page.locator('section', { has: page.getByRole('heading', { name: 'Start-up' }) }).locator('.lab').allTextContents();
    check(phases[0] === 'start-up' && phases.includes('vae.first_decode'), 'the start-up has a waterfall', phases.join());
    await page.waitForSelector('.clip img');
    check(await page.evaluate(async () => { const i = document.querySelector('.clip img'); i.loading = 'eager'; await i.decode(); return i.naturalWidth > 0; }), 'the clip of the run is shown');
    check(await page.locator('svg[aria-label="6 steps"] a').count() === 6, 'demo: six steps');
    const [file] = await Promise.all([page.waitForEvent('download'), page.locator('#perfetto').click()]);
    check(file.suggestedFilename() === 'trace.pftrace', 'the run is handed over to Perfetto');
    await page.context().close();
  });
  // The page follows a session while it records.
  const session = run(['play', '--timeout', '14', '--blocks', '40', '--keys', '1s:up,3s:left', '--report-path', play]);
  for (let i = 0; i < 200 && !(existsSync(play) && readdirSync(play).some((f) => f.endsWith('.reel'))); i++) await sleep(50);
  await sleep(1500);
  await withRun(browser, [play], async (url) => {
    const page = await open(browser, url);
    await page.waitForSelector('.page section');
    const state = () => page.evaluate(async () => { const r = await (await fetch('api/run')).json(); return { g: r.generation, events: r.summary.sources[0].events }; });
    const first = await state();
    let later = first;
    for (let i = 0; i < 120 && later.g === first.g; i++) { await sleep(500); later = await state(); }
    check(later.events > first.events, 'the page follows a run that grows', JSON.stringify([first, later]));
    await session.done;
    await page.waitForFunction(() => document.querySelector('#live').hidden, null, { timeout: 60000 });
    check(true, 'a run that is done is no longer called live');
    check(page.faults.length === 0, 'live: no fault on the page', page.faults.slice(0, 3).join('; '));
    await page.context().close();
  });
  await withRun(browser, [play], async (url) => {
    await each(browser, url, 'play', keep);
    const page = await open(browser, url);
    await page.waitForSelector('.page section');
    const bars = page.locator('section', { hasText: 'Frame intervals' }).locator('svg a');
    check(await bars.count() > 5, 'frame intervals are shown');
    await bars.nth(3).click();
    await page.waitForSelector('.detail .chain li');
    await settled(page);
    const chain = await text(page, '.chain');
    check(/model\.step\[/.test(chain) && /on the screen/.test(chain) && /work on the device/.test(chain), 'a frame is followed to its step and its work', chain);
    const before = await page.evaluate(() => globalThis.reelTimeline.chosen.chain.story.frame);
    await page.keyboard.press(']');
    await page.waitForFunction((n) => globalThis.reelTimeline.chosen.chain?.story.frame === n + 1, before);
    check(/follow=0\.\d+/.test(page.url()), 'the frame that is followed stands in the address');
    if (keep) await page.screenshot({ path: join(keep, 'play-follow-1280.png') });
    check(page.faults.length === 0, 'follow: no fault on the page', page.faults.slice(0, 3).join('; '));
    await page.context().close();
  });
}
