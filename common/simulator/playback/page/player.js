// One recording with all that shows it. The conductor says how many of its steps are done.

class Player {
  constructor(conductor, number, cycles) {
    this.conductor = conductor;
    this.number = number;
    this.recording = conductor.recordings[number];
    this.words = new Words(this.recording);
    this.origins = new Origins(this.recording);
    this.paint_by = "kind";
    this.chosen = null;
    const {data} = this.recording;
    this.findings = new FindingsView(this);
    this.accused = this.findings.elements();
    this.element_view = new ElementView(this);
    this.source = new SourceView(this);
    this.source.mark(data.findings.flatMap((finding) => [finding.step, finding.other])
      .filter((step) => step >= 0).map((step) => this.recording.line_key(this.recording.step(step).op)));
    this.timeline = new TimelineView(this, cycles);
    this.panels = this.make_panels();
    this.now = make("p", {class: "now", "aria-live": "polite"});
    this.tabs = make("div", {class: "tabs", role: "group", "aria-label": "Panels"}, this.panels.map((panel) => panel.tab),
      this.paint_choice());
    this.element = make("article", {class: "player", "aria-label": data.title}, this.heading(), this.now,
      make("div", {class: "stage"}, this.source.element, make("div", {class: "panels-side"}, this.tabs,
        make("div", {class: "panels"}, this.panels.map((panel) => panel.element)))), this.timeline.element);
    this.conductor.listeners.push(() => this.draw());
  }

  done() { return this.conductor.steps_done(this.number); }
  go_to_step(step) { this.conductor.go(this.conductor.place_of(this.number, step)); }

  make_panels() {
    const shared = this.recording.arrays.filter((array) => array.space === "shared");
    const global = this.recording.arrays.filter((array) => array.space === "global" && !array.texels);
    const texels = this.recording.arrays.filter((array) => array.texels);
    const panels = [];
    if (!this.findings.is_empty) panels.push(this.panel("Findings", [this.findings], true));
    panels.push(this.panel("Warps", [new WarpsView(this)]), this.panel("Lanes", [new LanesView(this)]));
    if (shared.length > 0) panels.push(this.panel("Shared", shared.map((array) => new SharedView(this, array)), true));
    if (global.length > 0) panels.push(this.panel("Global", global.map((array) => new GlobalView(this, array)), true));
    if (texels.length > 0) panels.push(this.panel("Texels", texels.map((array) => new SharedView(this, array)), true));
    panels.push(this.panel("Element", [this.element_view], true));
    return panels;
  }

  panel(name, views, wide = false) {
    const id = `panel-${this.number}-${name}`;
    const panel = {name, views, open: name !== "Element",
      element: make("section", {id, class: "panel" + (wide ? " wide" : ""), "aria-label": name}, make("h2", {}, name),
        views.map((view) => view.element))};
    panel.tab = button(name, `Panel: ${name}`, () => this.toggle(panel), {"aria-controls": id});
    return panel;
  }

  /// On a narrow screen one panel at a time, on a wide one any number; of two recordings the same.
  toggle(panel) {
    for (const player of this.conductor.players) {
      const same = player.panels.find((one) => one.name === panel.name);
      if (same) player.toggle_own(same, !panel.open);
    }
  }

  toggle_own(panel, open) {
    const one_only = !matchMedia("(min-width: 1000px)").matches || this.conductor.recordings.length > 1;
    if (one_only) this.panels.forEach((one) => { one.open = one === panel; });
    else panel.open = open;
    this.show_panels();
    this.draw();
  }

  /// As many as there is room for.
  fit_panels() {
    const one_only = !matchMedia("(min-width: 1000px)").matches || this.conductor.recordings.length > 1;
    const preferred = this.panels.find((panel) => panel.name === "Shared") ?? this.panels[0];
    this.panels.forEach((panel) => {
      panel.open = one_only ? panel === (this.findings.is_empty ? preferred : this.panels[0]) :
        panel.name !== "Element" || this.chosen !== null;
    });
    this.show_panels();
  }

  show_panels() {
    for (const panel of this.panels) {
      panel.element.hidden = !panel.open;
      panel.tab.setAttribute("aria-pressed", String(panel.open));
    }
  }

  heading() {
    const {data} = this.recording;
    const dim = ([x, y, z]) => z > 1 ? `${x} × ${y} × ${z}` : y > 1 ? `${x} × ${y}` : String(x);
    const verdict = data.verdict ? make("span", {class: "verdict " + (data.verdict === "pass" ? "good" : "bad")},
      data.verdict === "pass" ? "answer right" : data.verdict) : null;
    const notes = [`${data.blocks.length === 1 ? "block" : "blocks"} ${data.blocks.join(" and ")} of ${dim(data.grid)}`,
      `${dim(data.block)} threads`, plural(this.recording.count, "step"), `${Math.round(this.recording.cycles)} cycles`];
    if (data.input) notes.unshift(data.input);
    if (data.launches.length > 1) notes.push(`launch ${data.launch + 1} of ${data.launches.length}`);
    const limits = [];
    if (data.cut) limits.push("The recording is full: what follows is not in it.");
    if (data.left_out) limits.push(`The page leaves out the last ${data.left_out} recorded steps, for its size; --json has them.`);
    if (data.ops.some(([, , , , seen]) => !seen))
      limits.push("The state of an mbarrier is not recorded.");
    return make("header", {class: "heading"}, make("h1", {}, data.title, " ", verdict,
      make("code", {class: "soft kernel", title: data.kernel}, short_kernel(data.kernel))),
    make("p", {class: "soft facts-line"}, notes.join(" · ")), limits.map((text) => make("p", {class: "mistake"}, text)));
  }

  paint_choice() {
    const choice = make("select", {"aria-label": "What colours cells",
      change: () => { this.paint_by = choice.value; this.draw(); }},
    [["kind", "colour: read or write"], ["lane", "colour: lane"], ["warp", "colour: last warp"]]
      .map(([value, text]) => make("option", {value}, text)));
    return choice;
  }

  /// Of a cell, where lanes or warps give the colour.
  cell_style(touches, last_step) {
    const color = this.paint_by === "lane" && touches.length > 0 ? lane_color(touches[0].lane) :
      this.paint_by === "warp" && last_step ? lane_color(last_step.warp, this.recording.warps) : null;
    return color && `background:${color.background};color:${color.ink}`;
  }

  choose(array, index) {
    this.chosen = {array, index};
    this.element_view.show(this.chosen);
    const panel = this.panels.find((one) => one.name === "Element");
    if (!panel.open) this.toggle(panel);
    else this.draw();
    panel.element.scrollIntoView({block: "nearest"});
  }

  is_chosen(array, indices) { return this.chosen?.array === array && indices.includes(this.chosen.index); }
  is_accused(array, indices) { return indices.some((index) => this.accused.has(array.number + ":" + index)); }

  draw() {
    const done = this.done();
    this.say(done);
    this.source.draw(done);
    for (const panel of this.panels) {
      if (panel.open) panel.views.forEach((view) => view.draw(done));
    }
    this.timeline.draw();
    this.timeline.follow();
  }

  say(done) {
    if (done === 0) {
      this.now.replaceChildren(make("b", {}, "Before the first step."),
        make("span", {class: "soft"}, " → steps, Space plays, ? lists all keys."));
      return;
    }
    const step = this.recording.step(done - 1);
    const wait = this.words.wait(step);
    this.now.replaceChildren(make("b", {}, `step ${done - 1} of ${this.recording.count} `),
      make("span", {class: "soft"}, `cycle ${Math.round(step.cycle)} `), this.words.step(done - 1),
      wait ? make("span", {class: "soft"}, ` (${wait})`) : "",
      make("code", {class: "soft"}, " " + step.op.text));
  }
}
