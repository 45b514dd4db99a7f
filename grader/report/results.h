// The one model of results: what the judge finds out and every report is written from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gridstride {

/// What came of a stage. The order is that of "worse": a lab shows its worst.
enum class Verdict : std::uint8_t {
  pass,
  todo,        ///< the skeleton, untouched
  slow,        ///< right, but below the required speedup
  over_limit,  ///< right, but beyond a limit on what it may cost, whatever its speed
  wrong,
  compile_error,
  crash,
  unsupported,  ///< it uses what the simulated device does not know
  timeout,
  out_of_memory,
  unsupported_here,  ///< the stage needs a newer GPU than this one; it counts for nothing
  suspicious,        ///< a claim that cannot be true
  inconclusive,      ///< measurements too noisy to decide; not the student's fault
  infrastructure,    ///< could not be graded; not the student's fault
};
/// "compile_error" …, as in JSON.
const char* name_of(Verdict verdict);
std::optional<Verdict> verdict_named(const std::string& name);

struct CaseCount {
  int passed = 0, total = 0;
};

/// Baseline time over student time, with a confidence interval.
struct Speedup {
  double value = 0, low = 0, high = 0;
  double required = 0;  ///< 0 when nothing is required
  /// `required` was measured on another kind of GPU.
  bool estimated = false;
};

/// Medians, in seconds (modelled on the simulated device).
struct Seconds {
  double student = 0, baseline = 0;
  /// Where time was measured: what each pair of calls took, of which the speedup is the median ratio.
  std::vector<double> student_calls{}, baseline_calls{};
};

/// One bound on a simulator counter, and how the stage did.
struct LimitResult {
  std::string counter;
  double at_most = 0;
  double value = 0;
  bool met = false;
  std::string where;  ///< the line that costs most, "3_sequential.cu:21"; may be empty
};

/// Something that is to be said of a line: for editors, and for who reads the table.
struct Remark {
  enum class Kind : std::uint8_t {
    todo,     ///< nothing is written there yet
    error,    ///< the compiler's; its words
    warning,  ///< the same
    finding,  ///< a mistake that the simulated device saw
  };
  Kind kind = Kind::error;
  std::string file;  ///< its name alone, "3_sequential.cu": the stage's, or a header's beside it
  int line = 0;
  int column = 0;  ///< 0 when unknown
  std::string text;
};
/// "todo" …, as in JSON.
const char* name_of(Remark::Kind kind);

/// What a real GPU was like during a stage's timed calls, as its driver's NVML told.
struct GpuConditions {
  int lowest_clock = 0, highest_clock = 0;  ///< of the multiprocessors, MHz, right after calls
  int memory_clock = 0;                     ///< MHz
  int temperature = 0;                      ///< degrees Celsius, the highest
  std::vector<std::string> throttled = {};  ///< reasons for a lower clock, "hot" …
  int other_processes = 0;                  ///< that had the GPU open throughout
  bool ecc = false, mig = false;
};

struct StageResult {
  std::string name;  ///< "3_sequential"
  Verdict verdict = Verdict::infrastructure;
  double score = 0, max_score = 0;
  CaseCount cases;
  std::string message;           ///< empty when there is nothing to say; may have several lines
  std::string failed_case = {};  ///< the correctness case that `message` tells of; empty for none
  bool case_too_large = false;   ///< of that case no steps can be shown
  std::optional<Speedup> speedup;
  std::optional<Seconds> seconds;
  std::map<std::string, double> counters;  ///< of one timed call on the simulated device
  std::vector<LimitResult> limits;
  std::vector<Remark> remarks = {};
  std::optional<GpuConditions> conditions = {};  ///< of a real GPU whose driver tells
};

struct LabResult {
  std::string name;
  double score = 0, max_score = 0;
  std::vector<StageResult> stages;
  /// Files beside the stages' that lab.toml does not name, fit to be shown (escaped()).
  std::vector<std::string> ignored = {};
};

/// What a GPU can do at best, by what its driver says of it; 0 when unknown.
struct DeviceRates {
  double bandwidth = 0;   ///< GB/s of the memory's pins
  double arithmetic = 0;  ///< GFLOP/s of its float units
  double atomics = 0;     ///< billion additions a second to one word of global memory

  bool known() const { return bandwidth > 0 && arithmetic > 0 && atomics > 0; }
};

/// Where the required speedups of a real GPU were measured.
struct ThresholdSource {
  std::string device;      ///< empty: lab.toml has them, or there are none
  bool estimated = false;  ///< on another kind of GPU
};

struct DeviceDescription {
  std::string kind;  ///< "gpu" or "sim"
  std::string name;
  std::string driver, toolkit;  ///< empty when unknown
  DeviceRates rates = {};       ///< of a real one
  ThresholdSource thresholds = {};
};

struct Results {
  static constexpr int schema = 1;
  DeviceDescription device;
  double score = 0, max_score = 0;
  std::vector<LabResult> labs;

  /// Adds up scores of stages into labs, and of labs into the whole.
  void total();
};

/// "Ignored, for lab.toml names no such stage: …", or empty. A few names, and how many more.
std::string ignored_line(const LabResult& lab);

/// Where a required speedup of the lab is an estimate: on which GPU it was measured. Else empty.
std::string estimated_line(const LabResult& lab, const DeviceDescription& device);

/// Exit codes of every grading command.
enum ExitCode : int { exit_pass = 0, exit_short = 1, exit_usage = 2, exit_infrastructure = 3 };
/// 0 when every stage passes, 3 when any could not be graded (`infrastructure`), else 1.
ExitCode exit_code(const Results& results);

}  // namespace gridstride
