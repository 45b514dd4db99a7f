// The two ways to time: modelled on the simulated device, measured on a real one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/simulator/device/device.h"
#include "grader/judge/cases/call.h"
#include "grader/judge/cases/random.h"
#include "grader/judge/cases/suite.h"
#include "grader/judge/runners/claimed_session.h"
#include "grader/judge/runners/grading.h"
#include "grader/judge/runners/session.h"
#include "grader/judge/timing/simulated_call.h"
#include "grader/judge/timing/timed_calls.h"
#include "grader/judge/timing/timing.h"
#include "grader/runner/protocol.h"

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
  MeasuringTimer(const Grading& grading, const StageTask& task, double required);
  void start() override;
  Pair next() override;
  Measurement finish() override;
  int pairs() const override { return 31; }

 private:
  std::unique_ptr<ClaimedSession> open(const std::filesystem::path& library, Who who);
  void warm_up();
  /// Inputs of which nobody has seen the answer.
  void draw();
  /// One cold launch on what was drawn.
  protocol::Timing launch(ClaimedSession& session);
  double launch_student();
  double launch_baseline();
  /// The timed call, held to what was drawn.
  Call redrawn_call() const;
  /// Throws TimingFailure when the answer is wrong.
  void verify(const CallResult& result, const Call& call, const std::string& who);
  void verify_baseline();
  /// Whether the answer that stands now is verified; another reply each time.
  bool next_is_verified();
  void check_floor(double seconds) const;
  void check_against_our_clock();
  /// Of back-to-back launches, on our clock and by the runner's claim.
  struct Batch {
    double wall = 0, claim = 0;
  };
  Batch batch(std::uint32_t launches);
  void check_what_else_happened();
  std::vector<double> ratios() const;

  const Grading& grading_;
  const StageTask& task_;
  double required_;
  Rng rng_, verify_draws_;
  Timed timed_;
  Redraw redraw_;
  std::unique_ptr<ClaimedSession> baseline_, student_;
  std::vector<Pair> pairs_;
  std::uint64_t flush_bytes_ = 0;
  std::int64_t size_ = 0;
  std::size_t exposed_ = 0;  ///< student launches with host time in the sample
};

}  // namespace gridstride
