// Load a trace with Node's JSON.parse. Usage: node node_parse.js TRACE
// A V8 string holds at most about 512 MB: larger files end with an error.
const fs = require("fs");
const zlib = require("zlib");

const path = process.argv[2];
let bytes = fs.readFileSync(path);
if (path.endsWith(".gz")) bytes = zlib.gunzipSync(bytes);
const root = JSON.parse(bytes.toString("utf8"));
console.log((Array.isArray(root) ? root : root.traceEvents).length);
