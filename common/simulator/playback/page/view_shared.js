// A shared array as words: 32 banks wide or in its own shape. The cells that this step touches, by which lane,
// and the passes that the access takes through the banks. An array of texels in its own shape, a row of them a row.

const most_rows = 34;

class SharedView {
  constructor(player, array) {
    this.player = player;
    this.recording = player.recording;
    this.array = array;
    this.columns_of_shape = array.texels ? array.extents.at(-1) ?? array.elements : array.extents.at(-1) ?? 0;
    this.own_shape = Boolean(array.texels) || this.columns_of_shape > 1 && this.columns_of_shape <= 72;
    this.element = make("div", {class: "shared"});
    const shape = array.extents.length > 0 ? ` [${[Math.ceil(array.elements / array.extents.reduce((a, b) => a * b, 1)),
      ...array.extents].join("][")}]` : "";
    const block = this.recording.data.blocks.length > 1 ? `, block ${this.recording.data.blocks[array.block]}` : "";
    this.said = make("p", {class: "said"});
    this.passes = make("div", {class: "passes"});
    this.table = make("table", {class: "words"});
    const region = (name, style, content) => make("div", {class: "scroll " + style, tabindex: "0", role: "region",
      "aria-label": `${name} ${array.name}`}, content);
    const choice = this.columns_of_shape > 1 && !array.texels ? make("label", {}, make("input", {type: "checkbox",
      change: (event) => { this.own_shape = event.target.checked; this.player.draw(); },
      checked: this.own_shape}), " in its own shape") : null;
    this.element.append(make("h3", {}, make("span", {class: "soft"}, array.texels ? "texels " : "shared "), make("code", {}, array.name + shape), block + " ", choice), this.said, region("Words of", "tall", this.table),
      region("Passes through", "", this.passes));
  }

  /// What a step touches of it.
  touches(step) {
    return step < 0 ? [] : this.recording.accesses(step).flatMap(({array, touches}) => array === this.array ? touches : []);
  }

  draw(done) {
    const step = done > 0 ? this.recording.step(done - 1) : null;
    const accesses = step ? this.recording.accesses(done - 1).filter(({array}) => array === this.array) : [];
    const access = this.player.words.joined(accesses)[0];
    const touches = access?.touches ?? [];
    this.said.textContent = access ? `${this.player.words.warp(step.warp)} ${this.player.words.access(step, access)}` :
      "This step does not touch it.";
    this.said.classList.toggle("soft", !access);
    if (!this.array.texels) this.draw_passes(step, accesses);
    this.draw_words(done, access?.kind, touches);
  }

  /// A row for each pass, a column for each bank: which word the bank gives, and to whom.
  draw_passes(step, accesses) {
    this.passes.replaceChildren();
    const is_atomic = accesses[0]?.kind === "atomic", pieces = this.pieces(accesses);
    if (pieces.length === 0) return;
    const passes = pieces.flatMap((touches) => passes_of(this.array, touches, is_atomic));
    const recorded = pieces.length > 1 ? passes.length : Math.max(step.passes ?? 1, 1);
    const name = (word) => this.player.words.element(this.array,
      Math.floor((word * 4 - this.array.offset) / this.array.bytes));
    const rows = passes.slice(0, 32).map((pass, number) => make("tr", {},
      make("th", {scope: "row", class: "text"}, "pass " + (number + 1)), pass.map((entry, bank) =>
        entry ? make("td", {class: "pass", title: `bank ${bank}: ${name(entry.word)} for ` +
          (entry.lanes.length === 1 ? "lane " : "lanes ") + ranges(entry.lanes),
        style: this.color(entry.lanes[0])}, entry.lanes.length > 1 ? entry.lanes.length + "↗" : String(entry.lanes[0])) :
          make("td", {class: "pass idle"}))));
    // Compilers join neighbouring accesses; the one that stands for both has the passes of both.
    const counted = recorded === passes.length ? "" : `, ${recorded} counted, for compilers join neighbouring accesses`;
    this.passes.append(make("table", {class: "passes", "aria-label": "Passes by bank"},
      make("caption", {}, passes.length === 1 && recorded === 1 ? "One pass: no bank gives two words." :
        `${plural(passes.length, "pass", "passes")}${counted}: ` + (is_atomic ? "lanes that change words of one bank take " +
          "turns" : "a bank gives one word at a time") + ". In the cells: the lane."),
      make("thead", {}, make("tr", {}, make("th", {class: "text", scope: "col"}, "bank"),
        all_lanes.map((bank) => make("th", {scope: "col"}, String(bank))))),
      make("tbody", {}, rows)));
  }

  /// What is served together: an access, or a matrix of ldmatrix, whose halves are two where it is transposed.
  pieces(accesses) {
    const pieces = new Map();
    accesses.forEach(({touches}, number) => {
      for (const touch of touches) {
        if (touch.index >= this.array.elements) continue;
        const key = touch.giver === undefined ? "access " + number : "matrix " + (touch.giver >> 3);
        if (!pieces.has(key)) pieces.set(key, []);
        pieces.get(key).push(touch);
      }
    });
    return [...pieces.values()];
  }

  color(lane) {
    const {background, ink} = lane_color(lane);
    return `background:${background};color:${ink}`;
  }

  /// How the elements stand in rows: {columns, first: empty cells before the first, elements of a cell}.
  layout() {
    const {bytes, offset} = this.array;
    const a_cell = Math.max(1, Math.floor(4 / bytes)), span = Math.max(1, Math.floor(bytes / 4));
    if (this.own_shape) return {columns: this.columns_of_shape, first: 0, a_cell: 1, span: 1};
    return {columns: banks / span, first: Math.floor(offset / 4 / span) % (banks / span), a_cell, span};
  }

  draw_words(done, kind, touches) {
    const {columns, first, a_cell, span} = this.layout(), array = this.array;
    const now = new Map();
    for (const touch of touches) {
      if (!now.has(touch.index)) now.set(touch.index, []);
      now.get(touch.index).push(touch);
    }
    const row_of = (index) => Math.floor((Math.floor(index / a_cell) + first) / columns);
    const last_row = row_of(array.elements - 1);
    const furthest = Math.max(last_row, ...touches.map(({index}) => row_of(index)));
    const history = this.recording.history(array.number);
    // Those of this step, or of the last that touched the array.
    const wanted = this.touches(history.last_step(done)).map(({index}) => row_of(index));
    const rows = this.rows_to_show(furthest, [...new Set(wanted)].sort((a, b) => a - b).slice(0, most_rows));
    const head = make("tr", {}, make("th", {class: "text", scope: "col"}, this.own_shape ? "" : "bank"),
      [...Array(columns).keys()].map((column) => make("th", {scope: "col"}, String(column * span))));
    const body = [];
    let before = -1;
    for (const row of rows) {
      if (row > before + 1) body.push(make("tr", {class: "gap"}, make("td", {colspan: columns + 1}, "⋯")));
      before = row;
      const first_index = Math.max(0, (row * columns - first) * a_cell);
      const cells = [...Array(columns).keys()].map((column) => {
        const index = (row * columns + column - first) * a_cell;
        return this.cell(index, a_cell, done, kind, now, history);
      });
      body.push(make("tr", {}, make("th", {scope: "row", class: "text"}, this.row_name(row, first_index)), cells));
    }
    this.table.replaceChildren(make("thead", {}, head), make("tbody", {}, body));
    const touched = this.table.querySelector(".reads, .writes, .atomic");
    if (touched) show_in(this.table.parentElement, touched, 20);
  }

  row_name(row, index) {
    return this.own_shape ? `[${row}]` : String(index);
  }

  /// All, or where there are too many, those that are wanted and what is near them.
  rows_to_show(furthest, wanted) {
    const all = [...Array(furthest + 1).keys()];
    if (all.length <= most_rows) return all;
    const around = new Set((wanted.length > 0 ? wanted : [0]).flatMap((row) => [row - 1, row, row + 1]));
    const near = all.filter((row) => around.has(row));
    const kept = near.length <= most_rows ? near : wanted;
    return kept.length > 8 ? kept : [...new Set([...all.slice(0, 8), ...kept])].sort((a, b) => a - b);
  }

  cell(index, count, done, kind, now, history) {
    const array = this.array;
    const indices = [...Array(count).keys()].map((k) => index + k);
    const touches = indices.flatMap((one) => now.get(one) ?? []);
    const beyond = index >= array.elements;
    if (index < 0 || (beyond && touches.length === 0)) return make("td", {class: "nothing"});
    const texts = indices.map((one) => short_value(history.last(one, done)?.value));
    const last = history.last(index, done), last_step = last && this.recording.step(last.step);
    const lanes = [...new Set(touches.map((touch) => touch.lane))];
    const chosen = this.player.is_chosen(array, indices), accused = this.player.is_accused(array, indices);
    const place = array.texels ? "texel" : `bank ${Math.floor((array.offset + index * array.bytes) / 4) % banks}`;
    const title = `${this.player.words.element(array, index)}, ${place}` +
      (last ? ` = ${last.value ?? "refused"}; last: ${this.player.words.warp(last_step.warp)} lane ${last.lane}, step ` +
        last.step : "; not touched yet") + (touches.length > 0 ? `; now: lanes ${ranges(lanes)}` : "") +
      (touches[0]?.giver === undefined ? "" : `; lane ${touches[0].giver} names the row`);
    const text = beyond ? "✗" : texts.filter(Boolean).join(" ");
    const style = touches.length > 0 ? {load: "reads", store: "writes"}[kind] ?? "atomic" : last ? "known" : "blank";
    return make("td", {class: [style, text.length > 4 && "long", beyond && "beyond", chosen && "chosen", accused && "accused"].filter(Boolean).join(" "),
      title, style: this.player.cell_style(touches, last_step), click: () => this.player.choose(array, index)},
    touches.length > 0 ? make("b", {}, lanes.length > 1 ? lanes.length + "×" : String(lanes[0])) : null,
    text);
  }
}
