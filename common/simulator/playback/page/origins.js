// Where a value comes from: who stored it, and the loads that the stored value was made of. As the text of
// `lab trace` follows it (playback/order.cpp), here for any element that is asked about.

class Origins {
  constructor(recording) {
    this.recording = recording;
  }

  /// The last store to an element before step `before`: {step, lane, value, from: [loads]}; or null.
  of(array, index, before) {
    const store = this.recording.history(array).last_write(index, before);
    if (!store) return null;
    const from = [];
    this.collect(store.step, store.lane, true, from, new Set());
    if (this.recording.step(store.step).op.kind === "atomic") {
      const found = this.accessed(store.step, store.lane)
        .find((load) => load.array === array && load.index === index);
      if (found) from.push({...found, value: found.found});
    }
    return {...store, array, index, from};
  }

  /// What a lane touches in a step.
  accessed(step, lane) {
    return this.recording.accesses(step).flatMap(({array, touches}) =>
      touches.filter((touch) => touch.lane === lane && touch.value !== undefined && array)
        .map((touch) => ({...touch, step, array: array.number})));
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

  collect(at, lane, value_only, loads, seen) {
    const key = at + ":" + lane, most = 64;
    if (loads.length >= most || seen.has(key)) return;
    seen.add(key);
    const step = this.recording.step(at), op = step.op;
    for (const register of op.reads) {
      if (value_only && op.address.includes(register)) continue;
      const from = op.kind === "shuffle" && step.from ?
        step.from[lanes_of(step.lanes).indexOf(lane)] ?? lane : lane;
      const written = this.writer(at, from, register);
      if (written < 0) continue;
      const maker = this.recording.step(written).op;
      if (op.text.startsWith("@") && maker.text.startsWith("setp")) continue;
      if (maker.kind !== "load" && maker.kind !== "atomic") {
        this.collect(written, from, false, loads, seen);
        continue;
      }
      const touches = this.accessed(written, from);
      const part = maker.writes.indexOf(register);
      const load = touches[part >= 0 && part < touches.length ? part : 0];
      if (!load) continue;
      if (maker.kind === "atomic") load.value = load.found;
      if (!loads.some((one) => one.step === load.step && one.lane === load.lane && one.index === load.index &&
          one.array === load.array))
        loads.push(load);
    }
  }
}
