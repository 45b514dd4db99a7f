// One element: every access to it, and the chain of stores that its value came through, back to the inputs.

class ElementView {
  constructor(player) {
    this.player = player;
    this.recording = player.recording;
    this.chosen = null;  // {array, index}
    this.field = make("input", {type: "text", size: "18", spellcheck: "false", "aria-label": "Element, for example " +
      this.example(), placeholder: this.example()});
    this.said = make("span", {class: "soft", role: "status"});
    this.body = make("div");
    const form = make("form", {class: "choose", submit: (event) => { event.preventDefault(); this.choose_named(); }},
      make("label", {}, "element ", this.field), make("button", {"aria-label": "Show the element"}, "show"), this.said);
    this.element = make("div", {class: "element"}, form, this.body);
    this.show(null);
  }

  example() {
    const array = this.recording.arrays.find(({space}) => space === "shared") ?? this.recording.arrays[0];
    return array ? this.player.words.element(array, Math.min(3, array.elements - 1)) : "out[3]";
  }

  /// "tile[1][2]"; one index counts all elements, whatever the shape. Of shared arrays the first recorded block's.
  choose_named() {
    const text = this.field.value.trim(), name = text.split(/[[(]/)[0];
    const array = this.recording.arrays.find((one) => one.name === name);
    if (array?.texels && text.includes("(")) return this.choose_texel(array, text);
    const indices = [...text.matchAll(/\[(\d+)\]/g)].map((found) => Number(found[1]));
    if (!array || name + indices.map((index) => `[${index}]`).join("") !== text) {
      this.said.textContent = array ? `expected a number in brackets, as in ${name}[3]` :
        "there is " + [...new Set(this.recording.arrays.map((one) => one.name))].join(", ");
      return;
    }
    const index = indices.length < 2 ? indices[0] ?? 0 :
      indices.reduce((sum, one, i) => i === 0 ? one : sum * array.extents[i - 1] + one, 0);
    if (!(index < array.elements) || indices.length > array.extents.length + 1) {
      this.said.textContent = `${name} has ${plural(array.elements, "element")}`;
      return;
    }
    this.said.textContent = "";
    this.player.choose(array, index);
  }

  /// "image(3, 5)": its first channel.
  choose_texel(array, text) {
    const {width, height, depth, channels} = array.texels;
    const at = text.slice(text.indexOf("(") + 1).replace(/\).*$/, "").split(",").map((one) => Number(one.replace("layer", "")));
    const [x, y = 0, z = 0] = at;
    const inside = at.every(Number.isInteger) && x >= 0 && x < width && y >= 0 && y < height && z >= 0 && z < depth;
    this.said.textContent = inside ? "" : `${array.name} has ${width} × ${height} × ${depth} texels`;
    if (inside) this.player.choose(array, ((z * height + y) * width + x) * channels);
  }

  show(chosen) {
    this.chosen = chosen;
    this.shown_at = undefined;
    if (chosen) this.field.value = this.player.words.element(chosen.array, chosen.index);
    else this.body.replaceChildren(make("p", {class: "soft"}, "Choose a cell of an array, or name an element: here " +
      "stands who wrote it, from what, and who else was there."));
  }

  draw(done) {
    if (!this.chosen || this.shown_at === done) return;
    this.shown_at = done;
    const {array, index} = this.chosen, words = this.player.words;
    const history = this.recording.history(array.number);
    const last = history.last(index, done);
    this.body.replaceChildren(
      make("h3", {}, make("code", {}, words.element(array, index)), last?.value === undefined ? "" : ` = ${last.value}`),
      make("h4", {}, "Who wrote this?"), this.chain(array.number, index, done, 0),
      make("h4", {}, "All accesses"), this.list(history.accesses(index), done));
  }

  /// Around the position, when there are many.
  list(accesses, done) {
    const most = 40, at = accesses.findIndex((access) => access.step >= done);
    const from = Math.max(0, Math.min((at < 0 ? accesses.length : at) - most / 2, accesses.length - most));
    if (accesses.length === 0) return make("p", {class: "soft"}, "None.");
    return make("ul", {class: "accesses"}, from > 0 ? make("li", {class: "soft"}, `${from} before these`) : null,
      accesses.slice(from, from + most).map((access) => make("li", {class: access.step < done ? "" : "soft"},
        this.jump(access.step), ` ${access.writes ? "writes" : "reads"} ${access.value ?? "(refused)"}, `, this.who(access))),
      from + most < accesses.length ? make("li", {class: "soft"}, `${accesses.length - from - most} after these`) : null);
  }

  jump(step) {
    return button("step " + step, `Go to step ${step}`, () => this.player.go_to_step(step), {class: "jump"});
  }

  who({step, lane}) {
    const {warp, op} = this.recording.step(step);
    return `${this.player.words.thread(warp, lane)} (${this.player.words.warp(warp)} lane ${lane}), ` +
      `${this.player.words.line(op)}`;
  }

  /// Nested: a store, and below it what it was made of. Deeper ones are looked for when they are opened.
  chain(array, index, before, depth, turn = 0) {
    const words = this.player.words, name = words.element(this.recording.arrays[array], index);
    const store = this.player.origins.of(array, index, before, turn);
    if (!store) {
      const first = this.recording.history(array).accesses(index)[0];
      const earlier = this.recording.earlier(array, index);
      return make("p", {class: "origin"}, make("code", {}, name),
        earlier ? `${first && !first.writes ? ` = ${first.value}` : ""}: ${earlier}.` :
        first && !first.writes ? ` = ${first.value}: no recorded step wrote it before, so it came with the launch or ` +
          "from another block." : ": no recorded step wrote it before.");
    }
    const source = words.source(this.recording.step(store.step).op);
    const summary = make("summary", {}, make("code", {}, `${name} = ${store.value}`), " ", this.jump(store.step), " ",
      this.who(store), source ? make("code", {class: "soft"}, " " + source) : "");
    const node = make("details", {class: "origin"}, summary);
    const fill = () => {
      if (node.dataset.filled) return;
      node.dataset.filled = "yes";
      if (store.filled) node.append(make("p", {class: "soft"}, "a 0: the copy read fewer bytes than it wrote"));
      else if (store.from.length + store.products.length === 0)
        node.append(make("p", {class: "soft"}, "from no memory: a constant, an index or a parameter"));
      for (const step of store.products)
        node.append(make("p", {class: "soft"}, "through a product of matrices in ", this.jump(step),
          ": which elements went into one of it is not recorded"));
      for (const load of store.from.slice(0, 16))
        node.append(this.chain(load.array, load.index, load.step, depth + 1, load.turn));
      if (store.from.length > 16) node.append(make("p", {class: "soft"}, `and ${store.from.length - 16} more`));
    };
    node.addEventListener("toggle", fill);
    if (depth < 2) {
      node.open = true;
      fill();
    }
    return node;
  }
}
