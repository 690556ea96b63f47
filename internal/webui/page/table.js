// A table that sorts, filters, copies and saves itself. Columns: {name, key, kind, share,
// value}; kinds are text, ns, bytes, count, si, percent, number.

import { copy as clip, el, fault, say } from "./dom.js";
import { bytes, count, dur, si } from "./format.js";

const FIRST = 200; // rows to make at first

const write = { ns: dur, bytes, count, si, percent: (v) => (v === undefined ? "–" : `${v.toFixed(1)} %`), number: (v) => (v === undefined || v === null ? "–" : Number.isInteger(v) ? count(v) : v.toLocaleString("en-US", { maximumFractionDigits: 3 })), text: (v) => v ?? "" };

// kept holds what was done by hand, for a table that is made anew when the run grows.
export function table({ name, columns, rows, sort, total, link, extra = [], kept = {} }) {
  const value = (row, c) => (c.value ? c.value(row) : row[c.key]);
  let by = columns.find((c) => c.key === (kept.by ?? sort)) ?? columns.find((c) => c.kind !== "text") ?? columns[0], down = kept.down ?? by.kind !== "text", filter = kept.filter ?? "", room = kept.room ?? FIRST;
  const body = el("tbody"), heads = el("tr"), foot = el("p", { class: "note", role: "status" }), more = el("button", { class: "button", type: "button", hidden: true, onclick: () => { room *= 5; draw(); } }, "show more");
  const search = el("input", { type: "search", placeholder: "Filter", "aria-label": `Filter ${name}`, oninput: () => { filter = search.value.toLowerCase(); room = FIRST; draw(); } });
  search.value = kept.text ?? "";
  let shown = [];

  function order() {
    const texts = columns.filter((c) => c.kind === "text");
    shown = rows.filter((r) => !filter || texts.some((c) => String(value(r, c) ?? "").toLowerCase().includes(filter)));
    const empty = down ? -Infinity : Infinity;
    shown.sort((a, b) => {
      const x = value(a, by) ?? empty, y = value(b, by) ?? empty;
      const d = by.kind === "text" ? String(x).localeCompare(String(y)) : x - y;
      return down ? -d : d;
    });
  }

  function draw() {
    Object.assign(kept, { by: by.key, down, filter, room, text: search.value });
    order();
    heads.replaceChildren(...columns.map((c) => el("th", { scope: "col", class: c.kind === "text" ? "text" : "", "aria-sort": c === by ? (down ? "descending" : "ascending") : null },
      el("button", { type: "button", onclick: () => { down = c === by ? !down : c.kind !== "text"; by = c; draw(); } }, c.name))));
    const sums = Object.fromEntries(columns.filter((c) => c.share).map((c) => [c.key, rows.reduce((s, r) => s + (r.annotation ? 0 : value(r, c) ?? 0), 0)]));
    body.replaceChildren(...shown.slice(0, room).map((r) => el("tr", {}, columns.map((c) => {
      const v = value(r, c), text = write[c.kind](v), href = c.kind === "text" && link?.(r, c);
      return el("td", { class: `${c.kind === "text" ? "text" : ""}${c.wrap ? " wrap" : ""} ${c.mark?.(v, r) ?? ""}`, title: c.kind === "text" ? text : v ?? "" }, href ? el("a", { href, "data-place": true }, text) : text,
        c.share && sums[c.key] > 0 && v > 0 && !r.annotation && el("span", { class: "share", "aria-hidden": "true" }, el("i", { style: { width: `${100 * (v ?? 0) / sums[c.key]}%` } })));
    }))));
    more.hidden = shown.length <= room;
    foot.textContent = `${count(Math.min(room, shown.length))} of ${count(total ?? rows.length)} rows${filter ? ` (${count(shown.length)} hold “${filter}”)` : ""}`;
  }

  const raw = (separator, quote) => [columns.map((c) => quote(c.name + (c.kind === "ns" ? " (ns)" : c.kind === "bytes" ? " (bytes)" : ""))), ...shown.map((r) => columns.map((c) => quote(value(r, c) ?? "")))].map((l) => l.join(separator)).join("\n");
  const tsv = () => raw("\t", (v) => String(v).replace(/[\t\n\r]/g, " "));
  // What begins like a formula would be run by spreadsheet programs.
  const csv = () => raw(",", (v) => (typeof v === "number" ? v : `"${String(v).replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`));
  const copy = async () => { try { await clip(tsv()); } catch (e) { fault(e.message); return; } say(`${shown.length} rows copied`); copied.textContent = "copied"; setTimeout(() => { copied.textContent = "copy"; }, 1200); };
  const copied = el("button", { class: "button", type: "button", onclick: copy }, "copy");
  const save = () => {
    const url = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
    el("a", { href: url, download: `${name.replaceAll(/\W+/g, "-")}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  };
  draw();
  return el("div", {}, el("div", { class: "toolbar" }, extra, search, el("span", { class: "push" }), copied, el("button", { class: "button", type: "button", onclick: save }, "CSV")),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name }, el("table", {}, el("caption", { class: "hide" }, name), el("thead", {}, heads), body)), more, foot);
}
