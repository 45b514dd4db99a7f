// A recording as the page asks for it: steps by their number in the order in which they are shown. Where
// anything stands after some steps follows from lists that are made once, so a step back is exact.

const waits = ["none", "memory", "shared", "dependency", "barrier", "branch", "pipe"];
const all_lanes = [...Array(32).keys()];
const lanes_of = (mask) => all_lanes.filter((lane) => mask >>> lane & 1);

/// The place of the first entry of a sorted list that is at least `value`.
const lower_bound = (sorted, value) => {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
};

class Recording {
  constructor(data) {
    this.data = data;
    this.count = data.steps.length;
    this.warps_in_block = data.warps_in_block;
    this.warps = data.blocks.length * data.warps_in_block;
    this.ops = data.ops.map(([text, kind, file, line, seen, reads, writes, address, added]) =>
      ({text, kind, file, line, seen, reads, writes, address, added}));
    this.arrays = data.arrays.map((array, number) => ({...array, number}));
    this.steps_of_warp = Array.from({length: this.warps}, () => []);
    this.openings_of_warp = Array.from({length: this.warps}, () => []);
    this.openings = data.openings.map(([behind, block, barrier, warps, cycle]) =>
      ({behind, block, barrier, warps, cycle}));
    this.histories = new Map();
    this.writers_before = new Map(data.earlier.map(([array, index, words]) => [array + ":" + index, words]));
    this.list_steps();
    this.list_issues();
    for (const opening of this.openings) {
      for (const warp of lanes_of(opening.warps))
        this.openings_of_warp[opening.block * this.warps_in_block + warp].push(opening.behind);
    }
  }

  /// Who had written an element in a launch before, in words; or undefined.
  earlier(array, index) {
    return this.writers_before.get(array + ":" + index);
  }

  /// A line's runs: a warp's steps there one after the other are one run, until an instruction comes again.
  list_steps() {
    this.runs_of_line = new Map();
    this.times = new Float64Array(this.count);  // cycles, but never less than those of the step before
    let latest = 0;
    const before = new Array(this.warps).fill(null);
    this.data.steps.forEach((row, i) => {
      const [number, warp, , , cycle] = row;
      const op = this.ops[number], last = before[warp];
      this.steps_of_warp[warp].push(i);
      latest = Math.max(latest, cycle);
      this.times[i] = latest;
      if (!last || this.line_key(last.op) !== this.line_key(op) || number <= last.number) {
        const key = this.line_key(op);
        if (!this.runs_of_line.has(key)) this.runs_of_line.set(key, []);
        this.runs_of_line.get(key).push(i);
      }
      before[warp] = {op, number};
    });
    this.cycles = latest;
  }

  /// A warp's steps by cycle, and the cycles that each lost before it: the model lets an instruction issue as soon
  /// as its operands are ready, so cycles may go back from one step of a warp to the next.
  list_issues() {
    const cycle = (i) => this.data.steps[i][4];
    this.lost = new Float64Array(this.count);
    this.issues_of_warp = this.steps_of_warp.map((steps) => [...steps].sort((a, b) => cycle(a) - cycle(b) || a - b));
    for (const steps of this.issues_of_warp) {
      let free = 0;
      for (const i of steps) {
        this.lost[i] = Math.max(0, cycle(i) - free);
        free = cycle(i) + 1;
      }
    }
  }

  line_key(op) { return op.file + ":" + op.line; }

  /// Lanes that stand at the instruction, and those of them that do it, as bits.
  step(i) {
    const [op, warp, here, lanes, cycle, wait, depth, more] = this.data.steps[i];
    return {number: i, op: this.ops[op], warp, here, lanes, cycle, wait: waits[wait], depth, ...more};
  }

  block_of(warp) { return Math.floor(warp / this.warps_in_block); }
  warp_in_block(warp) { return warp % this.warps_in_block; }

  /// One entry for each element that each lane accesses: {lane, index, value, found, giver, register}. The value
  /// is what was read, or what the lane left there; without one the access was refused. `found`: by its turn of an
  /// atomic; `giver`: the lane that named the row.
  touches(access, lanes) {
    const all = [];
    const mask = access.lanes ?? lanes, width = access.width ?? 1, values = access.values;
    lanes_of(mask).forEach((lane, k) => {
      const first = access.at ? access.at[k] : access.first + k * (access.stride ?? 0);
      for (let e = 0; e < width; ++e) {
        const at = k * width + e;
        all.push({lane, index: first + e, value: values.length === 1 ? values[0] : values[at],
          found: access.found && (access.found.length === 1 ? access.found[0] : access.found[at]),
          giver: access.givers?.[k],
          register: access.registers?.[Math.floor(e * access.registers.length / width)]});
      }
    });
    return all;
  }

  /// The accesses of a step, each with its array (null: memory without a name) and touches.
  accesses(i) {
    const step = this.step(i);
    return (step.accesses ?? []).map((access) => ({
      array: access.array >= 0 ? this.arrays[access.array] : null,
      space: access.array >= 0 ? this.arrays[access.array].space : access.space,
      kind: access.kind ?? step.op.kind, bytes: access.bytes, touches: this.touches(access, step.lanes)}));
  }

  /// What is worth a look: memory, barriers, moves between lanes, and where a warp parts.
  is_event(i) {
    const [number, , here, lanes] = this.data.steps[i];
    const op = this.ops[number];
    if (op.kind === "compute") return !op.seen;
    if ((op.kind === "load" || op.kind === "store") && !this.data.steps[i][7]?.accesses) return false;
    return lanes !== 0 && (op.kind !== "branch" || lanes !== here);
  }

  /// The last step of a warp among the first `position`, or -1.
  last_of_warp(warp, position) {
    const steps = this.steps_of_warp[warp];
    const at = lower_bound(steps, position);
    return at === 0 ? -1 : steps[at - 1];
  }

  /// How often a line has run among the first `position` steps.
  runs(key, position) { return lower_bound(this.runs_of_line.get(key) ?? [], position); }

  /// Where the lanes of a warp stand after `position` steps: for each lane {step, status, barrier}.
  lanes(warp, position) {
    const stand = all_lanes.map(() => ({step: -1, status: "new"}));
    const steps = this.steps_of_warp[warp];
    let open = this.lanes_that_exist(warp);
    for (let at = lower_bound(steps, position); at-- > 0 && open !== 0;) {
      const step = this.step(steps[at]);
      for (const lane of lanes_of(step.here & open)) {
        const does = (step.lanes >>> lane & 1) === 1, kind = step.op.kind;
        const waits_there = does && kind === "barrier" && !this.opened(warp, steps[at], position);
        stand[lane] = {step: steps[at], barrier: step.barrier,
          status: does && kind === "exit" ? "ended" : waits_there ? "waiting" : "running"};
      }
      open &= ~step.here;
    }
    return stand;
  }

  /// Of the last warp of a block there may be less than 32.
  lanes_that_exist(warp) {
    const [x, y, z] = this.data.block;
    const left = x * y * z - 32 * this.warp_in_block(warp);
    return left >= 32 ? -1 : (1 << left) - 1;
  }

  /// Whether a barrier that the warp came to in `step` opened before `position`.
  opened(warp, step, position) {
    const openings = this.openings_of_warp[warp];
    const next = openings[lower_bound(openings, step + 1)];
    return next !== undefined && next <= position;
  }

  history(array) {
    if (!this.histories.has(array)) this.histories.set(array, new ArrayHistory(this, array));
    return this.histories.get(array);
  }

  /// The number of the first step from `from` on, in direction 1 or -1, that `fits`; -1 when none does.
  find(from, direction, fits) {
    for (let i = from; i >= 0 && i < this.count; i += direction) {
      if (fits(i)) return i;
    }
    return -1;
  }
}

/// Every access to each element of one array, in order.
class ArrayHistory {
  constructor(recording, array) {
    this.elements = new Map();
    this.touched = [];  // indices, sorted
    this.steps = [];    // that touch it
    for (let i = 0; i < recording.count; ++i) {
      const accesses = recording.data.steps[i][7]?.accesses;
      if (!accesses?.some((access) => access.array === array)) continue;
      const [number, , , lanes] = recording.data.steps[i];
      const {kind} = recording.ops[number];
      this.steps.push(i);
      for (const access of accesses) {
        if (access.array !== array) continue;
        const writes = (access.kind ?? kind) !== "load";
        for (const {lane, index, value, found} of recording.touches(access, lanes)) {
          if (!this.elements.has(index)) this.elements.set(index, {steps: [], accesses: []});
          const element = this.elements.get(index);
          element.steps.push(i);
          element.accesses.push({step: i, lane, value, writes, found});
        }
      }
    }
    this.touched = [...this.elements.keys()].sort((a, b) => a - b);
  }

  /// The last of the first `position` steps that touches it, or -1.
  last_step(position) { return this.steps[lower_bound(this.steps, position) - 1] ?? -1; }

  accesses(index) { return this.elements.get(index)?.accesses ?? []; }

  /// The last access among the first `position` steps; of one step, its last lane's. Or undefined.
  last(index, position) {
    const element = this.elements.get(index);
    return element && element.accesses[lower_bound(element.steps, position) - 1];
  }

  /// The last write among the first `position` steps; `turn`: those of lanes below it in an atomic of that step
  /// count too.
  last_write(index, position, turn = 0) {
    const accesses = this.accesses(index);
    for (let at = lower_bound(this.elements.get(index)?.steps ?? [], position + (turn > 0 ? 1 : 0)); at-- > 0;) {
      const access = accesses[at];
      if (access.step === position && !(access.found !== undefined && access.lane < turn)) continue;
      if (access.writes && access.value !== undefined) return access;
    }
    return undefined;
  }
}
