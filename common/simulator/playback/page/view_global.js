// A global array as rows of 32-byte sectors: which the step moves, and how much of them it uses.

const most_sectors = 34;

class GlobalView {
  constructor(player, array) {
    this.player = player;
    this.recording = player.recording;
    this.array = array;
    this.a_sector = Math.max(1, Math.floor(sector_bytes / array.bytes));
    this.said = make("p", {class: "said"});
    this.meter = make("div", {class: "meter", "aria-hidden": "true"}, make("i"));
    this.map = make("canvas", {class: "map", role: "img", height: "12", "aria-label": `Sectors of ${array.name}`});
    this.table = make("table", {class: "words sectors"});
    this.element = make("div", {class: "global"},
      make("h3", {}, make("span", {class: "soft"}, "global "), make("code", {}, array.name), make("span", {class: "soft"},
        ` ${plural(array.elements, "element")} of ${plural(array.bytes, "byte")}`)),
      this.said, this.meter, this.map,
      make("div", {class: "scroll tall", tabindex: "0", role: "region", "aria-label": `Sectors of ${array.name}`},
        this.table));
  }

  draw(done) {
    const step = done > 0 ? this.recording.step(done - 1) : null;
    const access = step && this.player.words.joined(this.recording.accesses(done - 1))
      .find(({array}) => array === this.array);
    const touches = access?.touches ?? [];
    const sectors = sectors_of(this.array, touches);
    this.said.classList.toggle("soft", !access);
    this.said.textContent = access ?
      `${this.player.words.warp(step.warp)} ${this.player.words.access(step, access)}` : "This step does not touch it.";
    const share = sectors.size === 0 ? 0 : used_bytes(sectors) / (sectors.size * sector_bytes);
    this.meter.hidden = !access;
    this.meter.firstChild.style.width = 100 * share + "%";
    const before = this.recording.history(this.array.number).last_step(done);
    const shown = access || before < 0 ? sectors : sectors_of(this.array, this.recording.accesses(before)
      .flatMap((one) => one.array === this.array ? one.touches : []));
    this.draw_rows(done, access?.kind, touches, sectors, [...shown.keys()].sort((a, b) => a - b));
    this.draw_map(done, sectors);
  }

  /// Those that the step moves; else those that were moved last.
  draw_rows(done, kind, touches, sectors, shown) {
    const last = Math.ceil((this.array.offset + this.array.elements * this.array.bytes) / sector_bytes) - 1;
    const first = Math.floor(this.array.offset / sector_bytes);
    let rows = shown.length > 0 ? shown.slice(0, most_sectors) : [first];
    for (const end = Math.max(last, rows.at(-1)); rows.length < 8 && rows.at(-1) < end;) rows.push(rows.at(-1) + 1);
    const past = touches.some(({index}) => index >= this.array.elements);
    if (past && !rows.includes(last)) rows = [last, ...rows].sort((a, b) => a - b);  // the array's end belongs to it
    const by_index = new Map();
    for (const touch of touches) {
      if (!by_index.has(touch.index)) by_index.set(touch.index, []);
      by_index.get(touch.index).push(touch);
    }
    const history = this.recording.history(this.array.number);
    const body = [];
    let before = rows[0] - 1;
    for (const row of rows) {
      if (row > before + 1) body.push(make("tr", {class: "gap"}, make("td", {colspan: this.a_sector + 2}, "⋯")));
      before = row;
      const start = Math.floor((row * sector_bytes - this.array.offset) / this.array.bytes);
      const cells = [...Array(this.a_sector).keys()].map((k) => this.cell(start + k, done, kind, by_index, history));
      const moved = sectors.get(row);
      body.push(make("tr", {class: moved ? "moved" : ""}, make("th", {scope: "row", class: "text"},
        this.player.words.element(this.array, Math.max(0, start))), cells,
      make("td", {class: "text soft"}, moved ? `${moved.used.size} of ${sector_bytes} bytes` : "")));
    }
    if (shown.length > most_sectors)
      body.push(make("tr", {class: "gap"}, make("td", {colspan: this.a_sector + 2},
        `and ${plural(shown.length - most_sectors, "more sector")}`)));
    this.table.replaceChildren(make("tbody", {}, body));
    const moved = this.table.querySelector(".moved");
    if (moved) show_in(this.table.parentElement, moved, 10);
  }

  cell(index, done, kind, by_index, history) {
    const touches = by_index.get(index) ?? [], beyond = index >= this.array.elements;
    if (index < 0 || (beyond && touches.length === 0))
      return make("td", {class: index === this.array.elements ? "nothing end" : "nothing"});
    const first = history.accesses(index)[0];
    // What is read before anyone wrote it stood there from the beginning.
    const last = history.last(index, done) ?? (first && !first.writes ? first : undefined);
    const lanes = [...new Set(touches.map((touch) => touch.lane))];
    const style = touches.length > 0 ? {load: "reads", store: "writes"}[kind] ?? "atomic" : last ? "known" : "blank";
    const last_step = last && last.step < done ? this.recording.step(last.step) : undefined;
    const classes = [style, beyond && "beyond", index === this.array.elements && "end",
      this.player.is_chosen(this.array, [index]) && "chosen", this.player.is_accused(this.array, [index]) && "accused"];
    return make("td", {class: classes.filter(Boolean).join(" "),
      title: this.player.words.element(this.array, index) + (last ? ` = ${last.value ?? "refused"}` : "") +
        (beyond ? "; beyond the array's end" : "") + (lanes.length > 0 ? `; now: lanes ${ranges(lanes)}` : ""),
      style: this.player.cell_style(touches, last_step), click: () => this.player.choose(this.array, index)},
    touches.length > 0 ? make("b", {}, lanes.length > 1 ? lanes.length + "×" : String(lanes[0])) : null,
    beyond ? "✗" : short_value(last?.value));
  }

  /// All sectors that the recording touches, from the first to the last: never, earlier, now.
  draw_map(done, sectors) {
    const history = this.recording.history(this.array.number);
    const number = (index) => Math.floor((this.array.offset + index * this.array.bytes) / sector_bytes);
    if (history.touched.length === 0) { this.map.hidden = true; return; }
    const first = number(history.touched[0]), last = number(history.touched.at(-1));
    this.map.hidden = last - first < 8;
    const count = last - first + 1, width = Math.min(1024, count * 8);
    this.map.width = width;
    this.map.setAttribute("aria-label", `${this.array.name}: ${plural(count, "sector")} from the first to the last ` +
      `touched, ${sectors.size} of them in this step`);
    const paint = this.map.getContext("2d"), wide = width / count;
    paint.fillStyle = css_color("--line");
    paint.fillRect(0, 0, width, 12);
    paint.fillStyle = css_color("--soft");
    let before = -1;
    for (const index of history.touched) {
      const at = number(index);
      const {steps} = history.elements.get(index);
      if (at === before || steps[0] >= done) continue;
      before = at;
      paint.fillRect((at - first) * wide, 3, Math.max(wide - (wide > 3 ? 1 : 0), 1), 6);
    }
    paint.fillStyle = css_color("--writes");
    for (const at of sectors.keys()) paint.fillRect((at - first) * wide, 0, Math.max(wide - (wide > 3 ? 1 : 0), 2), 12);
  }
}
