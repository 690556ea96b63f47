// How the view of the timeline moves: while keys are held, by a glide, and to rest.

export class Motion {
  constructor(t) {
    this.t = t;
    this.held = new Set();
    this.moving = false;
  }

  // step moves the view as long as keys are held or it glides.
  step(now) {
    const past = Math.min(now - (this.last ?? now), 50);
    this.last = now;
    const held = this.held;
    let moving = false;
    const x = this.mouse ?? this.t.view.width / 2;
    if (held.has("w") || held.has("s")) { this.t.view.zoom(2 ** ((held.has("w") ? -1 : 1) * past / 160), x); moving = true; }
    if (held.has("a") || held.has("d")) { this.t.view.pan(Math.round((held.has("a") ? -1 : 1) * past * this.t.view.width / 900)); moving = true; }
    if (this.gliding) {
      const k = Math.min(1, past / this.gliding.left || 1);
      this.t.view.zoom(this.gliding.factor ** k, x);
      this.gliding.factor **= 1 - k;
      this.gliding.left -= past;
      if (this.gliding.left <= 0) this.gliding = undefined;
      moving = true;
    }
    if (moving) {
      this.moving = true;
      this.t.ask();
    } else {
      this.last = undefined;
      this.rest();
    }
  }

  // rest settles the view a moment after the last movement.
  rest() {
    if (this.t.view.settled) { this.moving = false; return; }
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      if (this.held.size || this.gliding || this.t.gone) return;
      this.t.view.settle(this.mouse ?? this.t.view.width / 2);
      this.moving = false;
      this.t.address();
      this.t.ask();
    }, 110);
  }

  glide(factor) {
    this.gliding = { factor: (this.gliding?.factor ?? 1) * factor, left: 120 };
    this.t.address();
    this.t.ask();
  }
}
