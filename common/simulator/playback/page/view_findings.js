// What was found: of a race both accesses and what would have to lie between them, of an access out of bounds
// the array's end, of a wrong answer the chain of stores that led to it.

class FindingsView {
  constructor(player) {
    this.player = player;
    this.recording = player.recording;
    const {data} = player.recording;
    this.element = make("div", {class: "findings"});
    data.findings.forEach((finding, number) => this.element.append(this.card(finding, number)));
    if (data.wrong) this.element.append(this.wrong_card());
    // Of a wrong answer the card above says more.
    const is_said = data.findings.length > 0 || (data.verdict === "wrong" && data.wrong);
    if (data.message && data.verdict && data.verdict !== "pass" && !is_said)
      this.element.prepend(make("p", {class: "mistake"}, data.message));
  }

  get is_empty() { return this.element.children.length === 0; }
  draw() {}

  card(finding, number) {
    const card = make("article", {class: "finding", "aria-label": `Finding ${number + 1}`},
      make("p", {class: "mistake"}, finding.step >= 0 && finding.other >= 0 ? this.happened(finding) : finding.message));
    if (finding.step < 0) {
      card.append(make("p", {class: "soft"}, "No step of the recorded blocks completed it" +
        (finding.line ? `; it is of line ${finding.line}.` : ".")));
      return card;
    }
    const both = make("div", {class: "both"});
    if (finding.other >= 0) both.append(this.access_of(finding.other, finding.other_lanes, "first"));
    if (finding.other >= 0) both.append(this.between(finding));
    both.append(this.access_of(finding.step, finding.lanes, finding.other >= 0 ? "then" : "here"));
    card.append(both);
    const end = this.array_end(finding);
    if (end) card.append(end);
    return card;
  }

  jump(step) {
    return button("go to step " + step, `Go to step ${step}`, () => this.player.go_to_step(step), {class: "jump"});
  }

  access_of(number, lanes, when) {
    const step = this.recording.step(number), words = this.player.words;
    const who = lanes.length > 0 ? words.thread(step.warp, lanes[0]) + `, ${words.warp(step.warp)} lane ${lanes[0]}` :
      words.warp(step.warp);
    const touched = this.recording.accesses(number).flatMap(({array, kind, touches}) =>
      touches.filter((touch) => lanes.includes(touch.lane)).map((touch) => ({array, kind, ...touch})));
    const what = touched.length === 0 ? words.deed(number) : words.verb(touched[0].kind) + " " + touched.slice(0, 4).map(
      ({array, index, value}) => (array ? words.element(array, index) : "address 0x" + index.toString(16)) +
        (value === undefined ? " (refused)" : ` = ${value}`)).join(", ");
    return make("div", {class: "access"}, make("h4", {}, when), make("p", {}, make("b", {}, who), " " + what),
      make("p", {}, make("code", {}, `${words.line(step.op)}: ${words.source(step.op)}`)),
      make("p", {}, this.jump(number), make("span", {class: "soft"}, ` cycle ${Math.round(step.cycle)}`)));
  }

  /// A message says in its first sentence what happened, then what would have to be there.
  happened(finding) { return finding.message.match(/^.*?\.(?= [A-Z]|$)/s)?.[0] ?? finding.message; }
  repair(finding) { return finding.message.slice(this.happened(finding).length).trim(); }

  /// What the two have passed since, and what is missing.
  between(finding) {
    const then = this.recording.step(finding.step);
    const passed = this.recording.openings.filter((opening) => opening.behind > finding.other + 1 &&
      opening.behind <= finding.step && opening.block === this.recording.block_of(then.warp) &&
      (opening.warps >>> this.recording.warp_in_block(then.warp) & 1));
    return make("div", {class: "between"}, make("h4", {}, "between them"),
      make("p", {}, finding.step === finding.other ? "Nothing: it is one instruction." :
        `${plural(finding.step - finding.other - 1, "step")}, ` +
        (passed.length === 0 ? "no barrier" : `${plural(passed.length, "barrier")} of only one of the two`) + "."),
      make("p", {class: "missing"}, this.repair(finding)));
  }

  /// The last elements of an array, its end, and what was touched behind it.
  array_end(finding) {
    const words = this.player.words;
    for (const {array, touches} of this.recording.accesses(finding.step)) {
      const beyond = array ? touches.filter((touch) => words.beyond(array, touch.index)) : [];
      if (beyond.length === 0) continue;
      const inside = [];
      for (let index = Math.max(0, array.elements - 6); index < array.elements; ++index) inside.push(index);
      const outside = [...new Set(beyond.map((touch) => touch.index))].slice(0, 6);
      const cell = (index, style, text) => make("td", {class: style}, make("small", {}, String(index)), text);
      const history = this.recording.history(array.number);
      return make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "The end of the array"},
        make("table", {class: "end-of-array"}, make("tbody", {}, make("tr", {},
          make("th", {scope: "row"}, make("code", {}, array.name)),
          inside[0] > 0 ? make("td", {class: "soft"}, "…") : null,
          inside.map((index) => cell(index, "", short_value(history.last(index, finding.step + 1)?.value) || "·")),
          make("td", {class: "wall", "aria-label": "end"}, `end: ${plural(array.elements, "element")}`),
          outside[0] > array.elements ? make("td", {class: "soft"}, "…") : null,
          outside.map((index) => cell(index, "beyond", "✗ " + plural(
            beyond.filter((touch) => touch.index === index).length, "lane")))))));
    }
    return null;
  }

  wrong_card() {
    const {data} = this.recording, at = data.wrong_element;
    const card = make("article", {class: "finding"}, make("p", {class: "mistake"}, make("code", {}, data.wrong),
      ` is ${data.got}` + (data.expected ? `, expected ${data.expected}.` : ", which is wrong.")));
    if (!at) {
      card.append(make("p", {class: "soft"}, "The recorded launch has no parameter that points there: another launch " +
        "of the call wrote it, or nobody did."));
      return card;
    }
    const view = new ElementView(this.player);
    const chain = view.chain(at[0], at[1], this.recording.count, 0);
    card.append(make("h4", {}, "Who wrote this?"), chain, make("p", {}, button("all accesses to it",
      "Show all accesses to the wrong element", () => this.player.choose(this.recording.arrays[at[0]], at[1]))));
    return card;
  }

  /// Steps to jump to, in order: of each finding, and the store of the wrong element.
  steps() {
    const {data} = this.recording, steps = [];
    for (const finding of data.findings) steps.push(finding.other, finding.step);
    if (data.wrong_element) {
      const store = this.player.origins.of(data.wrong_element[0], data.wrong_element[1], this.recording.count);
      if (store) steps.push(store.step);
    }
    return [...new Set(steps.filter((step) => step >= 0))].sort((a, b) => a - b);
  }

  /// The elements that a finding is about: to be marked in their arrays.
  elements() {
    const {data} = this.recording, all = [];
    for (const finding of data.findings) {
      if (finding.step < 0) continue;
      for (const {array, touches} of this.recording.accesses(finding.step)) {
        if (!array) continue;
        const named = touches.filter((touch) => finding.lanes.length === 0 || finding.lanes.includes(touch.lane));
        for (const {index} of named) all.push(array.number + ":" + index);
      }
    }
    if (data.wrong_element) all.push(data.wrong_element.join(":"));
    return new Set(all);
  }
}
