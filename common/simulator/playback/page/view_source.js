// The source: the line that runs, how often each has run, which warps stand where.

/// Words of the language and of CUDA, comments, the rest: enough to read by.
const source_parts = (line, in_comment) => {
  const parts = [];
  let rest = line, inside = in_comment;
  const take = (length, style) => {
    parts.push(style ? make("span", {class: style}, rest.slice(0, length)) : rest.slice(0, length));
    rest = rest.slice(length);
  };
  while (rest) {
    if (inside) {
      const end = rest.indexOf("*/");
      take(end < 0 ? rest.length : end + 2, "comment");
      inside = end < 0;
      continue;
    }
    const found = rest.match(new RegExp("//|/\\*|\"(?:[^\"\\\\]|\\\\.)*\"|\\b(?:__\\w+__|__sync\\w+|threadIdx|blockIdx|" +
      "blockDim|gridDim|atomic\\w+|if|else|for|while|do|return|const|constexpr|auto|unsigned|int|float|double|bool|" +
      "void|char|template|typename|struct|static|extern|inline|true|false|using|namespace)\\b"));
    if (!found) {
      take(rest.length);
    } else {
      if (found.index > 0) take(found.index);
      inside = found[0] === "/*";
      if (inside) take(2, "comment");
      else if (found[0] === "//") take(rest.length, "comment");
      else take(found[0].length, found[0][0] === '"' ? "string" : "word");
    }
  }
  return {parts, inside};
};

class SourceView {
  constructor(player) {
    this.player = player;
    this.recording = player.recording;
    this.rows = new Map();
    this.element = make("section", {class: "source-view", "aria-label": "Source"});
    const files = Object.entries(this.recording.data.files);
    this.region = make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Source lines"},
      files.length > 0 ? files.map(([file, text]) => this.table(file, text)) :
        make("p", {class: "soft pad"}, "The program was built without -lineinfo, or its source is not to be " +
          "shown: instructions stand above the panels."));
    this.element.append(this.region);
  }

  table(file, text) {
    let inside = false;
    const lines = text.replace(/\n$/, "").split("\n").map((line, i) => {
      const key = file + ":" + (i + 1);
      const colored = source_parts(line, inside);
      inside = colored.inside;
      const runs = make("td", {class: "runs"}), who = make("td", {class: "who"});
      const ran = this.recording.runs_of_line.has(key);
      const number = ran ? button(String(i + 1), `To the next run of line ${i + 1}; with Shift to the one before`,
        (event) => this.player.conductor.next_run(this.player.number, key, event.shiftKey ? -1 : 1),
        {class: "line"}) : String(i + 1);
      const row = make("tr", {}, runs, who, make("td", {class: "number"}, number),
        make("td", {class: "text code"}, ...colored.parts));
      if (ran) this.rows.set(key, {row, runs, who});
      return row;
    });
    return make("table", {class: "source"},
      make("thead", {}, make("tr", {}, make("th", {scope: "col", title: "how often a warp has come to the line"}, "runs"),
        make("th", {scope: "col", title: "which warps came here last"}, "warps"), make("th", {scope: "col"}, "line"),
        make("th", {class: "text", scope: "col"}, base_name(file)))),
      make("tbody", {}, lines));
  }

  /// Line keys of a finding, to be marked.
  mark(keys) {
    for (const [key, {row}] of this.rows) row.classList.toggle("accused", keys.includes(key));
  }

  draw(done) {
    const recording = this.recording, warps_at = new Map();
    for (let warp = 0; warp < recording.warps; ++warp) {
      const last = recording.last_of_warp(warp, done);
      if (last < 0 || recording.step(last).op.kind === "exit") continue;
      const key = recording.line_key(recording.step(last).op);
      if (!warps_at.has(key)) warps_at.set(key, []);
      warps_at.get(key).push(warp);
    }
    const now = done > 0 ? recording.line_key(recording.step(done - 1).op) : "";
    for (const [key, {row, runs, who}] of this.rows) {
      const count = recording.runs(key, done);
      runs.textContent = count === 0 ? "" : count + "×";
      who.textContent = warps_at.has(key) ? ranges(warps_at.get(key)) : "";
      row.classList.toggle("now", key === now);
      if (key === now) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
    }
    const row = (done > 0 ? this.rows.get(now) : this.rows.values().next().value)?.row;
    if (row) show_in(this.region, row);
  }
}
