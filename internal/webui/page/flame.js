// The flame graph: call stacks by CPU or device time, of the run or of a selection.

import { json } from "./api.js";
import { el, fault, redraw, say } from "./dom.js";
import { at as instant, count, dur, percent } from "./format.js";
import * as place from "./place.js";
import { palette } from "./theme.js";
import { shorten } from "./paint.js";
import { table } from "./table.js";

const ROW = 20;

export function flame(root, run) {
  const by = place.get("by") ?? (run.ranks.some((r) => r.busy) ? "device" : "cpu"), python = place.get("python") ?? "1";
  const from = place.number("from"), to = place.number("to"), part = from !== undefined && to !== undefined;
  const to2 = (more) => place.href({ v: "flame", by, python: python === "1" ? "" : python, from: part ? from : "", to: part ? to : "", ...more });
  const pick = (text, on, href) => el("a", { class: "button", href, "data-place": true, "aria-current": on ? "true" : null, style: on ? { background: "var(--track)" } : {} }, text);
  const hover = el("p", { class: "note", role: "status" }, "…"), canvas = el("canvas", { tabindex: 0, role: "application", "aria-label": "Flame graph. Arrows move, Enter opens a stack, Escape goes back; the table below has the same." }), box = el("section", {}), below = el("section", {});
  const search = el("input", { type: "search", placeholder: "Highlight", "aria-label": "Highlight names" });
  box.append(el("div", { class: "toolbar" }, pick("device time", by === "device", to2({ by: "device" })), pick("CPU time", by === "cpu", to2({ by: "cpu" })), pick("Python calls", python === "1", to2({ python: python === "1" ? "0" : "" })), search,
    part && el("span", { class: "note" }, `of ${dur(to - from)} from ${instant(from, (to - from) / 1000)}`), part && pick("of the whole run", false, to2({ from: "", to: "" }))), hover, el("div", { class: "flame" }, canvas));
  root.append(el("div", { class: "page" }, box, below));
  const state = { hover, canvas, search, run }, kept = {};
  const fill = () => json("flame", { by, python, from: part ? from : undefined, to: part ? to : undefined }).then((d) => {
    if (!d.total_ns) { hover.textContent = by === "device" ? "No work on a device here: choose CPU time." : "Nothing here."; return; }
    if (state.graph) state.graph.take(d);
    else new Flame(state, d);
    redraw(below, () => below.replaceChildren(table({ name: "flame graph, by name", kept, columns: [{ name: "name", key: "name", kind: "text" }, { name: "own time", key: "self", kind: "ns", share: true }, { name: "with what it called", key: "total", kind: "ns" }, { name: "stacks", key: "n", kind: "count" }], rows: byName(d), sort: "self", link: (r) => place.named(r.name) })));
  }, (e) => fault(e.message));
  fill();
  return { paint: () => state.graph?.recolour(), refresh: fill };
}

// byName sums up; a name within itself counts once.
function byName(d) {
  const rows = new Map();
  for (let i = 1; i < d.name.length; i++) {
    const r = rows.get(d.name[i]) ?? { name: d.names[d.name[i]], self: 0, total: 0, n: 0 };
    rows.set(d.name[i], r);
    r.self += d.self_ns[i];
    r.n++;
    let p = d.parent[i];
    while (p > 0 && d.name[p] !== d.name[i]) p = d.parent[p];
    if (p <= 0) r.total += d.ns[i];
  }
  return [...rows.values()];
}

class Flame {
  constructor(state, d) {
    Object.assign(this, state);
    state.graph = this;
    this.recolour(false);
    this.canvas.addEventListener("pointermove", (e) => { const i = this.hit(e); this.tell(i ?? this.root); });
    this.canvas.addEventListener("pointerleave", () => this.tell(this.root));
    this.canvas.addEventListener("click", (e) => { const i = this.hit(e); if (i !== undefined) this.open(i); });
    this.canvas.addEventListener("keydown", (e) => this.key(e));
    this.search.addEventListener("input", () => this.draw());
    this.watch = new ResizeObserver(() => this.canvas.isConnected ? this.draw() : this.watch.disconnect());
    this.watch.observe(this.canvas.parentElement); // tells later, when there is a graph
    this.take(d);
  }

  // take shows a graph; what was opened in the one before stays so.
  take(d) {
    const path = [];
    for (let i = this.root; i > 0; i = this.d.parent[i]) path.unshift(this.d.names[this.d.name[i]]);
    this.d = d;
    this.children = d.name.map(() => []);
    for (let i = 1; i < d.name.length; i++) this.children[d.parent[i]].push(i);
    for (const c of this.children) c.sort((a, b) => d.ns[b] - d.ns[a]);
    this.root = path.reduce((at, name) => this.children[at].find((c) => d.names[d.name[c]] === name) ?? at, 0);
    this.at = this.root;
    this.draw();
    this.tell(this.root);
  }

  recolour(draw = true) {
    this.palette = palette(this.run.colours);
    if (draw) this.draw();
  }

  // lay places what is seen: of the chosen stack all, above it what led there.
  lay(W) {
    const { d } = this, out = [], path = [];
    for (let i = this.root; i >= 0; i = d.parent[i]) path.unshift(i);
    path.forEach((i, k) => out.push({ i, x: 0, w: W, y: k, led: i !== this.root }));
    const go = (i, x, y, scale) => {
      let at = x;
      for (const c of this.children[i]) {
        const w = d.ns[c] * scale;
        if (w < 0.4) break;
        out.push({ i: c, x: at, w, y });
        go(c, at, y + 1, scale);
        at += w;
      }
    };
    go(this.root, 0, path.length, W / d.ns[this.root]);
    return out;
  }

  draw() {
    const c = this.canvas, ratio = Math.min(devicePixelRatio || 1, 2), width = c.parentElement.clientWidth;
    this.boxes = this.lay(width);
    const rows = Math.max(...this.boxes.map((b) => b.y)) + 1, height = rows * ROW;
    c.width = width * ratio;
    c.height = Math.min(height * ratio, 16000);
    c.style.height = `${c.height / ratio}px`;
    const ctx = c.getContext("2d"), q = this.search.value.toLowerCase(), ink = getComputedStyle(c).color;
    ctx.scale(ratio, ratio);
    ctx.font = "11.5px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    for (const b of this.boxes) {
      const name = this.d.names[this.d.name[b.i]], colour = this.d.colour[b.i] || 7;
      ctx.globalAlpha = q && !name.toLowerCase().includes(q) || b.led ? 0.4 : 1;
      ctx.fillStyle = this.palette.solid[colour];
      ctx.fillRect(b.x, b.y * ROW, Math.max(b.w - (b.w > 3 ? 1 : 0), 0.5), ROW - 1);
      ctx.globalAlpha = 1;
      const room = Math.floor((b.w - 8) / 6.3);
      if (room >= 3) {
        ctx.fillStyle = b.led || q && !name.toLowerCase().includes(q) ? ink : this.palette.text[colour];
        ctx.fillText(shorten(name, room), b.x + 4, b.y * ROW + ROW / 2, b.w - 6);
      }
      if (b.i === this.at && this.at) { ctx.strokeStyle = ink; ctx.lineWidth = 2; ctx.strokeRect(b.x + 1, b.y * ROW + 1, Math.max(b.w - 3, 1), ROW - 3); }
    }
  }

  hit(e) {
    return this.boxes.find((b) => e.offsetX >= b.x && e.offsetX < b.x + b.w && e.offsetY >= b.y * ROW && e.offsetY < (b.y + 1) * ROW)?.i;
  }

  tell(i) {
    const { d } = this;
    this.hover.textContent = `${d.names[d.name[i]]} · ${dur(d.ns[i])} (${percent(d.ns[i], d.total_ns)}), of its own ${dur(d.self_ns[i])}${i === 0 && d.left_out ? ` · ${count(d.left_out)} stacks too small to see are left out` : ""}`;
  }

  open(i) {
    this.root = this.at = i;
    this.draw();
    this.tell(i);
    say(this.hover.textContent);
  }

  key(e) {
    const up = this.d.parent[this.at], siblings = up >= 0 ? this.children[up] : [0], k = siblings.indexOf(this.at);
    const next = { ArrowDown: this.children[this.at][0], ArrowUp: Math.max(up, 0), ArrowRight: siblings[k + 1], ArrowLeft: siblings[k - 1] }[e.key];
    if (next !== undefined) { this.at = next; this.tell(next); say(this.hover.textContent); this.draw(); } else if (e.key === "Enter") this.open(this.at);
    else if (e.key === "Escape") this.open(Math.max(0, this.d.parent[this.root]));
    else return;
    e.preventDefault();
  }
}
