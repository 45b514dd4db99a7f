// What holds a kernel back: one rule for each kind of trouble, each in a file of its own.
//
// A rule looks at one kernel and says, where it applies, what is wrong in words that a student can
// act on, and what the time model takes off when it is mended. `./lab explain`, `./lab sim
// --report` and the message of a stage that is too slow all say what these rules say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/report/kernel_view.h"

namespace gridstride::sim {

struct Advice {
  std::string rule;          ///< "global access", "bank conflicts", …
  std::string file;          ///< of the line it is about; empty when it is about the whole kernel
  std::uint32_t line = 0;    ///< 0 likewise
  std::string text;          ///< what is seen, one sentence, with figures
  std::string repair;        ///< what to do about it, one or two sentences
  double saved_seconds = 0;  ///< that the model takes off all launches of the kernel
};

using Rule = std::vector<Advice> (*)(const KernelView& kernel);

// Lines of the source.
std::vector<Advice> global_access_rule(const KernelView& kernel);
std::vector<Advice> bank_conflict_rule(const KernelView& kernel);
std::vector<Advice> idle_lanes_rule(const KernelView& kernel);
std::vector<Advice> atomics_rule(const KernelView& kernel);
std::vector<Advice> local_memory_rule(const KernelView& kernel);
std::vector<Advice> arithmetic_rule(const KernelView& kernel);
std::vector<Advice> shared_reads_rule(const KernelView& kernel);
// The kernel as a whole.
std::vector<Advice> occupancy_rule(const KernelView& kernel);
std::vector<Advice> blocks_rule(const KernelView& kernel);
std::vector<Advice> launch_rule(const KernelView& kernel);
std::vector<Advice> reuse_rule(const KernelView& kernel);

/// Below this share of the kernel's time a mend is not worth a word.
constexpr double least_saved_share = 0.03;

/// What all rules say that saves at least least_saved_share, the most rewarding first.
std::vector<Advice> advice_for(const KernelView& kernel);

/// One sentence on what the kernel is bound by, and how near it comes to what the device can do:
/// "It moves the bytes it must at 92 % of what the memory can: nothing left but to move less."
std::string headline(const KernelView& kernel, const std::vector<Advice>& advice);

}  // namespace gridstride::sim
