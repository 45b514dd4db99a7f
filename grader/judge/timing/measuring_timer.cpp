// Timing on a real GPU, whose device process is the clock.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/base/device_properties.h"
#include "common/text.h"
#include "grader/judge/correctness/case_runner.h"
#include "grader/judge/correctness/outcome.h"
#include "grader/judge/sources/unbuilt.h"
#include "grader/judge/timing/interval.h"
#include "grader/judge/timing/simulated_call.h"
#include "grader/judge/timing/timers.h"
#include "grader/judge/timing/work.h"

namespace gridstride {
namespace {

using Clock = std::chrono::steady_clock;

/// Of one call.
constexpr Session::Seconds run_limit{30};

/// Idle GPUs run at a fraction of their clock and take tenths of a second to rise. Warm when the
/// last calls of the baseline, or the last tenths of a second of them, are no faster than those
/// before, at most for so long.
constexpr double shortest_warm_up = 0.4, longest_warm_up = 4;
constexpr std::size_t fewest_steady_calls = 2, most_steady_calls = 8;
constexpr double steady_seconds = 0.2, steady_within = 0.02;

/// One call of a baseline that takes so long, and as long each time, stands for several pairs: it
/// would be most of what grading takes. Of 31 pairs that leaves seven calls.
constexpr double long_baseline = 0.02, alike_within = 0.01;
constexpr std::size_t most_pairs_per_baseline = 5;

/// The second look takes so many times the pairs of the first.
constexpr int longer_look = 5;

/// Answers up to so many bytes are all verified. Of larger ones, which take longer to read and to
/// check than to compute, the first and the last are, and of the rest each with this chance. It is
/// drawn before the call, where the student's process can see nothing of it. The median of 31 calls
/// only gets better when the work is left out in 16 of them: all 16 escape once in 650 times.
constexpr std::uint64_t always_verified = 1 << 20;
constexpr double verified_share = 1.0 / 3;

constexpr Look at_everything{}, at_outputs{true, false}, at_nothing{false, false};

/// Figures of pins leave out refresh and turnaround, so nothing comes closer to them than this.
constexpr double fastest_over_pins = 1.0;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::string microseconds(double seconds) { return plain_number(seconds * 1e6, 1) + " us"; }

/// Whatever goes wrong with the baseline is not the student's. Throws CannotGrade.
template <class Work>
void not_the_students(Work work) {
  try {
    work();
  } catch (const std::exception& error) {
    throw CannotGrade(std::string("the baseline cannot be timed: ") + error.what());
  }
}

}  // namespace

MeasuringTimer::MeasuringTimer(const Grading& grading, const StageTask& task, double required,
                               SharedByTimers& shared)
    : grading_(grading),
      task_(task),
      required_(required),
      gpu_(shared.gpu),
      host_(shared.host),
      spare_baselines_(shared.baselines),
      rng_(grading.key(task.config->name, task.source_text).with("timing")),
      warm_up_draws_(grading.key(task.config->name, task.source_text).with("warm-up")),
      verify_draws_(grading.key(task.config->name, task.source_text).with("answers looked at")),
      record_(shared.watch.get()) {}

std::unique_ptr<Session> MeasuringTimer::open(const std::filesystem::path& library, Who who) {
  SessionOptions options;
  options.installation = &grading_.installation;
  options.gpu = true;
  options.library = library;
  options.function = task_.contract->function;
  options.arguments = task_.contract->arguments;
  if (who == Who::stage) options.clock = task_.clock;
  std::unique_lock alone(gpu_);
  auto session = std::make_unique<Session>(options);
  alone.unlock();
  session->prepare(timed_.call);
  return session;
}

void MeasuringTimer::open_baseline() {
  baseline_ = spare_baselines_.take(task_);
  if (baseline_) {
    baseline_->prepare(timed_.call);
    return;
  }
  baseline_ = open(task_.baseline, Who::baseline);
  const std::scoped_lock alone(gpu_);
  baseline_->load();
}

void MeasuringTimer::draw_timed_call() {
  const std::shared_lock busy(host_);
  size_ = timing_size(grading_, true);
  timed_ = task_.contract->suite.timing(rng_, size_);
  name_arguments(timed_.call, task_.contract->suite);
}

void MeasuringTimer::begin_early() {
  drawn_ = std::async(std::launch::async, [this] { draw_timed_call(); });
}

void MeasuringTimer::start() {
  need_baseline_library(grading_, task_);
  if (!drawn_.valid()) begin_early();
  drawn_.get();
  not_the_students([this] { open_baseline(); });
  warm_up();
  student_ = open(task_.library, Who::stage);
  // Until its first call begins a stage's process may ask the GPU for anything; after it has ended,
  // nobody is served before the next. So nobody else is timed from here to there.
  std::unique_lock alone(gpu_);
  student_->load();
  Session::Called first = call_alone(*student_, at_everything);  // its kernels are loaded now
  alone.unlock();
  judge_student(result_of(*student_, std::move(first), at_everything), at_everything);
}

void MeasuringTimer::draw(Rng& rng) {
  const std::shared_lock busy(host_);
  redraw_ = {};
  if (timed_.redraw) timed_.redraw(rng, redraw_);
}

void MeasuringTimer::warm_up() {
  std::vector<double> seconds;
  const auto begin = Clock::now();
  for (;;) {
    draw(warm_up_draws_);
    const Look look = baseline_verified_ ? at_nothing : at_everything;
    not_the_students([&] { seconds.push_back(judge_baseline(call(*baseline_, look), look)); });
    const double age = std::chrono::duration<double>(Clock::now() - begin).count();
    if (age > longest_warm_up) return;
    const auto enough = static_cast<std::size_t>(steady_seconds / seconds.back());
    const std::size_t calls = std::clamp(enough, fewest_steady_calls, most_steady_calls);
    if (age < shortest_warm_up || seconds.size() < 2 * calls) continue;
    const auto last = seconds.end() - static_cast<std::ptrdiff_t>(calls);
    const auto before = last - static_cast<std::ptrdiff_t>(calls);
    const double now = median({last, seconds.end()});
    if (now <= median({before, last}) * (1 - steady_within)) continue;
    const auto [least, most] = std::minmax_element(last, seconds.end());
    if (*most - *least <= now * alike_within) {
      pairs_per_baseline_ = std::clamp<std::size_t>(static_cast<std::size_t>(now / long_baseline),
                                                    1, most_pairs_per_baseline);
    }
    return;
  }
}

std::unique_lock<std::shared_mutex> MeasuringTimer::quiet_host() {
  std::unique_lock quiet(host_, std::defer_lock);
  if (device_to_host_bytes_ > 0) quiet.lock();  // it cannot look at what it has not waited for
  return quiet;
}

CallResult MeasuringTimer::call(Session& session, Look look) {
  std::unique_lock alone(gpu_);
  Session::Called called = call_alone(session, look);
  alone.unlock();
  return result_of(session, std::move(called), look);
}

CallResult MeasuringTimer::result_of(Session& session, Session::Called called, Look look) {
  const std::shared_lock busy(host_);
  return session.result(timed_.call, std::move(called), look);
}

Session::Called MeasuringTimer::call_alone(Session& session, Look look) {
  session.apply(timed_.call, redraw_);
  return session.call(run_limit, look);
}

Call MeasuringTimer::expected(Look look) const {
  Call call = timed_.call;
  for (CallArgument& argument : call.arguments) {
    if (!look.outputs) argument.check = nullptr;
  }
  if (!look.outputs) return call;
  for (const auto& [argument, make] : redraw_.checks) call.arguments.at(argument).check = make();
  return call;
}

void MeasuringTimer::verify(const CallResult& result, const Call& call,
                            const std::string& who) const {
  const CaseSpec spec{who, size_, nullptr, Repeat::never};
  CaseOutcome outcome = judge_call(spec, call, result, task_.contract->suite.guesses);
  if (outcome.verdict == Verdict::pass) outcome = judge_work(call, *result.activity, who);
  if (outcome.verdict != Verdict::pass) throw TimingFailure(outcome.verdict, outcome.message);
}

bool MeasuringTimer::next_is_verified() {
  std::uint64_t bytes = 0;
  for (const CallArgument& argument : timed_.call.arguments)
    if (argument.info.kind == ArgumentKind::output) bytes += argument.bytes();
  return bytes <= always_verified || verify_draws_.uniform(0.0, 1.0) < verified_share;
}

double MeasuringTimer::judge_student(const CallResult& result, Look look) {
  const std::shared_lock busy(host_);
  verify(result, expected(look), "timed call");
  check_floor(result.activity->seconds);
  device_to_host_bytes_ = std::max(device_to_host_bytes_, result.activity->device_to_host_bytes);
  return result.activity->seconds;
}

/// The baseline is the course's own, in a process of its own: to verify it once is enough.
double MeasuringTimer::judge_baseline(const CallResult& result, Look look) {
  const std::shared_lock busy(host_);
  Call right = expected(look);
  if (look.outputs) {
    for (const auto& [argument, make] : timed_.baseline_checks)
      right.arguments.at(argument).check = make();
  }
  verify(result, right, "the baseline's timed call");
  baseline_verified_ = true;
  return result.activity->seconds;
}

Pair MeasuringTimer::next() {
  draw(rng_);
  const Look look = next_is_verified() ? at_outputs : at_nothing;
  // Who goes first alternates, so that what one leaves behind in clocks and caches evens out.
  const bool with_baseline = pairs_.size() % pairs_per_baseline_ == 0;
  const bool student_first = baseline_seconds_.size() % 2 == 1;
  Session::Called student, baseline;
  {
    const std::scoped_lock alone(gpu_);
    const auto quiet = quiet_host();
    const auto call_student = [&] {
      student = call_alone(*student_, look);
      record_.after_stage();
    };
    if (student_first) call_student();
    not_the_students([&] {
      if (with_baseline) {
        baseline = call_alone(*baseline_, at_nothing);
        record_.after_baseline();
      } else {
        baseline_->apply(timed_.call, redraw_);
      }
    });
    if (!student_first) call_student();
  }
  if (with_baseline) {
    not_the_students([&] {
      const CallResult result = result_of(*baseline_, std::move(baseline), at_nothing);
      baseline_seconds_.push_back(judge_baseline(result, at_nothing));
    });
  }
  const CallResult result = result_of(*student_, std::move(student), look);
  pairs_.push_back({judge_student(result, look), baseline_seconds_.back()});
  return pairs_.back();
}

/// Less than this is no measurement of the work, however the clock came to it.
void MeasuringTimer::check_floor(double seconds) const {
  const double pins = sim::pin_bandwidth(grading_.hardware);
  const double least = pins > 0 ? timed_.bytes_moved / (pins * fastest_over_pins) : 0;
  if (seconds >= least && seconds > 0) return;
  throw TimingFailure(Verdict::suspicious,
                      "timed call: it took " + microseconds(seconds) +
                          " by the device's clock, but moving " +
                          plain_number(timed_.bytes_moved / 1e6, 1) +
                          " MB takes this device's memory at least " + microseconds(least) +
                          " with an empty cache. The work was not done, or not in this call.");
}

Interval MeasuringTimer::speedup() const {
  std::vector<double> ratios;
  for (const Pair& pair : pairs_) ratios.push_back(pair.baseline / pair.student);
  Interval interval = median_interval(ratios);
  if (pairs_per_baseline_ == 1) return interval;
  // Pairs that share a call of the baseline are not independent: its own interval comes on top.
  const Interval baseline = median_interval(baseline_seconds_);
  interval.low *= baseline.low / baseline.median;
  interval.high *= baseline.high / baseline.median;
  return interval;
}

Measurement MeasuringTimer::finish() {
  const auto straddles = [this](const Interval& interval) {
    return interval.low < required_ && interval.high >= required_;
  };
  Interval interval = speedup();
  if (required_ > 0 && straddles(interval)) {
    const std::size_t enough = pairs_.size() * longer_look;
    while (pairs_.size() < enough) next();
    interval = speedup();
  }
  draw(rng_);
  judge_student(call(*student_, at_everything), at_everything);
  spare_baselines_.give(task_, std::move(baseline_));
  Measurement measurement;
  measurement.speedup = {interval.median, interval.low, interval.high, required_};
  for (const Pair& pair : pairs_) {
    measurement.seconds.student_calls.push_back(pair.student);
    measurement.seconds.baseline_calls.push_back(pair.baseline);
  }
  measurement.seconds.student = median(measurement.seconds.student_calls);
  measurement.seconds.baseline = median(baseline_seconds_);
  measurement.undecided = required_ > 0 && straddles(interval);
  measurement.device_to_host_bytes = device_to_host_bytes_;
  measurement.conditions = record_.conditions();
  if (interval.median < required_)
    measurement.why_not_slow = record_.why_not_slow(interval.median, required_);
  return measurement;
}

}  // namespace gridstride
