// Numbers as text: the same units everywhere.

const steps = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];

// dur writes nanoseconds with three figures.
export function dur(ns) {
  if (ns === undefined || ns === null || !Number.isFinite(ns)) return "–";
  const a = Math.abs(ns);
  if (a >= 600e9) return `${(ns / 60e9).toFixed(1)} min`;
  for (const [unit, size] of steps) {
    if (a >= size * 0.9995 || unit === "ns") return `${figures(ns / size)} ${unit}`;
  }
}

function figures(v) {
  const a = Math.abs(v);
  return v.toFixed(a >= 99.95 || Number.isInteger(v) ? 0 : a >= 9.995 ? 1 : 2);
}

// inUnit returns the unit that fits a list of durations, to be said once for all.
export function unitOf(ns) {
  const a = Math.abs(ns);
  return steps.find(([, size]) => a >= size) ?? steps[3];
}

// at writes an instant with as many digits as the scale shows, ns per pixel.
export function at(ns, scale) {
  const [unit, size] = unitOf(Math.max(Math.abs(ns), scale * 100));
  const digits = Math.min(9, Math.max(0, Math.ceil(Math.log10(size / Math.max(scale, 1e-3)) - 0.5)));
  return `${(ns / size).toFixed(digits)} ${unit}`;
}

export function bytes(n) {
  if (n === undefined || n === null) return "–";
  const a = Math.abs(n);
  for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]]) {
    if (a >= size) return `${figures(n / size)} ${unit}`;
  }
  return `${n} B`;
}

// si writes large numbers short.
export function si(n) {
  if (n === undefined || n === null) return "–";
  for (const [unit, size] of [["P", 1e15], ["T", 1e12], ["G", 1e9], ["M", 1e6]]) if (Math.abs(n) >= size) return `${figures(n / size)} ${unit}`;
  return count(n);
}

export const count = (n) => (n === undefined || n === null ? "–" : n.toLocaleString("en-US"));
export const percent = (part, whole) => (whole ? `${figures((100 * part) / whole)} %` : "–");

export function median(list) {
  if (!list.length) return undefined;
  const s = [...list].sort((a, b) => a - b);
  return s.length % 2 ? s[(s.length - 1) / 2] : (s[s.length / 2 - 1] + s[s.length / 2]) / 2;
}

export function quantile(list, q) {
  const s = [...list].sort((a, b) => a - b);
  return s[Math.min(s.length - 1, Math.max(0, Math.ceil(q * s.length) - 1))];
}
