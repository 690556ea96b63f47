// Every place has an address: what is shown stands in the query of the page's URL.

const defaults = { v: "overview" };
let now = Object.fromEntries(new URLSearchParams(location.search));
const watchers = new Set();

export const get = (key) => now[key] ?? defaults[key];
export const number = (key) => (now[key] === undefined || now[key] === "" || !Number.isFinite(Number(now[key])) ? undefined : Number(now[key]));
export const watch = (f) => watchers.add(f);

function address(state) {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(state)) if (v !== undefined && v !== "" && v !== defaults[k]) q.set(k, v);
  const text = q.toString();
  return text ? `?${text}` : location.pathname;
}

// href is the address of a place, for links.
export const href = (state) => address(state);

// named leads to the things of a name. In tables, numbered ones may be one, and a name may
// stand behind its domain; "…" stands for anything.
export const named = (name) => href({ v: "timeline", q: name.replace(/^:/, "").replace(/^ProfilerStep\*$/, "ProfilerStep#").replaceAll("[i]", "[…]") });

// note changes the address without a new entry in the history, as when one zooms.
export function note(changes) {
  now = { ...now, ...changes };
  for (const k of Object.keys(now)) if (now[k] === undefined || now[k] === "") delete now[k];
  history.replaceState(null, "", address(now));
}

// go shows another place.
export function go(state) {
  now = { ...state };
  history.pushState(null, "", address(now));
  for (const f of watchers) f();
}

addEventListener("popstate", () => {
  now = Object.fromEntries(new URLSearchParams(location.search));
  for (const f of watchers) f();
});

// Links within the page change the place without loading it again.
addEventListener("click", (e) => {
  const a = e.target.closest?.("a[data-place]");
  if (!a || e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey) return;
  e.preventDefault();
  go(Object.fromEntries(new URLSearchParams(new URL(a.getAttribute("href"), location).search)));
});
