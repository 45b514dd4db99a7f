// What all stages of one run of a grader share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/simulator/base/device_properties.h"
#include "common/simulator/device/control.h"
#include "grader/course/lab_config.h"
#include "grader/course/thresholds.h"
#include "grader/judge/cases/random.h"
#include "grader/judge/cases/suite.h"
#include "grader/judge/runners/installation.h"
#include "grader/judge/runners/stage_clock.h"
#include "grader/report/results.h"
#include "grader/runner/arguments.h"

namespace gridstride {

/// One contract of the lab, with its cases.
struct Contract {
  std::string function;
  std::vector<ArgumentInfo> arguments;
  SuiteData suite;
};

/// A device on another host may take so many times as long.
inline constexpr int link_patience = 4;

struct Grading {
  Installation installation;
  LabConfig lab;
  bool gpu = false;
  DeviceDescription device;
  sim::DeviceProperties hardware;  ///< of the real device, as its device process told
  /// That process, which nobody has used: the first session that is loaded takes it. Null on the simulated device.
  std::shared_ptr<sim::DeviceProcess> found_device;
  std::optional<ChosenThresholds> thresholds;  ///< of the real device
  bool measures_only = false;                  ///< no speedup is required
  std::optional<std::uint64_t> seed;
  std::filesystem::path handed_in;  ///< the folder of what a student handed in; empty: the tree's
  /// Seconds that one correctness call may take. A simulated kernel takes as long as its budget of
  /// instructions lasts.
  double real_call_limit = 10, simulated_call_limit = 25;
  /// How many pieces of work share a core: the simulated device's limits on wall time hold for each
  /// as if it had one for itself.
  double sharing = 1;

  const char* device_kind() const { return gpu ? "gpu" : "sim"; }
  /// What limits on wall time are multiplied by: inputs and results of a device on another host travel.
  double patience() const { return sharing * (installation.host ? link_patience : 1); }
  double call_limit() const { return gpu ? real_call_limit : simulated_call_limit * patience(); }

  /// What inputs are made from. On a real device it is new in each run. On the simulated one, where
  /// equal commands give equal results, it follows from the lab, the stage and the text of its
  /// source: nobody can put the answers into the code, because that changes the questions. A seed
  /// on the command line replaces chance, and is mixed in on the simulated device.
  RandomKey key(const std::string& stage, const std::string& source) const;
};

/// One stage to be graded.
struct StageTask {
  const StageConfig* config = nullptr;
  const Contract* contract = nullptr;
  std::filesystem::path library;      ///< the stage's .so
  std::filesystem::path source;       ///< its .cu
  std::string source_text;            ///< what stands there
  std::filesystem::path baseline;     ///< the baseline's .so
  std::shared_ptr<StageClock> clock;  ///< null: no limit on its calls together
};

}  // namespace gridstride
