// Opens FOLDER/index.html (the viewer) in Chromium and prints what it found of
// FOLDER/data.json as JSON; a picture goes to FOLDER/picture.png.
//   node open.mjs CHROMIUM FOLDER
import { createServer } from 'node:http';
import { createReadStream } from 'node:fs';
import { basename, join } from 'node:path';
import { createRequire } from 'node:module';

const [chromiumPath, folder] = process.argv.slice(2);
const { chromium } = createRequire(join(process.cwd(), 'x.js'))('playwright-core');
const server = createServer((request, reply) => {
  const file = createReadStream(join(folder, basename(request.url)));
  file.on('error', () => { reply.statusCode = 404; reply.end(); });
  file.on('open', () => file.pipe(reply));
}).listen(0, '127.0.0.1');
await new Promise(done => server.once('listening', done));
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] });
try {
  const page = await browser.newPage({ viewport: { width: 1500, height: 900 } });
  await page.goto(`http://127.0.0.1:${server.address().port}/index.html`);
  await page.waitForFunction('window.found', null, { timeout: 120000 });
  console.log(JSON.stringify(await page.evaluate('window.found')));
  await page.waitForTimeout(2000);
  await page.screenshot({ path: join(folder, 'picture.png') });
} finally {
  await browser.close();
  server.close();
}
