// Timing on a real GPU, and what a claim is held against.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/text.h"
#include "grader/judge/correctness/case_runner.h"
#include "grader/judge/sources/unbuilt.h"
#include "grader/judge/timing/interval.h"
#include "grader/judge/timing/simulated_call.h"
#include "grader/judge/timing/timers.h"

namespace gridstride {
namespace {

using Clock = std::chrono::steady_clock;

/// Of one launch or one batch.
constexpr Session::Seconds limit{30};

/// Idle GPUs run at a fraction of their clock and take tenths of a second to rise. Warm when the
/// last launches of the baseline are no faster than those before, at most for so long.
constexpr double shortest_warm_up = 0.4, longest_warm_up = 4;
constexpr std::size_t steady_launches = 8;
constexpr double steady_within = 0.02;

/// The second look takes so many times the pairs of the first.
constexpr int longer_look = 5;

/// Answers up to so many bytes are all verified. Of larger ones, which take longer to read and to
/// check than to compute, the first and the last are, and of the rest each with this chance, which
/// nobody knows before the answer stands. The median of 31 launches only gets better when the work
/// is left out in 16 of them: all 16 escape once in 650 times.
constexpr std::uint64_t always_verified = 1 << 20;
constexpr double verified_share = 1.0 / 3;

/// Figures of pins leave out refresh and turnaround, so nothing comes closer to them than this.
constexpr double fastest_over_pins = 1.0;

/// Our own clock over batches: what runs back to back may be this much slower than what is claimed
/// for one launch, because a batch is also bound by what a launch costs the host.
constexpr double believable_share = 0.7;
constexpr double launch_cost = 60e-6;
constexpr double batch_seconds = 0.04;
constexpr std::uint32_t longest_batch = 1024;
constexpr int most_looks = 4;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::string microseconds(double seconds) { return plain_number(seconds * 1e6, 1) + " us"; }

}  // namespace

MeasuringTimer::MeasuringTimer(const Grading& grading, const StageTask& task, double required)
    : grading_(grading),
      task_(task),
      required_(required),
      rng_(grading.key(task.config->name, task.source_text).with("timing")),
      verify_draws_(grading.key(task.config->name, task.source_text).with("answers looked at")) {}

std::unique_ptr<ClaimedSession> MeasuringTimer::open(const std::filesystem::path& library,
                                                     Who who) {
  SessionOptions options;
  options.installation = &grading_.installation;
  options.gpu = true;
  options.library = library;
  options.function = task_.contract->function;
  options.arguments = task_.contract->arguments;
  if (who == Who::stage) options.clock = task_.clock;
  auto session = std::make_unique<ClaimedSession>(options);
  session->prepare(timed_.call);
  return session;
}

void MeasuringTimer::start() {
  need_baseline_library(grading_, task_);
  size_ = timing_size(grading_, true);
  timed_ = task_.contract->suite.timing(rng_, size_);
  name_arguments(timed_.call, task_.contract->suite.names);
  // Twice the cache: whatever its replacement policy, nothing of the inputs stays.
  flush_bytes_ = 2 * std::max<std::uint64_t>(grading_.hardware.l2_bytes, 32u << 20);
  try {
    baseline_ = open(task_.baseline, Who::baseline);
  } catch (const std::exception& error) {
    throw CannotGrade(std::string("the baseline cannot be timed: ") + error.what());
  }
  draw();
  launch_baseline();
  verify_baseline();
  warm_up();
  student_ = open(task_.library, Who::stage);
  launch(*student_);  // its kernels are loaded now
  verify(student_->outputs(timed_.call), redrawn_call(), "timed call");
}

void MeasuringTimer::draw() {
  redraw_ = {};
  if (timed_.redraw) timed_.redraw(rng_, redraw_);
}

void MeasuringTimer::warm_up() {
  std::vector<double> seconds;
  const auto begin = Clock::now();
  for (;;) {
    draw();
    seconds.push_back(launch_baseline());
    const double age = std::chrono::duration<double>(Clock::now() - begin).count();
    if (age > longest_warm_up) return;
    if (age < shortest_warm_up || seconds.size() < 2 * steady_launches) continue;
    const auto last = seconds.end() - steady_launches, before = last - steady_launches;
    if (median({last, seconds.end()}) > median({before, last}) * (1 - steady_within)) return;
  }
}

protocol::Timing MeasuringTimer::launch(ClaimedSession& session) {
  session.apply(timed_.call, redraw_);
  return session.time(flush_bytes_, 1, limit);
}

Call MeasuringTimer::redrawn_call() const {
  Call call = timed_.call;
  for (const auto& [argument, make] : redraw_.checks) call.arguments.at(argument).check = make();
  return call;
}

void MeasuringTimer::verify(const CallResult& result, const Call& call, const std::string& who) {
  const CaseSpec spec{who, size_, nullptr, Repeat::never};
  const CaseOutcome outcome = judge_call(spec, call, result, task_.contract->suite.guesses);
  if (outcome.verdict != Verdict::pass) throw TimingFailure(outcome.verdict, outcome.message);
}

bool MeasuringTimer::next_is_verified() {
  std::uint64_t bytes = 0;
  for (const CallArgument& argument : timed_.call.arguments)
    if (argument.info.kind == ArgumentKind::output) bytes += argument.bytes();
  return bytes <= always_verified || verify_draws_.uniform(0.0, 1.0) < verified_share;
}

double MeasuringTimer::launch_student() {
  const protocol::Timing timing = launch(*student_);
  if (next_is_verified()) verify(student_->outputs(timed_.call), redrawn_call(), "timed call");
  exposed_ += timing.exposed_host;
  check_floor(timing.seconds);
  return timing.seconds;
}

/// The baseline is the course's own, in a process of its own: to verify it once is enough.
void MeasuringTimer::verify_baseline() {
  try {
    Call call = redrawn_call();
    for (const auto& [argument, make] : timed_.baseline_checks)
      call.arguments.at(argument).check = make();
    verify(baseline_->outputs(timed_.call), call, "the baseline's timed call");
  } catch (const std::exception& error) {
    throw CannotGrade(std::string("the baseline cannot be timed: ") + error.what());
  }
}

/// Whatever goes wrong with the baseline is not the student's.
double MeasuringTimer::launch_baseline() {
  try {
    return launch(*baseline_).seconds;
  } catch (const std::exception& error) {
    throw CannotGrade(std::string("the baseline cannot be timed: ") + error.what());
  }
}

Pair MeasuringTimer::next() {
  draw();
  Pair pair;
  // Who goes first alternates, so that what one leaves behind in clocks and caches evens out.
  const bool student_first = pairs_.size() % 2 == 1;
  if (student_first) pair.student = launch_student();
  pair.baseline = launch_baseline();
  if (!student_first) pair.student = launch_student();
  pairs_.push_back(pair);
  return pair;
}

void MeasuringTimer::check_floor(double seconds) const {
  if (grading_.hardware.bytes_per_second <= 0) return;
  const double least =
      timed_.bytes_moved / (grading_.hardware.bytes_per_second * fastest_over_pins);
  if (seconds >= least && seconds > 0) return;
  throw TimingFailure(
      Verdict::suspicious,
      "timed call: the runner claims " + microseconds(seconds) + ", but moving " +
          plain_number(timed_.bytes_moved / 1e6, 1) + " MB takes this device's memory at least " +
          microseconds(least) +
          " with an empty cache. The work was not done, or not while it was timed.");
}

MeasuringTimer::Batch MeasuringTimer::batch(std::uint32_t launches) {
  Batch best{INFINITY, 0};
  for (int tries = 0; tries < 3; ++tries) {
    const auto begin = Clock::now();
    const double claim = student_->time(0, launches, limit).seconds;
    const double wall = std::chrono::duration<double>(Clock::now() - begin).count();
    if (wall < best.wall) best = {wall, claim};
  }
  return best;
}

/// The difference between a long batch and a short one, on our own clock, is the launches alone:
/// what the conversation costs is in both. A busy machine makes it too long, never too short, so
/// the shortest of several looks counts; and only claims about the batches themselves that do not
/// fit are held against the stage.
void MeasuringTimer::check_against_our_clock() {
  std::vector<double> claims;
  for (const Pair& pair : pairs_) claims.push_back(pair.student);
  const double claim = median(claims);
  // Long enough for our clock, whatever is claimed.
  std::uint32_t length = 8;
  while (length < longest_batch && batch(length).wall < batch_seconds) length *= 2;
  const std::uint32_t short_length = length / 4;
  Batch slope{INFINITY, 0};
  for (int look = 0; look < most_looks; ++look) {
    const Batch longer = batch(length), shorter = batch(short_length);
    const double count = length - short_length;
    const Batch seen{(longer.wall - shorter.wall) / count, (longer.claim - shorter.claim) / count};
    if (seen.wall < slope.wall) slope = seen;
    if (claim >= believable_share * slope.wall - launch_cost) return;
  }
  const std::string numbers = "timed call: the runner claims " + microseconds(claim) +
                              " a launch, but on the grader's own clock each launch of a batch "
                              "takes " +
                              microseconds(slope.wall) + ". ";
  if (slope.claim >= believable_share * slope.wall)
    throw TimingFailure(Verdict::inconclusive,
                        numbers +
                            "The machine may have been too busy to launch in time. Grade "
                            "again when nothing else runs on it.");
  throw TimingFailure(
      Verdict::suspicious,
      numbers + "The work was not done while it was timed, or the clock was tampered with.");
}

/// Where the function works in place, the batches have worked on their own results: it gets its
/// input again for the last look.
void MeasuringTimer::check_what_else_happened() {
  const bool in_place =
      std::ranges::any_of(timed_.call.arguments, [](const CallArgument& argument) {
        return argument.info.kind == ArgumentKind::output && !argument.data().empty();
      });
  if (in_place) launch(*student_);
  const Call call = redrawn_call();
  verify(student_->inspect(call), call, "timed call");
}

std::vector<double> MeasuringTimer::ratios() const {
  std::vector<double> values;
  for (const Pair& pair : pairs_) values.push_back(pair.baseline / pair.student);
  return values;
}

Measurement MeasuringTimer::finish() {
  const auto straddles = [this](const Interval& interval) {
    return interval.low < required_ && interval.high >= required_;
  };
  Interval interval = median_interval(ratios());
  if (required_ > 0 && straddles(interval)) {
    const std::size_t enough = pairs_.size() * longer_look;
    while (pairs_.size() < enough) next();
    interval = median_interval(ratios());
  }
  check_against_our_clock();
  check_what_else_happened();
  Measurement measurement;
  measurement.speedup = {interval.median, interval.low, interval.high, required_};
  std::vector<double> student, baseline;
  for (const Pair& pair : pairs_) {
    student.push_back(pair.student);
    baseline.push_back(pair.baseline);
  }
  measurement.seconds = {median(student), median(baseline)};
  measurement.undecided = required_ > 0 && straddles(interval);
  if (2 * exposed_ > pairs_.size())
    measurement.remark =
        "In most launches the GPU waited for the host: the call does more on the host than it "
        "hides (allocations, synchronisation, many small launches).";
  return measurement;
}

}  // namespace gridstride
