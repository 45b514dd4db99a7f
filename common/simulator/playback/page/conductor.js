// One position for everything that is played. With two recordings, steps come in the order of their modelled
// time, so both stand at the same cycle.

class Conductor {
  constructor(recordings) {
    this.recordings = recordings;
    this.order = [];  // of all steps: which recording's
    const next = recordings.map(() => 0);
    const total = recordings.reduce((sum, recording) => sum + recording.count, 0);
    while (this.order.length < total) {
      let first = -1;
      recordings.forEach((recording, r) => {
        const left = next[r] < recording.count;
        if (left && (first < 0 || recording.times[next[r]] < recordings[first].times[next[first]])) first = r;
      });
      this.order.push(first);
      ++next[first];
    }
    // For each recording, at which positions its steps are done.
    this.places = recordings.map(() => []);
    this.order.forEach((recording, at) => this.places[recording].push(at + 1));
    this.position = 0;
    this.players = [];  // whose panels are chosen together
    this.listeners = [];
    this.granularity = "event";
  }

  get length() { return this.order.length; }

  /// How many steps of a recording are done.
  steps_done(recording) { return lower_bound(this.places[recording], this.position + 1); }
  /// The position at which a step of a recording has just been done.
  place_of(recording, step) { return this.places[recording][step]; }
  /// The recording and number of the step that was done last; null at the beginning.
  current(position = this.position) {
    if (position === 0) return null;
    const recording = this.order[position - 1];
    return {recording, step: lower_bound(this.places[recording], position)};
  }
  get cycle() {
    const current = this.current();
    return current ? this.recordings[current.recording].times[current.step] : 0;
  }

  go(position) {
    const to = Math.max(0, Math.min(this.length, position));
    if (to === this.position) return;
    this.position = to;
    this.changed();
  }
  changed() { for (const listener of this.listeners) listener(); }

  /// Whether to stop at a position, as the reader has chosen: at every instruction, at those that do something
  /// to see, or at each line that a warp comes to.
  stops_at(position) {
    if (this.granularity === "instruction") return true;
    const {recording, step} = this.current(position);
    const what = this.recordings[recording];
    if (this.granularity === "event") return what.is_event(step);
    const runs = what.runs_of_line.get(what.line_key(what.step(step).op));
    return runs[lower_bound(runs, step)] === step;
  }

  next(direction) { this.go(this.search(direction, (position) => this.stops_at(position))); }

  /// The nearest position in a direction that `fits`; the beginning or the end when there is none.
  search(direction, fits) {
    for (let at = this.position + direction; at > 0 && at <= this.length; at += direction) {
      if (fits(at)) return at;
    }
    return direction > 0 ? this.length : 0;
  }

  /// The next step of the warp that was shown last.
  next_of_warp(direction) {
    const current = this.current();
    if (!current) return this.go(1);
    const what = this.recordings[current.recording];
    const steps = what.steps_of_warp[what.step(current.step).warp];
    const at = lower_bound(steps, current.step) + direction;
    if (at >= 0 && at < steps.length) this.go(this.place_of(current.recording, steps[at]));
  }

  /// To where a barrier has just opened.
  next_barrier(direction) {
    const places = this.recordings.flatMap((recording, r) => recording.openings
      .filter((opening) => opening.behind > 0)
      .map((opening) => this.place_of(r, opening.behind - 1))).sort((a, b) => a - b);
    const at = direction > 0 ? places.find((place) => place > this.position) :
      places.findLast((place) => place < this.position);
    if (at !== undefined) this.go(at);
  }

  /// To a line's next run; from the last one, to the first.
  next_run(recording, key, direction) {
    const runs = this.recordings[recording].runs_of_line.get(key) ?? [];
    if (runs.length === 0) return;
    const done = this.steps_done(recording);
    const at = direction > 0 ? lower_bound(runs, done) : lower_bound(runs, Math.max(0, done - 1)) - 1;
    this.go(this.place_of(recording, runs[(at + runs.length) % runs.length]));
  }
}
