// Which tracks stand where on the timeline, and which rows of them are shown.

export const ROW = 17; // pixels of the page
const HEAD = 20, GAP = 5;

// layout places the tracks; folds says what was opened or closed by hand.
export function layout(run, folds) {
  const list = []; // {y, height, track, rows} or {y, height, group}
  let y = 2, rank = -1;
  run.tracks.forEach((t, i) => {
    if (run.many && t.rank !== rank) {
      rank = t.rank;
      list.push({ y, height: HEAD, group: rank });
      y += HEAD + 2;
    }
    const closed = run.many && (folds.get(`r${t.rank}`) ?? t.rank > 0);
    if (closed && !(t.kind === "plan" || t.kind === "frames" || t.kind === "device" && !t.part)) return;
    if (t.kind === "plan" && !run.many) return; // it is pinned above
    const fold = folds.get(key(run, i)) ?? (closed ? 1 : Math.min(t.fold, t.main || t.kind !== "host" ? t.fold : 2));
    const rows = Math.max(1, Math.min(fold, t.rows));
    list.push({ y, height: rows * ROW, track: i, rows });
    y += rows * ROW + GAP;
  });
  return { list, height: y + 40, of: new Map(list.filter((r) => r.track !== undefined).map((r) => [r.track, r])) };
}

// key names a track for what was opened by hand: the same in a run that has grown.
export const key = (run, i) => `${run.tracks[i].rank}/${run.tracks[i].kind}/${run.tracks[i].name}/${run.tracks[i].part ?? ""}`;

// nextFold opens a track wholly, then closes it to one row, then shows it as at first.
export function nextFold(t, rows) {
  if (rows < t.rows && rows > 1 || rows === 1 && t.rows > 1 && t.fold === 1) return t.rows;
  if (rows === t.rows && t.rows > 1) return 1;
  return Math.max(t.fold, Math.min(t.rows, 2));
}
