// What the browser tests share: servers, pages, checks.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const need = createRequire(join(process.env.REEL_NODE, 'x.js'));
const { chromium } = need('playwright-core');

let failed = 0, passed = 0;

// check tells and counts one thing that must hold.
export function check(ok, what, detail = '') {
  if (ok) passed++;
  else {
    failed++;
    console.log(`FAIL ${what}${detail === '' ? '' : `: ${detail}`}`);
  }
}

export function end() {
  console.log(`webtest: ${passed} checks hold, ${failed} do not`);
  return failed ? 1 : 0;
}

// view starts reel view and returns its address.
export async function view(args) {
  const child = spawn(process.env.REEL, ['view', '--addr', '127.0.0.1:0', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let told = '', faults = '';
  child.stderr.on('data', (d) => { faults += d; });
  const url = await new Promise((done, fail) => {
    child.stdout.on('data', (d) => {
      told += d;
      const m = /http:\/\/\S+/.exec(told);
      if (m) done(m[0]);
    });
    child.on('exit', (code) => fail(new Error(`reel view ${args.join(' ')} ended with ${code}: ${faults}`)));
  });
  return { url, pid: child.pid, stop: () => new Promise((done) => { child.removeAllListeners('exit'); child.on('exit', done); child.kill('SIGINT'); }) };
}

export const launch = (args = []) => chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', ...args] });

// open opens a page that reports every fault, every message on its console and every
// request that leaves the server.
export async function open(browser, url, { width = 1280, height = 900, scheme = 'light' } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  page.faults = [];
  page.on('pageerror', (e) => page.faults.push(e.message));
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && page.faults.push(`${m.type()}: ${m.text()}`));
  page.on('dialog', (d) => { page.faults.push(`a dialog: ${d.message()}`); d.dismiss(); });
  const origin = new URL(url).origin;
  page.on('request', (r) => { if (!r.url().startsWith(origin) && !r.url().startsWith('blob:') && !r.url().startsWith('data:')) page.faults.push(`asks for ${r.url()}`); });
  await page.goto(url);
  return page;
}

// settled waits until the timeline is drawn from the tiles of its very pixels.
export async function settled(page) {
  await page.waitForFunction(() => {
    const t = globalThis.reelTimeline;
    if (!t || t.gone || !t.view.settled || t.motion.moving || t.motion.gliding || t.motion.held.size || !t.tiles.idle) return false;
    const v = t.view, level = Math.round(v.level);
    return t.painter.level === level && [...t.painter.memo?.of.values() ?? []].every((l) => l === level);
  }, null, { timeout: 60000 });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

// wide reports whether the page is wider than its window.
export const overflows = (page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1 || document.querySelector('main').scrollWidth > innerWidth + 1);
