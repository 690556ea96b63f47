// Light and dark, and the colours of the run as the canvas needs them.

const key = "reel-theme";
const root = document.documentElement;
const watchers = new Set();
const system = matchMedia("(prefers-color-scheme: dark)");
let chosen = "";

export const watch = (f) => watchers.add(f);
export const isDark = () => root.dataset.theme === "dark";

export function start() {
  try { chosen = localStorage.getItem(key) ?? ""; } catch { /* a browser that keeps nothing */ }
  system.addEventListener("change", apply);
  apply();
}

export function toggle() {
  chosen = isDark() ? "light" : "dark";
  try { localStorage.setItem(key, chosen); } catch { /* likewise */ }
  apply();
}

function apply() {
  root.dataset.theme = chosen || (system.matches ? "dark" : "light");
  for (const f of watchers) f();
}

// css reads a colour of the style sheet as [r, g, b].
export function css(name) {
  const v = getComputedStyle(root).getPropertyValue(name).trim();
  const m = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(v);
  return m ? m.slice(1).map((x) => parseInt(x, 16)) : [128, 128, 128];
}

export const hex = (name) => getComputedStyle(root).getPropertyValue(name).trim();

const luminance = ([r, g, b]) => {
  const f = (v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
};

// palette returns, for each colour byte of a tile (name and shade), its colour over
// the page for each cover from 0 to 255, and the colour of text on it.
export function palette(names) {
  const page = css("--card"), table = new Uint32Array(256 * 256), text = new Array(256), solid = new Array(256);
  const night = isDark();
  for (let c = 0; c < 256; c++) {
    const name = names[c & 31];
    const base = name ? css(`--c-${name}`) : page;
    const white = 1.05 / (luminance(base) + 0.05) >= 4.5; // of the words on it
    // Shades go away from the words, so that these stay readable.
    const rgb = base.map((v) => Math.round(v + ((white ? 0 : 255) - v) * [0, 0.1, 0.2, 0.05][c >> 5 & 3]));
    text[c] = white ? "#ffffff" : "#0d1118";
    solid[c] = `rgb(${rgb})`;
    for (let cover = 0; cover < 256; cover++) {
      // Nearly nothing still shows.
      const a = cover === 0 ? 0 : 0.28 + 0.72 * (cover - 1) / 254;
      const [r, g, b] = rgb.map((v, i) => Math.round(page[i] + (v - page[i]) * a));
      table[c << 8 | cover] = (255 << 24 | b << 16 | g << 8 | r) >>> 0;
    }
  }
  return { table, text, solid, page: (255 << 24 | page[2] << 16 | page[1] << 8 | page[0]) >>> 0, night };
}
