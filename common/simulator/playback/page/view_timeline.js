// The time line: a row a warp, its instructions in modelled cycles, and what it waited for in between.

const gutter = 60;
const wait_names = {memory: "memory", shared: "shared memory", dependency: "a result", barrier: "a barrier",
  branch: "a branch", pipe: "the pipe", none: "its turn"};

class TimelineView {
  constructor(player, cycles) {
    this.player = player;
    this.recording = player.recording;
    this.cycles = Math.max(cycles, 32);  // of all recordings that are played
    this.zoom = 1;
    this.row = this.recording.warps <= 8 ? 14 : this.recording.warps <= 16 ? 11 : this.recording.warps <= 32 ? 6 : 4;
    this.height = this.recording.warps * this.row + 16;
    this.canvas = make("canvas", {role: "img", "aria-label": this.summary(),
      click: (event) => this.clicked(event), mousemove: (event) => this.hovered(event)});
    this.spacer = make("div", {class: "spacer"});
    this.region = make("div", {class: "scroll time", tabindex: "0", role: "region", "aria-label": "Time line",
      scroll: () => this.draw()}, this.canvas, this.spacer);
    this.said = make("p", {class: "soft said"}, "point at an instruction to see what it is");
    this.element = make("section", {class: "timeline", "aria-label": "Time line"},
      make("div", {class: "row"},
        button("−", "Zoom the time line out (key -)", () => this.set_zoom(this.zoom / 2)),
        button("+", "Zoom the time line in (key +)", () => this.set_zoom(this.zoom * 2)),
        button("fit", "Show the whole time (key 0)", () => this.set_zoom(1)), this.legend(), this.said),
      this.region, this.totals_table());
    this.resize = new ResizeObserver(() => requestAnimationFrame(() => this.draw()));
    this.resize.observe(this.region);
  }

  /// Cycles that each warp lost before its instructions, by reason.
  totals() {
    if (this.sums) return this.sums;
    this.sums = Array.from({length: this.recording.warps}, () => ({}));
    this.each_step((warp, step) => {
      if (step.lost > 0) this.sums[warp][step.wait] = (this.sums[warp][step.wait] ?? 0) + step.lost;
    });
    return this.sums;
  }

  each_step(told) {
    this.recording.issues_of_warp.forEach((steps, warp) => {
      for (const i of steps) {
        const [, , , , cycle, wait] = this.recording.data.steps[i];
        told(warp, {cycle, wait: waits[wait], lost: this.recording.lost[i]});
      }
    });
  }

  summary() {
    const sum = {};
    for (const warp of this.totals())
      for (const [wait, cycles] of Object.entries(warp)) sum[wait] = (sum[wait] ?? 0) + cycles;
    const parts = Object.entries(sum).sort(([, a], [, b]) => b - a)
      .map(([wait, cycles]) => `${Math.round(cycles)} cycles for ${wait_names[wait]}`);
    return `Time line of ${plural(this.recording.warps, "warp")}, ${Math.round(this.recording.cycles)} cycles. ` +
      `Warps waited ${parts.join(", ")}.`;
  }

  legend() {
    const shown = new Set(this.totals().flatMap((warp) => Object.keys(warp)));
    return make("span", {class: "key"}, make("span", {}, make("i", {class: "issue"}), " an instruction "),
      make("span", {}, "waits for:"), Object.keys(wait_names).filter((wait) => shown.has(wait)).map((wait) =>
        make("span", {}, make("i", {class: "wait " + wait}), " " + wait_names[wait] + " ")));
  }

  totals_table() {
    const reasons = Object.keys(wait_names).filter((wait) => this.totals().some((warp) => warp[wait] > 0));
    return make("details", {class: "totals"}, make("summary", {}, "Cycles waited, as a table"),
      make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Cycles waited"},
        make("table", {}, make("thead", {}, make("tr", {}, make("th", {class: "text", scope: "col"}, "warp"),
          make("th", {scope: "col"}, "instructions"),
          reasons.map((wait) => make("th", {scope: "col"}, wait_names[wait])))),
        make("tbody", {}, this.totals().map((sums, warp) => make("tr", {},
          make("th", {class: "text", scope: "row"}, this.player.words.warp(warp)),
          make("td", {}, String(this.recording.steps_of_warp[warp].length)),
          reasons.map((wait) => make("td", {}, sums[wait] ? String(Math.round(sums[wait])) : ""))))))));
  }

  set_zoom(zoom) {
    const most = 16 * this.cycles / Math.max(200, this.region.clientWidth - gutter);
    this.zoom = Math.max(1, Math.min(zoom, Math.max(1, most)));
    this.drawn = null;
    this.draw();
    this.follow();
  }

  get scale() { return this.zoom * Math.max(100, this.region.clientWidth - gutter - 8) / this.cycles; }

  /// Keeps the position in sight.
  follow() {
    const x = this.now() * this.scale, width = this.region.clientWidth - gutter;
    if (x < this.region.scrollLeft + 20 || x > this.region.scrollLeft + width - 40)
      this.region.scrollLeft = x - width / 3;
  }

  now() { return this.player.conductor.cycle; }

  draw() {
    const width = this.region.clientWidth;
    if (width === 0) return;
    this.spacer.style.width = this.zoom * (width - gutter - 8) + gutter + "px";
    const ratio = window.devicePixelRatio || 1, scroll = this.region.scrollLeft;
    const key = [width, scroll, this.zoom, ratio, css_color("--ink")].join();
    if (this.drawn !== key) {
      this.still = document.createElement("canvas");
      for (const canvas of [this.canvas, this.still]) {
        canvas.width = width * ratio;
        canvas.height = this.height * ratio;
      }
      this.canvas.style.width = width + "px";
      this.canvas.style.height = this.height + "px";
      const paint = this.still.getContext("2d");
      paint.scale(ratio, ratio);
      this.paint_still(paint, width, scroll);
      this.drawn = key;
    }
    const paint = this.canvas.getContext("2d");
    paint.setTransform(1, 0, 0, 1, 0, 0);
    paint.clearRect(0, 0, this.canvas.width, this.canvas.height);
    paint.drawImage(this.still, 0, 0);
    paint.scale(ratio, ratio);
    this.paint_now(paint, width, scroll);
  }

  /// All but the position.
  paint_still(paint, width, scroll) {
    const scale = this.scale, colors = Object.fromEntries(waits.map((wait) => [wait, css_color("--wait-" + wait)]));
    const ink = css_color("--ink"), row = this.row, inset = row > 11 ? 3 : row > 8 ? 2 : 1, x = (cycle) => gutter + cycle * scale - scroll;
    paint.font = `${Math.max(9, Math.min(11, row))}px system-ui, sans-serif`;
    paint.save();
    paint.beginPath();
    paint.rect(gutter, 0, width - gutter, this.height);
    paint.clip();
    this.each_step((warp, {cycle, wait, lost}) => {
      if (lost === 0 || x(cycle) < gutter || x(cycle - lost) > width) return;
      paint.fillStyle = colors[wait];
      paint.fillRect(x(cycle - lost), warp * row + inset, lost * scale, row - 2 * inset);
    });
    paint.fillStyle = ink;
    this.each_step((warp, {cycle}) => {
      if (x(cycle) >= gutter - scale && x(cycle) <= width)
        paint.fillRect(x(cycle), warp * row + inset - 1, Math.max(scale * 0.9, 0.2), row - 2 * inset + 2);
    });
    this.paint_barriers(paint, x);
    this.paint_findings(paint, x);
    paint.restore();
    paint.fillStyle = css_color("--soft");
    for (let warp = 0; warp < this.recording.warps; ++warp) {
      if (row >= 11 || warp % 4 === 0) paint.fillText(this.player.words.warp(warp).replace(/block /, ""), 0, (warp + 0.5) * row + 4, gutter - 6);
    }
    const decade = 10 ** Math.ceil(Math.log10(80 / scale));
    const step = Math.max(1, 80 / scale < decade / 5 ? decade / 5 : decade);  // of the axis, in cycles
    for (let cycle = Math.ceil(scroll / scale / step) * step; x(cycle) < width - 30; cycle += step)
      paint.fillText(String(cycle), x(cycle), this.height - 3);
  }

  /// A line across the warps that a barrier let go; named ones by their number.
  paint_barriers(paint, x) {
    const color = css_color("--wait-barrier");
    for (const opening of this.recording.openings) {
      const rows = lanes_of(opening.warps).map((warp) => opening.block * this.recording.warps_in_block + warp);
      const at = x(opening.cycle);
      paint.fillStyle = paint.strokeStyle = color;
      paint.lineWidth = 1.5;
      paint.beginPath();
      paint.moveTo(at, rows[0] * this.row);
      paint.lineTo(at, (rows.at(-1) + 1) * this.row);
      paint.stroke();
      for (const warp of rows) paint.fillRect(at - 2, (warp + 0.5) * this.row - 2, 4, 4);
      paint.fillStyle = css_color("--ink");
      if (opening.barrier !== 0) paint.fillText(String(opening.barrier), at - 9, (rows[0] + 1) * this.row - 3);
    }
  }

  paint_findings(paint, x) {
    paint.strokeStyle = css_color("--bad");
    paint.lineWidth = 2;
    const place = (number) => {
      const step = this.recording.step(number);
      return [x(step.cycle), (step.warp + 0.5) * this.row];
    };
    for (const finding of this.recording.data.findings) {
      const ends = [finding.other, finding.step].filter((number) => number >= 0).map(place);
      for (const [at, y] of ends) {
        paint.beginPath();
        paint.arc(at, y, Math.max(4, this.row / 2 - 1), 0, 7);
        paint.stroke();
      }
      if (ends.length < 2) continue;
      paint.beginPath();
      paint.moveTo(...ends[0]);
      paint.lineTo(...ends[1]);
      paint.stroke();
    }
  }

  paint_now(paint, width, scroll) {
    const x = gutter + this.now() * this.scale - scroll;
    if (x < gutter || x > width) return;
    paint.fillStyle = css_color("--accent");
    paint.fillRect(x, 0, 2, this.height - 12);
    const done = this.player.done();
    if (done === 0) return;
    const step = this.recording.step(done - 1);
    paint.strokeStyle = css_color("--accent");
    paint.lineWidth = 2;
    paint.strokeRect(gutter + step.cycle * this.scale - scroll - 2, step.warp * this.row, Math.max(5, this.scale + 3), this.row);
  }

  /// The step of the row that is nearest to a place on the canvas, or -1.
  step_at(event) {
    const box = this.canvas.getBoundingClientRect();
    const warp = Math.floor((event.clientY - box.top) / this.row);
    const cycle = (event.clientX - box.left - gutter + this.region.scrollLeft) / this.scale;
    const steps = this.recording.issues_of_warp[warp];
    if (!steps || steps.length === 0) return -1;
    const cycles = steps.map((i) => this.recording.data.steps[i][4]);
    const at = lower_bound(cycles, cycle);
    return steps[Math.min(at, steps.length - 1)];
  }

  clicked(event) {
    const step = this.step_at(event);
    if (step >= 0) this.player.go_to_step(step);
  }

  hovered(event) {
    const number = this.step_at(event);
    if (number < 0) return;
    const step = this.recording.step(number), wait = this.player.words.wait(step);
    this.said.textContent = `step ${number}, cycle ${Math.round(step.cycle)}: ${this.player.words.warp(step.warp)}, ` +
      `${this.player.words.line(step.op)}, ${step.op.text}` + (wait ? "; " + wait : "");
  }
}
