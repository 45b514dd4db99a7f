// Warps and lanes: who runs this instruction, who stands elsewhere, who waits at which barrier, who has ended.

class WarpsView {
  constructor(player) {
    this.player = player;
    this.recording = player.recording;
    this.element = make("div", {class: "warps"});
    this.rows = [...Array(this.recording.warps).keys()].map((warp) => {
      const exist = this.recording.lanes_that_exist(warp);
      const cells = all_lanes.map((lane) => make("td", {class: exist >>> lane & 1 ? "lane" : "lane none"}));
      const text = make("td", {class: "text stand"});
      const name = make("th", {class: "text", scope: "row"}, player.words.warp(warp));
      return {cells, text, name, row: make("tr", {}, name, cells, text)};
    });
    this.region = make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Lanes of each warp"},
      make("table", {class: "lanes"},
        make("thead", {}, make("tr", {}, make("th", {class: "text", scope: "col"}, "lane"),
          all_lanes.map((lane) => make("th", {class: "lane"}, lane % 8 === 0 ? String(lane) : "")),
          make("th", {class: "text", scope: "col", title: "the line where lanes stand, or were last"}, "line"))),
        make("tbody", {}, this.rows.map((row) => row.row))));
    const key = [["active", "does this step"], ["off", "stands here, switched off"], ["elsewhere", "stands elsewhere"],
      ["waiting", "waits at a barrier"], ["ended", "ended"], ["new", "not begun"]];
    this.element.append(this.region, make("p", {class: "key"}, key.map(([style, words]) =>
      make("span", {}, make("i", {class: "lane " + style}), " " + words))));
  }

  draw(done) {
    const now = done > 0 ? this.recording.step(done - 1) : null;
    this.rows.forEach(({cells, text, name, row}, warp) => {
      const stand = this.recording.lanes(warp, done);
      const runs = now !== null && now.warp === warp;
      const exist = this.recording.lanes_that_exist(warp);
      const counts = {};
      cells.forEach((cell, lane) => {
        if (!(exist >>> lane & 1)) return;
        const {status, step, barrier} = stand[lane];
        const here = runs && now.here >>> lane & 1;
        const style = status === "waiting" || status === "ended" || status === "new" ? status :
          here ? (now.lanes >>> lane & 1 || now.op.kind === "branch" ? "active" : "off") : "elsewhere";
        counts[style] = (counts[style] ?? 0) + 1;
        cell.className = "lane " + style;
        cell.textContent = style === "waiting" && barrier !== 0 ? String(barrier) : style === "ended" ? "×" : "";
        const op = step < 0 ? null : this.recording.step(step).op;
        cell.title = `${this.player.words.thread(warp, lane)}: ` +
          ({active: "does this step", off: "stands here, switched off by its predicate", elsewhere: "last at",
            waiting: "waits at " + barrier_name(barrier), ended: "ended", new: "has not begun"}[style]) +
          (op ? ", " + this.player.words.line(op) : "");
      });
      row.classList.toggle("now", runs);
      if (runs) show_in(this.region, row, 14);
      name.setAttribute("aria-label", `${this.player.words.warp(warp)}: ` +
        Object.entries(counts).map(([style, count]) => `${plural(count, "lane")} ${style}`).join(", "));
      text.textContent = text.title = this.where(stand, exist);
    });
  }

  /// The lines at which lanes stand, and what for.
  where(stand, exist) {
    const places = new Map();
    stand.forEach(({step, status, barrier}, lane) => {
      if (!(exist >>> lane & 1) || step < 0) return;
      const words = status === "ended" ? "ended" : (this.recording.step(step).op.line || "?") +
        (status === "waiting" ? ", waits" : "");
      places.set(words, (places.get(words) ?? 0) + 1);
    });
    const total = [...places.values()].reduce((sum, count) => sum + count, 0);
    return [...places].map(([words, count]) => count === total ? words : `${count}: ${words}`).join(" | ");
  }
}
