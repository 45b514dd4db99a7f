// The rules in order, and the sentence above them.
#include "common/simulator/report/rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/report/formatting.h"

namespace gridstride::sim {
namespace {

constexpr std::array<Rule, 11> rules = {global_access_rule, bank_conflict_rule, idle_lanes_rule,
                                        atomics_rule,       local_memory_rule,  arithmetic_rule,
                                        occupancy_rule,     blocks_rule,        launch_rule,
                                        reuse_rule,         shared_reads_rule};

/// A part is said to be used up from here on: the norm that joins the parts leaves no more than
/// this to a single one when others come close.
constexpr double used_up = 0.7;

struct PartName {
  const char* part;
  const char* words;
};
constexpr PartName part_names[] = {
    {"dram", "device memory (DRAM)"},
    {"l2", "the L2 cache"},
    {"shared", "shared memory and L1"},
    {"issue", "the issue of instructions"},
    {"integer", "integer arithmetic"},
    {"float", "single-precision arithmetic"},
    {"special", "special functions (division, square roots, exponentials)"},
    {"fp64", "double-precision arithmetic"},
    {"float", "single-precision arithmetic"},
    {"constant", "constant memory: lanes of a warp want different addresses of it"},
    {"atomics", "atomics"},
    {"blocks", "starting blocks"},
    {"latency", "waiting: too little work is under way to hide how long each access takes"},
    {"launch", "the cost of launching"},
};

std::string words_for(const std::string& part) {
  for (const PartName& name : part_names) {
    if (part == name.part) return name.words;
  }
  return part;
}

}  // namespace

std::vector<Advice> advice_for(const KernelView& kernel) {
  std::vector<Advice> all;
  for (const Rule rule : rules) {
    for (Advice& advice : rule(kernel)) {
      if (advice.saved_seconds >= least_saved_share * kernel.seconds) {
        all.push_back(std::move(advice));
      }
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Advice& a, const Advice& b) {
    return a.saved_seconds > b.saved_seconds;
  });
  return all;
}

std::string headline(const KernelView& kernel, const std::vector<Advice>& advice) {
  const std::string& part = kernel.limiter();
  const double used = kernel.seconds > 0 ? kernel.bound(part) / kernel.seconds : 0;
  if (part == "dram" && used >= used_up) {
    const std::string share = percent_text(used);
    if (advice.empty()) {
      return "It moves the bytes it must at " + share +
             " of what the memory can: nothing left but to move less.";
    }
    return "It is bound by device memory, which it uses at " + share + ".";
  }
  if (part == "launch") {
    return "It does so little that the cost of launching it is most of its time.";
  }
  std::string text = "It is bound by " + words_for(part);
  if (part != "latency" && part != "blocks") {
    text += ", at " + percent_text(std::min(used, 1.0)) + " of what the device can";
  }
  return text + ".";
}

}  // namespace gridstride::sim
