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
