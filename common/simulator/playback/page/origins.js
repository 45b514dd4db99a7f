// Where a value comes from: who stored it, and the loads that the stored value was made of. As the text of
// `lab trace` follows it (playback/origins.cpp), here for any element that is asked about.

class Origins {
  constructor(recording) {
    this.recording = recording;
  }

  /// The last store to an element before step `before`, and before the turn of lane `turn` in it: {step, lane, value,
  /// from: [loads], products: [steps], filled}; or null.
  of(array, index, before, turn = 0) {
    const store = this.recording.history(array).last_write(index, before, turn);
    if (!store) return null;
    const step = this.recording.step(store.step), op = step.op;
    const made = {from: [], products: [], filled: false};
    const own = this.accessed(store.step, store.lane).find((touch) => touch.kind !== "load" && touch.array === array &&
      touch.index === index);
    if (op.kind === "copy") this.follow_copy(store, own, made);
    else if (own?.register !== undefined) this.held(store.step, store.lane, own.register, made, new Set());
    else this.operands(store.step, store.lane, op.address, made, new Set());
    if (own?.kind === "atomic") made.from.push({...own, value: own.found, turn: store.lane});
    return {...store, array, index, ...made};
  }

  /// What a lane touches in a step.
  accessed(step, lane) {
    return this.recording.accesses(step).flatMap(({array, kind, touches}) =>
      touches.filter((touch) => touch.lane === lane && touch.value !== undefined && array)
        .map((touch, part) => ({...touch, step, kind, part, array: array.number})));
  }

  /// The element of the source that stands where the written one stands in what the lane copies.
  follow_copy(store, own, made) {
    const touches = this.accessed(store.step, store.lane), bytes = (touch) => this.recording.arrays[touch.array].bytes;
    let offset = own.part * bytes(own);
    for (const touch of touches) {
      if (touch.kind !== "load") continue;
      if (offset < bytes(touch)) {
        made.from.push(touch);
        return;
      }
      offset -= bytes(touch);
    }
    made.filled = true;
  }

  /// The step in which a register of a lane was written last before step `before`, or -1.
  writer(before, lane, register) {
    const reader = this.recording.step(before);
    const steps = this.recording.steps_of_warp[reader.warp];
    for (let at = lower_bound(steps, before); at-- > 0;) {
      const [number, , , lanes, , , depth] = this.recording.data.steps[steps[at]];
      if (depth === reader.depth && lanes >>> lane & 1 &&
          this.recording.ops[number].writes.includes(register)) return steps[at];
    }
    return -1;
  }

  operands(at, lane, but, made, seen) {
    const step = this.recording.step(at), op = step.op;
    const from = op.kind === "shuffle" && step.from ? step.from[lanes_of(step.lanes).indexOf(lane)] ?? lane : lane;
    for (const register of op.reads) {
      if (!but.includes(register)) this.held(at, from, register, made, seen);
    }
  }

  held(before, lane, register, made, seen) {
    const at = this.writer(before, lane, register), most = 64;
    const key = at + ":" + lane + ":" + register;
    if (at < 0 || made.from.length >= most || seen.has(key)) return;
    const maker = this.recording.step(at).op;
    if (this.recording.step(before).op.text.startsWith("@") && maker.text.startsWith("setp")) return;
    seen.add(key);
    const number = maker.writes.indexOf(register);
    if (maker.kind === "load" || maker.kind === "atomic") {
      this.loaded(at, lane, register, number, made);
    } else if (maker.kind === "product") {
      // What went into one element of a product of matrices cannot be followed, but for what it was added to.
      if (!made.products.includes(at)) made.products.push(at);
      if (number < maker.added.length) this.held(at, lane, maker.added[number], made, seen);
    } else {
      this.operands(at, lane, [], made, seen);
    }
  }

  loaded(at, lane, register, number, made) {
    const touches = this.accessed(at, lane);
    let loads = touches.filter((touch) => touch.register === register);
    if (loads.length === 0) {
      const parts = Math.max(0, ...touches.map((touch) => touch.part)) + 1, part = number < parts ? number : 0;
      loads = touches.filter((touch) => touch.register !== undefined || touch.part === part);
    }
    for (const load of loads) {
      if (made.from.some((one) => one.step === load.step && one.lane === load.lane && one.index === load.index &&
          one.array === load.array)) continue;
      made.from.push(load.kind === "atomic" ? {...load, value: load.found, turn: lane} : load);
    }
  }
}
