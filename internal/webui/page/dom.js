// Makes elements. Texts become text nodes: a name from a trace is never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attrs, children) {
  for (const [key, value] of Object.entries(attrs ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "style") Object.assign(node.style, value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

export const el = (tag, attrs, ...children) => fill(document.createElement(tag), attrs, children);
export const svg = (tag, attrs, ...children) => fill(document.createElementNS(SVG, tag), attrs, children);
export const byId = (id) => document.getElementById(id);

// say tells screen readers.
export function say(text) {
  byId("say").textContent = text;
}

// fault shows what went wrong and keeps what is there.
export function fault(text) {
  const box = byId("fault");
  box.hidden = !text;
  box.replaceChildren(...(text ? [el("span", {}, text), el("button", { type: "button", onclick: () => fault("") }, "Close")] : []));
}

// section is a card of a view.
export function section(title, note, ...children) {
  return el("section", {}, el("h2", {}, title, note && el("small", {}, note)), ...children);
}

// redraw makes what is in a box anew, and keeps what was done there: what was opened and
// closed, the focus, and how far tables are scrolled.
export function redraw(box, make) {
  const name = (d) => d.querySelector("summary").textContent.replaceAll(/\d[\d,.]*/g, "");
  const open = new Map([...box.querySelectorAll("details")].map((d) => [name(d), d.open]));
  const at = document.activeElement, label = box.contains(at) && at.getAttribute("aria-label"), caret = at.selectionStart;
  const scrolled = [...box.querySelectorAll(".scroll")].map((s) => [s.scrollLeft, s.scrollTop]);
  make();
  for (const d of box.querySelectorAll("details")) d.open = open.get(name(d)) ?? d.open;
  [...box.querySelectorAll(".scroll")].forEach((s, i) => scrolled[i] && s.scrollTo(...scrolled[i]));
  const again = [...box.querySelectorAll("[aria-label]")].find((e) => label && e.getAttribute("aria-label") === label);
  again?.focus({ preventScroll: true });
  if (again?.type === "search") again.setSelectionRange(caret, caret);
}

// copy puts text on the clipboard. Beyond loopback there is no navigator.clipboard without
// encryption: a hidden field does it.
export async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const was = document.activeElement, field = el("textarea", { class: "hide", "aria-hidden": "true" });
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  was?.focus?.();
  if (!done) throw new Error("the browser lets no page of this address copy: CSV saves the table");
}
