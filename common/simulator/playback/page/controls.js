// Buttons and keys: step, play, jump.

const key_help = [["→ ←", "step, step back"], ["Shift → ←", "one instruction"], ["Space", "play, pause"],
  ["Home End", "to the beginning, to the end"], ["w W", "next, previous step of the same warp"],
  ["b B", "next, previous barrier that opens"], ["f F", "next, previous finding"], ["[ ]", "slower, faster"],
  ["+ − 0", "zoom the time line in, out, fit"], ["?", "this help"]];

const speeds = [1, 2, 5, 10, 25, 60, 250, 1000, 5000];  // steps a second

class Controls {
  constructor(conductor, players) {
    this.conductor = conductor;
    this.players = players;
    this.timer = null;
    this.speed = 3;
    this.play_button = button("▶", "Play (Space)", () => this.toggle(), {class: "play"});
    this.slider = make("input", {type: "range", min: "0", max: String(conductor.length), value: "0",
      "aria-label": "Position", input: () => conductor.go(Number(this.slider.value))});
    this.count = make("output", {class: "count"});
    this.speed_choice = make("select", {"aria-label": "Speed", title: "Speed ([ and ])",
      change: () => this.set_speed(Number(this.speed_choice.value))},
    speeds.map((speed, i) => make("option", {value: String(i), selected: i === this.speed}, `${speed} steps/s`)));
    this.stops = make("select", {"aria-label": "Where to stop", title: "Where a step ends",
      change: () => { conductor.granularity = this.stops.value; }},
    [["event", "memory, barriers, branches"], ["line", "lines"], ["instruction", "every instruction"]]
      .map(([value, text]) => make("option", {value}, text)));
    this.help = this.make_help();
    this.jumps = players.flatMap((player) => player.findings.steps().map((step) => conductor.place_of(player.number, step)))
      .sort((a, b) => a - b);
    const has_barriers = players.some((player) => player.recording.openings.length > 0);
    this.element = make("div", {class: "controls", role: "toolbar", "aria-label": "Playing"},
      make("span", {class: "group"}, button("|◀", "To the beginning (Home)", () => conductor.go(0)),
        button("◀", "Step back (left arrow)", () => conductor.next(-1), {class: "back"}), this.play_button,
        button("▷", "Step (right arrow)", () => conductor.next(1), {class: "step"}),
        button("▶|", "To the end (End)", () => conductor.go(conductor.length))),
      this.slider, this.count,
      make("span", {class: "group"}, make("label", {}, "step: ", this.stops), this.speed_choice),
      make("span", {class: "group"}, has_barriers ? [button("◂ barrier", "To the barrier that opened before (B)",
        () => conductor.next_barrier(-1)), button("barrier ▸", "To the next barrier that opens (b)",
        () => conductor.next_barrier(1))] : null,
      this.jumps.length > 0 ? button("finding ▸", "To the next finding (f)", () => this.next_finding(1),
        {class: "to-finding"}) : null,
      button("?", "Keys and what is shown (?)", () => this.help.showModal(), {class: "help"})), this.help);
    conductor.listeners.push(() => this.draw());
    document.addEventListener("keydown", (event) => this.key(event));
    this.draw();
  }

  /// A mistake is what the page is opened for; what is right begins at the beginning.
  open_at_finding() {
    for (const player of this.players) {
      const {findings} = player.recording.data, steps = player.findings.steps();
      const first = findings.find((finding) => finding.step >= 0)?.step ?? steps[0];
      if (first !== undefined) return player.go_to_step(first);
    }
  }

  draw() {
    this.slider.value = String(this.conductor.position);
    this.slider.setAttribute("aria-valuetext", `after ${this.conductor.position} of ${this.conductor.length} steps`);
    this.count.textContent = `${this.conductor.position} / ${this.conductor.length}`;
  }

  next_finding(direction) {
    const at = this.conductor.position;
    const next = direction > 0 ? this.jumps.find((jump) => jump > at) ?? this.jumps[0] :
      this.jumps.findLast((jump) => jump < at) ?? this.jumps.at(-1);
    if (next !== undefined) this.conductor.go(next);
  }

  get plays() { return this.timer !== null; }

  toggle() {
    if (this.plays) return this.stop();
    if (this.conductor.position === this.conductor.length) this.conductor.go(0);
    this.last = performance.now();
    this.owed = 0;
    this.timer = setInterval(() => this.tick(), 16);
    this.show_playing();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.show_playing();
  }

  show_playing() {
    this.play_button.textContent = this.plays ? "⏸" : "▶";
    this.play_button.setAttribute("aria-label", this.plays ? "Pause (Space)" : "Play (Space)");
    for (const player of this.players) player.now.setAttribute("aria-live", this.plays ? "off" : "polite");
  }

  /// As many steps as the time since the last tick is worth; the picture is drawn once.
  tick() {
    const now = performance.now();
    this.owed += Math.min(200, now - this.last) / 1000 * speeds[this.speed];
    this.last = now;
    let to = this.conductor.position;
    for (; this.owed >= 1 && to < this.conductor.length; --this.owed) {
      do ++to; while (to < this.conductor.length && !this.conductor.stops_at(to));
    }
    this.conductor.go(to);
    if (to === this.conductor.length) this.stop();
  }

  set_speed(speed) {
    this.speed = Math.max(0, Math.min(speeds.length - 1, speed));
    this.speed_choice.value = String(this.speed);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    const in_field = event.target.closest?.("select, input:not([type=range])");
    const on_button = event.target.closest?.("button, summary") && (event.key === " " || event.key === "Enter");
    if (in_field || on_button) return;
    const conductor = this.conductor, zoom = (by) => this.players.forEach((player) => player.timeline.set_zoom(by(player.timeline.zoom)));
    const does = {
      ArrowRight: () => event.shiftKey ? conductor.go(conductor.position + 1) : conductor.next(1),
      ArrowLeft: () => event.shiftKey ? conductor.go(conductor.position - 1) : conductor.next(-1),
      " ": () => this.toggle(), Home: () => conductor.go(0), End: () => conductor.go(conductor.length),
      w: () => conductor.next_of_warp(1), W: () => conductor.next_of_warp(-1),
      b: () => conductor.next_barrier(1), B: () => conductor.next_barrier(-1),
      f: () => this.next_finding(1), F: () => this.next_finding(-1),
      "]": () => this.set_speed(this.speed + 1), "[": () => this.set_speed(this.speed - 1),
      "+": () => zoom((old) => 2 * old), "-": () => zoom((old) => old / 2), 0: () => zoom(() => 1),
      "?": () => this.help.showModal(),
    }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  }

  make_help() {
    const close = button("close", "Close the help", () => this.help.close());
    return make("dialog", {"aria-label": "Help"}, make("h2", {}, "Keys"),
      make("table", {}, make("tbody", {}, key_help.map(([keys, words]) => make("tr", {},
        make("th", {class: "text", scope: "row"}, make("kbd", {}, keys)), make("td", {class: "text"}, words))))),
      make("p", {}, "A line's number jumps to its next run, with Shift to the one before. A cell of an array shows who " +
        "wrote it. A click on the time line goes there."),
      make("h2", {}, "What is shown"),
      make("p", {}, "One launch on the simulated GPU, the blocks that are named above, nothing of the others. Steps are " +
        "PTX instructions; on a GPU one may be none or several. Cycles are the model's, for these blocks alone on one " +
        "multiprocessor. Between two branches the model lets an instruction issue as soon as its operands are ready, as a " +
        "compiler would order them: so a warp's cycles may go back from one step to the next. Steps of different warps " +
        "stand in the order of their cycles, but never so that an access would find another value than it found. Lanes of one atomic have their turns one after the other, the lowest first."), close);
  }
}
