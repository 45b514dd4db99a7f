// A step in words: for the line above the panels, for screen readers, for what was found.

const plural = (count, word, words = word + "s") => count + " " + (count === 1 ? word : words);

/// "0–15, 20".
const ranges = (numbers) => {
  const parts = [];
  for (let i = 0; i < numbers.length; ++i) {
    const first = numbers[i];
    while (i + 1 < numbers.length && numbers[i + 1] === numbers[i] + 1) ++i;
    parts.push(numbers[i] === first ? String(first) : first + "–" + numbers[i]);
  }
  return parts.length > 6 ? parts.slice(0, 6).join(", ") + ", …" : parts.join(", ");
};

const lanes_text = (mask) => {
  const lanes = lanes_of(mask);
  if (lanes.length === 32) return "all lanes";
  return lanes.length === 0 ? "no lane" : (lanes.length === 1 ? "lane " : "lanes ") + ranges(lanes);
};

/// At most five characters, for a cell of 32 in a row; the cell's title has the whole value.
const short_value = (value) => {
  if (value === undefined || value === null) return "";
  if (typeof value !== "number") return value.length > 5 ? value.slice(0, 4) + "…" : value;
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 10000) return String(value);
  const units = [[1e18, ""], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
  const [by, unit] = units.find(([least]) => size >= least) ?? [1, ""];
  if (by === 1e18 || (size < 0.001 && size > 0)) return value.toExponential(0).replace("e+", "e");
  return String(Number((value / by).toPrecision(size / by >= 100 ? 3 : 2))).replace(/^(-?)0\./, "$1.") + unit;
};

/// "sum_sections" of "void (anonymous namespace)::sum_sections<3>(float const*, long)", with its template's arguments.
const short_kernel = (name) => name.replaceAll("(anonymous namespace)::", "").replace(/\(.*/, "").replace(/^void /, "");

const base_name = (file) => file.slice(file.lastIndexOf("/") + 1);

const barrier_name = (number) => number === 0 ? "the block's barrier" : "barrier " + number;

class Words {
  constructor(recording) {
    this.recording = recording;
    this.data = recording.data;
  }

  /// "sums[3]", "tile[1][2]".
  element(array, index) {
    if (array.texels) return this.texel(array, index);
    let rest = index, inner = "";
    for (const extent of [...array.extents].reverse()) {
      inner = `[${rest % extent}]` + inner;
      rest = Math.floor(rest / extent);
    }
    const alone = array.elements === 1 && index === 0 && array.space === "shared" && !inner;
    return alone ? array.name : `${array.name}[${rest}]${inner}`;
  }

  /// "image(3, 5)", of several channels "image(3, 5).y".
  texel({name, texels}, index) {
    const {width, height, depth, channels, layered} = texels, texel = Math.floor(index / channels);
    const row = Math.floor(texel / width), at = [texel % width];
    if (height > 1) at.push(row % height);
    if (depth > 1) at.push((layered ? "layer " : "") + Math.floor(row / height));
    return `${name}(${at.join(", ")})` + (channels > 1 ? "." + "xyzw"[index % channels] : "");
  }

  beyond(array, index) { return array && index >= array.elements; }

  /// "warp 3", with its block where several were recorded.
  warp(warp) {
    const block = this.data.blocks.length > 1 ? "block " + this.data.blocks[this.recording.block_of(warp)] + " " : "";
    return block + "warp " + this.recording.warp_in_block(warp);
  }

  /// "thread 37", or "thread (5,1)" in a block of several dimensions.
  thread(warp, lane) {
    const [x, y, z] = this.data.block, number = 32 * this.recording.warp_in_block(warp) + lane;
    if (y === 1 && z === 1) return "thread " + number;
    const index = [number % x, Math.floor(number / x) % y];
    if (z > 1) index.push(Math.floor(number / x / y));
    return `thread (${index.join(",")})`;
  }

  line(op) { return op.line === 0 ? "no line" : "line " + op.line; }

  source(op) {
    const text = this.data.files[op.file];
    return text === undefined || op.line === 0 ? "" : (text.split("\n")[op.line - 1] ?? "").trim();
  }

  verb(kind) { return {load: "reads", store: "writes", copy: "copies"}[kind] ?? "changes atomically"; }

  /// "sums[0], sums[32], …" or "sums[0] to sums[31]".
  elements(array, touches) {
    const indices = [...new Set(touches.map((touch) => touch.index))];
    if (!array) return plural(indices.length, "place") + ` from 0x${Math.min(...indices).toString(16)} on, in no array`;
    const name = (index) => this.element(array, index);
    const run = indices.every((index, i) => i === 0 || index === indices[i - 1] + 1);
    if (indices.length > 2 && run) return name(indices[0]) + " to " + name(indices.at(-1));
    return indices.slice(0, 4).map(name).join(", ") + (indices.length > 4 ? ", …" : "");
  }

  access(step, {array, space, kind, touches}) {
    if (space === "local") return `${this.verb(kind)} its own local memory`;
    let text = `${this.verb(kind)} ${array ? "" : (space ?? "") + " memory, "}${this.elements(array, touches)}`;
    const out = touches.find((touch) => this.beyond(array, touch.index));
    if (out) text += `, beyond the end: ${array.name} has ${plural(array.elements, "element")}`;
    if (touches.some((touch) => touch.value === undefined)) text += " — refused";
    const givers = [...new Set(touches.map((touch) => touch.giver).filter((giver) => giver !== undefined))];
    if (givers.length > 0) text += `, in rows that lanes ${ranges(givers.sort((a, b) => a - b))} name`;
    if (step.op.kind === "copy" && kind === "store") text += `, there at cycle ${Math.round(step.arrives)}`;
    if (array && space === "shared" && (step.passes ?? 1) > 1) text += `, in ${step.passes} passes`;
    if (array && space === "global" && !array.texels) {
      const sectors = sectors_of(array, touches);
      text += `, ${plural(sectors.size, "sector")}, ${used_bytes(sectors)} of ` +
        `${sectors.size * sector_bytes} bytes used`;
    }
    return text;
  }

  /// Pieces of one matrix or texture as one access, by element.
  joined(accesses) {
    const all = [];
    for (const access of accesses) {
      const known = all.find((one) => one.array && one.array === access.array && one.kind === access.kind &&
        access.kind !== "atomic");
      if (known) known.touches = [...known.touches, ...access.touches].sort((a, b) => a.index - b.index);
      else all.push({...access});
    }
    return all;
  }

  /// What a step does, without who and where.
  deed(i) {
    const step = this.recording.step(i), op = step.op;
    const accesses = this.recording.accesses(i);
    if (accesses.length > 0) return this.joined(accesses).map((access) => this.access(step, access)).join("; ");
    switch (op.kind) {
      case "shuffle": return "takes values of other lanes";
      case "vote": return "asks all lanes (" + op.text.split(" ")[0] + ")";
      case "warp_barrier": return "passes __syncwarp()";
      case "barrier": return "comes to " + barrier_name(step.barrier);
      case "arrive": return "arrives at " + barrier_name(step.barrier) + " and goes on";
      case "exit": return "ends";
      case "product": return step.lanes === 0 ? "skips a product" : "multiplies matrices (" + op.text.split(" ")[0] + ")";
      case "branch":
        if (step.lanes === 0 || step.lanes === step.here) return step.lanes === 0 ? "goes on" : "jumps";
        return `parts: ${lanes_text(step.lanes)} jump, ${lanes_text(step.here & ~step.lanes)} go on`;
    }
    if (!op.seen) return op.text.split(" ")[0] + ": the state of an mbarrier is not recorded";
    return step.lanes === 0 ? "skips " + op.text.split(" ")[0] : "computes (" + op.text.split(" ")[0] + ")";
  }

  /// The whole step.
  step(i) {
    const step = this.recording.step(i);
    const mask = step.op.kind === "branch" || step.lanes === 0 ? step.here : step.lanes;
    return `${this.warp(step.warp)}, ${lanes_text(mask)}: ${this.deed(i)}`;
  }

  /// "waited 28 cycles for memory"; empty when the warp lost no cycle before the step.
  wait(step) {
    const lost = this.recording.lost[step.number];
    const why = {memory: "for memory", shared: "for shared memory", dependency: "for another instruction's result",
      barrier: "at a barrier", branch: "for a branch", pipe: "for its turn in the pipe"}[step.wait] ?? "";
    return lost > 0 ? `waited ${plural(Math.round(lost), "cycle")} ${why}` : "";
  }
}
