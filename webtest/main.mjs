// Runs the browser tests: node main.mjs FOLDER-FOR-TEMPORARY-FILES [FOLDER-FOR-PICTURES]
import { existsSync, mkdirSync } from 'node:fs';
import { end, check, launch } from './lib.mjs';
import { grows } from './grows.mjs';
import { hostile } from './hostile.mjs';
import { live } from './live.mjs';
import { pixels } from './pixels.mjs';
import { places } from './places.mjs';
import { lantern, nsys, ranks, sd35 } from './views.mjs';

const [folder, keep] = process.argv.slice(2), data = process.env.REEL_SHARED_DATA, only = process.env.ONLY;
if (keep) mkdirSync(keep, { recursive: true });
const browser = await launch();
const tests = [['pixels', () => pixels(browser, folder)], ['hostile', () => hostile(browser, folder)], ['grows', () => grows(browser, folder)], ['places', () => places(browser, folder)], ['lantern', () => lantern(browser, folder, keep)], ['live', () => live(browser, folder)]];
if (existsSync(data ?? '')) tests.push(['sd35', () => sd35(browser, data, keep)], ['ranks', () => ranks(browser, data, keep)], ['nsys', () => nsys(browser, data, keep)]);
else console.log('webtest: skipped: sd35, ranks, nsys: the folder of sample traces is not there (REEL_SHARED_DATA names it)');
for (const [name, f] of tests) {
  if (only && !only.split(',').includes(name)) continue;
  const began = performance.now();
  try { await f(); } catch (e) { check(false, name, e.stack); }
  console.log(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
}
await browser.close();
process.exit(end());
