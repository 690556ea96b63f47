// The frame of the page: what is shown where, keys, and following a run that grows.

import { json } from "./api.js";
import { byId, el, fault, say } from "./dom.js";
import * as place from "./place.js";
import * as theme from "./theme.js";
import { nothing, overview } from "./overview.js";
import { timeline } from "./timeline.js";
import { tables } from "./tables.js";
import { flame } from "./flame.js";
import { curves } from "./curves.js";
import { compare } from "./compare.js";

const views = { overview: ["Overview", overview], timeline: ["Timeline", timeline], tables: ["Tables", tables], flame: ["Flame", flame], curves: ["Curves", curves], compare: ["Compare", compare] };
const view = byId("view");
let run, shown; // shown: {name, leave, refresh}

function tabs() {
  const now = place.get("v");
  byId("tabs").replaceChildren(...Object.entries(views).map(([name, [label]]) =>
    el("a", { href: place.href({ v: name }), "data-place": true, "aria-current": name === now ? "page" : null, onclick: stay(name) }, label)));
}

// stay keeps what is chosen in a view when its own tab is asked for.
const stay = (name) => (e) => { if (name === place.get("v") && !(e.ctrlKey || e.metaKey || e.shiftKey)) e.preventDefault(); };

// show puts the view of the address on the page, anew or where it is.
function show(anew) {
  const name = Object.hasOwn(views, place.get("v")) ? place.get("v") : "overview";
  tabs();
  if (!run) return;
  if (!anew && shown?.name === name && shown.moved?.()) return;
  shown?.leave?.();
  view.replaceChildren();
  view.scrollTop = 0;
  document.title = `${views[name][0]} · ${run.title} · Reel`;
  shown = { name };
  try {
    Object.assign(shown, run.tracks.length || name === "overview" ? views[name][1](view, run) : nothing(view, run));
  } catch (e) {
    fault(`${views[name][0]}: ${e.message}`);
    throw e;
  }
}

// load reads the run, at first and when it has grown.
async function load() {
  const was = run;
  try {
    run = prepare(await json("run"));
  } catch (e) {
    fault(e.message);
    return;
  }
  byId("title").textContent = run.title;
  byId("live").hidden = !run.live;
  if (was && shown?.refresh && !was.tracks.length === !run.tracks.length) shown.refresh(run);
  else show(true);
  if (was) say(`The run has grown to ${run.summary.ranks.map((r) => r.steps.length).join(", ") || "no"} steps.`);
  performance.mark("reel-shown");
}

// prepare adds what views ask for again and again.
function prepare(r) {
  r.bandAt = []; // of each band, its first row within the track
  for (const t of r.tracks) for (let b = t.band, row = 0; row < t.rows; b++, row += 16) r.bandAt[b] = row;
  r.many = r.ranks.length > 1;
  return r;
}

const keys = [
  ["W S", "zoom in, zoom out (also Ctrl and the wheel, + and −)"], ["A D", "move left, move right (also ← →, Shift and the wheel)"],
  ["drag", "select a stretch of time: its length and what happened in it"], ["Shift drag", "move"], ["0", "show everything"],
  ["F", "show what is chosen as wide as it goes"], ["M", "select the time of what is chosen"], ["/", "search"], ["N P", "next find, previous find"],
  ["[ ]", "follow the frame before, the next frame"], ["Esc", "let go, one thing after another"], ["1 … 6", "the views"], ["?", "these keys"],
];

function help() {
  const box = byId("keys");
  box.replaceChildren(el("h3", { id: "keys-title" }, "Keys"),
    el("div", { class: "keys" }, keys.map(([k, what]) => [el("div", {}, k.split(" ").map((x) => [el("kbd", {}, x), " "])), el("div", {}, what)])),
    el("form", { method: "dialog" }, el("button", { class: "button" }, "Close")));
  box.showModal();
}

addEventListener("keydown", (e) => {
  if (e.target.closest?.("input, select, textarea, dialog") || e.ctrlKey || e.metaKey || e.altKey) return;
  const names = Object.keys(views);
  if (e.key === "?") help();
  else if (e.key >= "1" && e.key <= String(names.length)) { if (names[e.key - 1] !== place.get("v")) place.go({ v: names[e.key - 1] }); }
  else return;
  e.preventDefault();
});

byId("theme").addEventListener("click", theme.toggle);
byId("help").addEventListener("click", help);
theme.start();
theme.watch(() => shown?.paint?.());
place.watch(() => show(false));

// follow hears of every new state of the run while the page is seen: browsers keep but six
// connections to a server, for all their tabs.
let events;
function follow() {
  events?.close();
  if (document.hidden) return;
  events = new EventSource("api/events");
  events.addEventListener("run", (e) => { if (JSON.parse(e.data).generation !== run?.generation) load(); });
}

await load();
follow();
document.addEventListener("visibilitychange", follow);
