// Shared memory: passes beyond one for each group of lanes.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/report/formatting.h"
#include "common/simulator/report/rules.h"

namespace gridstride::sim {
namespace {

constexpr std::int64_t banks = 32, word = 4;

bool is_shared(AccessKind kind) {
  return kind == AccessKind::shared_load || kind == AccessKind::shared_store ||
         kind == AccessKind::shared_atomic;
}

void mend(const LineCounters& of, AccessKind kind, Counters& counters) {
  const Counters& line = of.counters;
  const auto take = [](std::uint64_t& from, std::uint64_t now, std::uint64_t ideal) {
    if (now > ideal) from -= std::min(from, now - ideal);
  };
  if (kind == AccessKind::shared_load) {
    take(counters.shared_load_wavefronts, line.shared_load_wavefronts, line.shared_load_ideal);
  } else if (kind == AccessKind::shared_store) {
    take(counters.shared_store_wavefronts, line.shared_store_wavefronts, line.shared_store_ideal);
  } else {
    take(counters.shared_atomic_wavefronts, line.shared_atomic_wavefronts,
         line.shared_atomic_ideal);
  }
}

std::string words_apart(std::int64_t distance) {
  const std::int64_t apart = std::abs(distance);
  if (apart % word != 0) return std::to_string(apart) + " bytes";
  return std::to_string(apart / word) + (apart == word ? " word" : " words");
}

/// "8 words apart", "2 to 64 words apart" where the distance changes, as in a tree.
std::string distances(const LineAccess& access) {
  std::set<std::int64_t> all;
  for (const AccessPattern& pattern : access.patterns) {
    if (pattern.shape == PatternShape::strided) all.insert(std::abs(pattern.distance));
  }
  const std::int64_t low = *all.begin(), high = *all.rbegin();
  if (low == high) return words_apart(low);
  if (low % word != 0 || high % word != 0) return words_apart(low) + " to " + words_apart(high);
  return std::to_string(low / word) + " to " + words_apart(high);
}

std::string what(const LineAccess& access) {
  const AccessPattern& worst = access.patterns.front();
  const auto ways = number_text(static_cast<double>(worst.cost) / static_cast<double>(worst.ideal));
  if (worst.shape == PatternShape::same) {
    return "threads of a warp change one word of shared memory, " + ways +
           " at a time on average: they are served one by one";
  }
  std::string text = "threads of a warp hit the same bank " + ways + " ways";
  if (worst.shape == PatternShape::strided) text += ": they are " + distances(access) + " apart";
  return text;
}

std::string repair(const LineAccess& access) {
  const AccessPattern& worst = access.patterns.front();
  if (access.kind == AccessKind::shared_atomic) {
    return "Add up within the warp first (shuffles, or one counter for each lane or warp), so that "
           "fewer threads meet at one place.";
  }
  const std::int64_t apart = std::abs(worst.distance) / word;
  if (worst.shape == PatternShape::strided && access.patterns.size() > 1) {
    return "Let neighbouring threads take neighbouring words; where they cannot, leave one word "
           "free "
           "after every 32: element i stands at i + i / 32.";
  }
  if (worst.shape == PatternShape::strided && apart % banks == 0) {
    return fmt::format("Pad the row to {} words: then the rows of a column lie in different banks.",
                       apart + 1);
  }
  if (worst.shape == PatternShape::strided) {
    return fmt::format(
        "Let neighbouring threads take neighbouring words; where rows have {} words, pad them to "
        "{}: an odd distance meets every bank.",
        apart, apart | 1);
  }
  return "Bank = word index modulo 32: arrange the array, or who takes which element, so that the "
         "lanes of a warp meet 32 different banks.";
}

}  // namespace

std::vector<Advice> bank_conflict_rule(const KernelView& kernel) {
  std::vector<Advice> all;
  for (const LineCounters& line : kernel.lines) {
    // A read and a write of one place in one line are one trouble.
    Advice advice;
    double worst = 0;
    std::set<AccessKind> kinds;
    for (const LineAccess& access : line.accesses) {
      if (!is_shared(access.kind) || access.patterns.empty()) continue;
      const AccessPattern& first = access.patterns.front();
      if (first.ideal == 0) continue;
      kinds.insert(access.kind);
      const auto excess = static_cast<double>(first.cost) - static_cast<double>(first.ideal);
      if (excess <= worst) continue;
      worst = excess;
      advice.text = what(access);
      advice.repair = repair(access);
    }
    if (worst <= 0) continue;
    advice.rule = "bank conflicts";
    advice.file = line.file;
    advice.line = line.line;
    advice.saved_seconds = kernel.saved([&](const LaunchRecord& launch, ModelInputs& inputs) {
      const LineCounters* here = line_of(launch, line);
      if (!here) return;
      for (const AccessKind kind : kinds) mend(*here, kind, inputs.result.counters);
    });
    all.push_back(std::move(advice));
  }
  return all;
}

}  // namespace gridstride::sim
