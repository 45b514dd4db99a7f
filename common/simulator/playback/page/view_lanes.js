// What goes between lanes, and between lanes and memory: arrows of this step.

const arrow_height = 70, box = 18, gutter_width = 48;

class LanesView {
  constructor(player) {
    this.player = player;
    this.recording = player.recording;
    this.said = make("p", {class: "said"});
    this.region = make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Arrows between lanes"});
    this.element = make("div", {class: "arrows"}, this.said, this.region);
  }

  draw(done) {
    this.region.replaceChildren();
    this.said.classList.add("soft");
    if (done === 0) { this.said.textContent = "Nothing has run yet."; return; }
    const step = this.recording.step(done - 1), accesses = this.recording.accesses(done - 1);
    if (step.from) return this.draw_shuffle(step);
    if (step.op.kind === "vote" && step.results) return this.draw_vote(step);
    if (accesses[0]?.space === "local")
      return this.say(`${this.player.words.warp(step.warp)}: each lane ${this.player.words.verb(accesses[0].kind)} local ` +
        "memory of its own.");
    if (accesses.length > 0) {
      this.said.textContent = "";
      for (const access of this.player.words.joined(accesses)) this.draw_access(step, access);
      return;
    }
    if (step.op.kind === "product" && step.lanes !== 0)
      return this.say(`${this.player.words.warp(step.warp)} multiplies matrices that its lanes hold together: which ` +
        "elements went into one of the product is not recorded.");
    this.said.textContent = "This step moves nothing between lanes or to memory.";
  }

  say(text) {
    this.said.classList.remove("soft");
    this.said.textContent = text;
  }

  /// Two rows of boxes and arrows: `rows` are {texts by place, colors}, arrows [from, to, lane].
  picture(label, above, below, arrows, captions) {
    const count = Math.max(above.length, below.length), down = arrows.down;
    const room = (this.region.clientWidth - gutter_width) / count;
    const cell_width = Math.max(12, Math.min(24, Math.floor(room)));
    const width = count * cell_width + gutter_width, every = below.some((one) => one?.text.length > 2) && cell_width < 22 ? 4 : 1;
    const svg = make("svg", {class: cell_width < 15 ? "small" : "", width, height: arrow_height + 2 * box + 4, viewBox: `0 0 ${width} ${arrow_height + 2 * box + 4}`,
      role: "img", "aria-label": label});
    const x = (place) => gutter_width + place * cell_width + cell_width / 2;
    const row = (boxes, y, caption) => {
      svg.append(make("text", {x: 0, y: y + 13, class: "caption"}, caption));
      boxes.forEach((one, place) => {
        const text = one.text.length > 2 && place % every !== 0 ? "" : one.text;
        const {background, ink} = one.color ?? {};
        svg.append(make("g", {}, make("title", {}, one.title ?? ""),
          make("rect", {x: x(place) - cell_width / 2 + 1, y, width: cell_width - 2, height: box, rx: 3,
            class: one.color ? "" : "box", fill: background}),
          make("text", {x: x(place), y: y + 13, class: "value", style: ink && "fill:" + ink}, text)));
      });
    };
    row(above, 1, captions[0]);
    row(below, box + arrow_height + 2, captions[1]);
    for (const [from, to, lane] of arrows) {
      const top = box + 3, bottom = box + arrow_height - 1;
      const [start, end] = down === false ? [bottom, top] : [top, bottom];
      const a = x(down === false ? to : from), b = x(down === false ? from : to);
      const from_x = down === false ? b : a, to_x = down === false ? a : b;
      svg.append(make("path", {class: "arrow", stroke: lane_color(lane).background,
        d: `M${from_x},${start} C${from_x},${(start + end) / 2} ${to_x},${(start + end) / 2} ${to_x},${end}`}),
      make("circle", {class: "tip", cx: to_x, cy: end, r: 2.5, fill: lane_color(lane).background}));
    }
    this.region.append(svg);
  }

  lane_boxes(mask) {
    return all_lanes.map((lane) => mask >>> lane & 1 ? {text: String(lane), color: lane_color(lane),
      title: "lane " + lane} : {text: String(lane), title: `lane ${lane} does not take part`});
  }

  draw_shuffle(step) {
    const lanes = lanes_of(step.lanes);
    const arrows = lanes.map((lane, k) => [step.from[k], lane, step.from[k]]);
    const moved = arrows.filter(([from, to]) => from !== to);
    this.say(`${this.player.words.warp(step.warp)}: ${step.op.text.split(" ")[0]}; ` +
      (moved.length === 0 ? "every lane keeps its own value." : moved.slice(0, 4).map(([from, to]) =>
        `lane ${to} takes lane ${from}'s`).join(", ") + (moved.length > 4 ? ", …" : ".")));
    const got = all_lanes.map((lane) => {
      const k = lanes.indexOf(lane);
      if (k < 0) return {text: "", title: `lane ${lane} does not take part`};
      const value = step.results?.[k];
      return {text: String(lane), color: lane_color(step.from[k]), title: `lane ${lane} gets the value of lane ` +
        `${step.from[k]}${value === undefined ? "" : `: ${value.toString(16).padStart(8, "0")} in hexadecimal`}`};
    });
    this.picture("Shuffle: " + moved.map(([from, to]) => `${from} to ${to}`).join(", "),
      this.lane_boxes(step.lanes), got, arrows, ["from", "to"]);
  }

  draw_vote(step) {
    const first = step.results[0];
    this.say(`${this.player.words.warp(step.warp)}: ${step.op.text.split(" ")[0]} gives ` +
      (step.results.every((result) => result === first) ? `0x${first.toString(16)}, bits of lanes ` +
        (ranges(lanes_of(first)) || "none") : "each lane a result of its own") + ".");
    const results = all_lanes.map((lane) => {
      const k = lanes_of(step.lanes).indexOf(lane);
      return k < 0 ? {text: ""} : {text: first >>> lane & 1 ? "1" : "0", title: "0x" + step.results[k].toString(16)};
    });
    this.picture("Vote", this.lane_boxes(step.lanes), results, [], ["lane", "bit"]);
  }

  /// Lanes and the different elements that they want; several arrows to one element take turns if atomic.
  draw_access(step, {array, kind, touches}) {
    const words = this.player.words;
    const indices = [...new Set(touches.map((touch) => touch.index))].sort((a, b) => a - b);
    const shown = indices.slice(0, 64);
    const lanes_at = new Map(shown.map((index) => [index, touches.filter((touch) => touch.index === index)]));
    const most = Math.max(...[...lanes_at.values()].map((list) => list.length));
    const is_atomic = kind === "atomic", said = this.said.textContent;
    this.say((said ? said + " Then it " : words.warp(step.warp) + " ") +
      `${words.verb(kind)} ${plural(indices.length, "element")}` + (most > 1 ? `, up to ${plural(most, "lane")} at one` +
        (is_atomic ? ": they take turns, the lowest first" : "") : "") + ".");
    const places = shown.map((index) => {
      const turns = lanes_at.get(index), last = turns.at(-1);
      const change = !array ? "" : is_atomic ? ": " + turns.map((turn) => turn.found).join(" → ") +
        ` → ${last.value ?? "refused"}` : ` = ${last.value ?? "refused"}`;
      return {text: array ? String(index % 10000) : "·",
        color: lanes_at.get(index).length > 1 ? undefined : lane_color(last.lane),
        title: (array ? words.element(array, index) : "place " + index) + change};
    });
    const arrows = touches.filter(({index}) => lanes_at.has(index))
      .map((touch) => [touch.lane, shown.indexOf(touch.index), touch.lane]);
    arrows.down = kind !== "load";
    this.picture(words.access(step, {array, space: "", kind, touches}), this.lane_boxes(step.lanes), places, arrows,
      ["lane", !array ? "place" : array.name.length > 7 ? array.name.slice(0, 6) + "…" : array.name]);
  }
}
