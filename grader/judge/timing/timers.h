// The two ways to time: modelled on the simulated device, measured on a real one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "common/simulator/device/device.h"
#include "grader/judge/cases/call.h"
#include "grader/judge/cases/random.h"
#include "grader/judge/cases/suite.h"
#include "grader/judge/runners/grading.h"
#include "grader/judge/runners/session.h"
#include "grader/judge/timing/interval.h"
#include "grader/judge/timing/simulated_call.h"
#include "grader/judge/timing/timed_calls.h"
#include "grader/judge/timing/timing.h"

namespace gridstride {

class SimulatedTimer final : public Timer {
 public:
  SimulatedTimer(const StageTask& task, double required, TimedCalls& calls);
  void start() override;
  Pair next() override;
  Measurement finish() override;
  int pairs() const override { return 1; }

 private:
  const StageTask& task_;
  double required_;
  TimedCalls& calls_;
  Pair pair_;
  sim::Activity activity_;
};

class MeasuringTimer final : public Timer {
 public:
  /// `shared.gpu` is held by whose call runs, or whose library is loaded. `shared` must outlive this.
  MeasuringTimer(const Grading& grading, const StageTask& task, double required,
                 SharedByTimers& shared);
  void begin_early() override;
  void start() override;
  Pair next() override;
  Measurement finish() override;
  int pairs() const override { return 31; }

 private:
  /// The inputs that the first call has, and that later ones have but for what is redrawn.
  void draw_timed_call();
  /// The baseline, loaded and with the timed call made ready.
  void open_baseline();
  /// With the timed call made ready, and nothing loaded.
  std::unique_ptr<Session> open(const std::filesystem::path& library, Who who);
  void warm_up();
  /// Inputs of which nobody has seen the answer. How many calls warm the GPU up differs from run to
  /// run, so these have a source of their own: the k-th pair's inputs are the k-th from `rng_`.
  void draw(Rng& rng);
  /// Locked where calls of the stage wait for the GPU. Whoever holds `gpu_` may take it.
  std::unique_lock<std::shared_mutex> quiet_host();
  /// One call on what was drawn, when nobody else makes one; call_alone() where that is so.
  CallResult call(Session& session, Look look);
  Session::Called call_alone(Session& session, Look look);
  CallResult result_of(Session& session, Session::Called called, Look look);
  /// Seconds by the device's clock. Each throws TimingFailure.
  double judge_student(const CallResult& result, Look look);
  double judge_baseline(const CallResult& result, Look look);
  /// The timed call, held to what was drawn if its outputs were looked at.
  Call expected(Look look) const;
  /// Throws TimingFailure when something is wrong with it.
  void verify(const CallResult& result, const Call& call, const std::string& who) const;
  /// Whether the next call's answer is verified; another reply each time.
  bool next_is_verified();
  void check_floor(double seconds) const;
  Interval speedup() const;

  const Grading& grading_;
  const StageTask& task_;
  double required_;
  std::mutex& gpu_;
  std::shared_mutex& host_;
  SpareBaselines& spare_baselines_;
  Rng rng_, warm_up_draws_, verify_draws_;
  Timed timed_;
  Redraw redraw_;
  std::unique_ptr<Session> baseline_, student_;
  bool baseline_verified_ = false;
  std::size_t pairs_per_baseline_ = 1;
  std::vector<Pair> pairs_;
  GpuRecord record_;
  std::vector<double> baseline_seconds_;  ///< of those pairs that called it
  std::int64_t size_ = 0;
  std::uint64_t device_to_host_bytes_ = 0;  ///< the most of any of the student's calls
  std::future<void> drawn_;                 ///< ends its thread, which uses the others
};

}  // namespace gridstride
