// The live view of reel play: frames come, a key press steers the scene, nothing
// overflows, and the page says when the session has ended.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { check, open } from './lib.mjs';

// play starts a session and returns its address and its end.
function play(folder) {
  const child = spawn(process.env.REEL, ['play', '--view', '--blocks', '40', '--timeout', '60s', '--report-path', join(folder, 'live')], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((done) => child.on('exit', (code) => done(code)));
  const url = new Promise((found, failed) => {
    let said = '';
    child.stderr.on('data', (b) => {
      said += b;
      const m = /live at (http:\S+)/.exec(said);
      if (m) found(m[1]);
    });
    child.on('exit', () => failed(new Error(`reel play ended: ${said}`)));
  });
  return { child, url, ended };
}

export async function live(browser, folder) {
  const session = play(folder);
  const page = await open(browser, await session.url, { width: 390, height: 800 });
  const frame = () => page.evaluate(() => Number(/frame (\d+)/.exec(document.getElementById('state').textContent)?.[1] ?? 0));
  const until = async (what, ok) => {
    for (let i = 0; i < 300; i++) {
      if (await ok()) return check(true, what);
      await page.waitForTimeout(100);
    }
    check(false, what, await page.textContent('#state'));
  };
  try {
    await until('live: frames come', async () => (await frame()) > 3);
    const before = await frame();
    await until('live: they go on', async () => (await frame()) > before + 5);
    check(await page.evaluate(() => document.getElementById('picture').naturalWidth) === 64, 'live: the picture is there');
    await page.keyboard.press('ArrowUp');
    await until('live: a key press steers the scene', async () => (await page.textContent('#state')).includes('moving up'));
    await page.click('#reset');
    await until('live: a restart begins a generation', async () => (await page.textContent('#state')).includes('generation 1'));
    check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'live: nothing overflows at 390 pixels');
    session.child.kill('SIGINT');
    check(await session.ended === 0, 'live: Ctrl-C ends the session in order');
    await until('live: the page says that it has ended', async () => (await page.textContent('#state')).includes('ended'));
  } finally {
    session.child.kill('SIGKILL');
    await page.context().close();
  }
}
