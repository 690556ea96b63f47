// The picture of the whole run above the timeline.

import { hex } from "./theme.js";

export function deviceShare(run, W, H, ink) {
  const c = document.createElement("canvas");
  c.width = W;
  c.height = H;
  const ctx = c.getContext("2d", { alpha: false }), many = run.ranks.filter((r) => r.busy);
  ctx.fillStyle = ink.shade;
  ctx.fillRect(0, 0, W, H);
  const each = H / Math.max(1, Math.min(many.length, 8));
  many.slice(0, 8).forEach((r, k) => {
    const n = r.busy.share.length;
    for (let i = 0; i < n; i++) {
      if (!r.busy.share[i]) continue;
      const h = Math.max(1, (each - 1) * r.busy.share[i] / 255);
      ctx.fillStyle = hex(`--c-${run.colours[r.busy.stage[i] & 31] || "stage"}`);
      ctx.fillRect(i * W / n, (k + 1) * each - h, W / n + 0.5, h);
    }
  });
  if (!many.length) { // without a device, the stages and steps of the CPU
    const s = run.summary.ranks[0], shift = run.ranks[0]?.shift_ns ?? 0;
    for (const [list, name] of [[s?.stages ?? [], (x) => x.stage], [s?.steps ?? [], () => "diffuse"]]) {
      for (const x of list) {
        ctx.fillStyle = hex(`--c-${name(x)}`) || hex("--c-stage");
        ctx.fillRect((x.start_ns + shift) * W / run.end_ns, H * 0.25, Math.max(1, x.cpu_ns * W / run.end_ns), H * 0.75);
      }
    }
  }
  return c;
}
