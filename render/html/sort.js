for (const table of document.querySelectorAll("table.sorts")) {
  const heads = table.tHead.rows[0].cells, body = table.tBodies[0];
  const sort = (head) => {
    const numbers = !head.classList.contains("text");
    const down = numbers ? head.ariaSort !== "descending" : head.ariaSort === "ascending";
    for (const h of heads) h.ariaSort = null;
    head.ariaSort = down ? "descending" : "ascending";
    const at = head.cellIndex;
    const key = (row) => row.cells[at] && row.cells[at].dataset.v;
    const rows = [...body.rows].sort((a, b) => {
      const x = key(a), y = key(b);
      if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
      return (numbers ? x - y : x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
    });
    body.append(...rows);
  };
  for (const head of heads) {
    if (!head.textContent) continue;
    head.classList.add("can");
    head.tabIndex = 0;
    head.addEventListener("click", () => sort(head));
    head.addEventListener("keydown", (e) => {
      if (e.key !== "Enter" && e.key !== " ") return;
      e.preventDefault();
      sort(head);
    });
  }
}
