// Open files with speedscope's own importer, and print what it made of each as
// one line of JSON: the format it recognised, and of each profile the name, the
// unit and the total weight. Files of speedscope's own format are compared with
// the JSON schema's demands on events as well.
// Usage: export_speedscope.mjs PACKAGE FILE...     PACKAGE: the unpacked npm package speedscope
//
// The package is a page for browsers. Its script is run with just enough of a
// browser to load, and its last statement, which draws the page, is replaced by
// one that hands the importer over.

import fs from 'node:fs'
import path from 'node:path'
import vm from 'node:vm'

function importer(dir) {
  const release = path.join(dir, 'dist', 'release')
  const file = fs.readdirSync(release).find(f => /^speedscope-\w+\.js$/.test(f))
  let code = fs.readFileSync(path.join(release, file), 'utf8')
  const exported = code.match(/([\w$]+)=\{\};[\w$]+\(\1,\{[^{}]*importProfilesFromArrayBuffer:/)
  const init = exported && code.match(new RegExp(`\\(([\\w$]+)\\(\\),${exported[1].replace('$', '\\$')}\\)`))
  const draw = code.search(/[\w$]+\([\w$]+\([\w$]+,null,[\w$]+\([\w$]+,null\)\),document\.body,/)
  if (!init || draw < 0) throw new Error('this build of speedscope is not understood')
  code = code.slice(0, draw) + `globalThis.importer=(${init[1]}(),${exported[1]});})();`
  const element = () => new Proxy(function () {}, { get: (t, k) => (k === Symbol.toPrimitive ? () => '' : element()), apply: element, construct: element, set: () => true })
  const messages = []
  const note = (...args) => messages.push(args.join(' '))
  const context = { console: { log: note, warn: note, error: note, info: note }, TextDecoder, TextEncoder, URL, setTimeout, clearTimeout, performance, atob, btoa,
    document: element(), navigator: { userAgent: '' }, location: { hash: '', protocol: 'file:' }, localStorage: { getItem: () => null, setItem() {} },
    matchMedia: () => ({ matches: false, addEventListener() {}, addListener() {} }), requestAnimationFrame() {}, addEventListener() {} }
  context.window = context.self = context.globalThis = context
  vm.runInNewContext(code, context)
  return { api: context.importer, messages }
}

// opened and closed frames match like brackets, in order of time
function checkShape(file, doc) {
  doc.profiles.forEach(p => {
    const stack = []
    let last = p.startValue
    p.events.forEach((e, i) => {
      const fail = why => { throw new Error(`${file}: ${p.name}: event ${i}: ${why}`) }
      if (e.at < last) fail('goes back in time')
      if (!doc.shared.frames[e.frame]) fail('no such frame')
      if (e.type === 'O') stack.push(e.frame)
      else if (e.type !== 'C' || stack.pop() !== e.frame) fail('closes what is not innermost')
      last = e.at
    })
    if (stack.length || last > p.endValue) throw new Error(`${file}: ${p.name}: not closed at its end`)
  })
}

const [dir, ...files] = process.argv.slice(2)
const { api, messages } = importer(dir)
for (const file of files) {
  const data = fs.readFileSync(file)
  if (file.endsWith('.speedscope.json')) checkShape(file, JSON.parse(data))
  messages.length = 0
  const group = await api.importProfilesFromArrayBuffer(path.basename(file), data.buffer.slice(data.byteOffset, data.byteOffset + data.length))
  if (!group) throw new Error(`${file}: not recognised`)
  const profiles = group.profiles.map(p => ({ name: p.getName(), unit: p.getWeightUnit(), weight: p.getTotalNonIdleWeight(), total: p.getTotalWeight() }))
  console.log(JSON.stringify({ file: path.basename(file), says: messages, profiles }))
}
