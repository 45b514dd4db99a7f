// Patterns of single accesses, and their sums.
#include "common/simulator/count/access_pattern.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace gridstride::sim {
namespace {

constexpr std::size_t most_patterns = 8;

std::uint64_t excess(const AccessPattern& pattern) {
  return pattern.cost > pattern.ideal ? pattern.cost - pattern.ideal : 0;
}

void sort_by_excess(std::vector<AccessPattern>& patterns) {
  std::stable_sort(
      patterns.begin(), patterns.end(),
      [](const AccessPattern& a, const AccessPattern& b) { return excess(a) > excess(b); });
}

void add_to(AccessPattern& into, const AccessPattern& pattern) {
  into.requests += pattern.requests;
  into.cost += pattern.cost;
  into.ideal += pattern.ideal;
}

/// Into the one like it, a new one, or, when there are too many, the scattered one.
void add_to(std::vector<AccessPattern>& patterns, AccessPattern pattern) {
  const auto like = [&patterns](const AccessPattern& wanted) {
    return std::find_if(patterns.begin(), patterns.end(),
                        [&](const AccessPattern& one) { return one.same_pattern(wanted); });
  };
  auto at = like(pattern);
  if (at == patterns.end() && patterns.size() + 1 >= most_patterns) {
    pattern.shape = PatternShape::scattered;
    pattern.distance = 0;
    at = like(pattern);
  }
  if (at == patterns.end()) {
    patterns.push_back(pattern);
  } else {
    add_to(*at, pattern);
  }
}

}  // namespace

const char* name_of(AccessKind kind) {
  static constexpr std::array names = {"global load", "global store", "shared load", "shared store",
                                       "shared atomic"};
  return names.at(static_cast<std::size_t>(kind));
}

namespace {

/// Whether no distance between neighbouring active lanes is that of at least half of them, or of
/// two: what is found without a look at which it is.
bool none_prevails(const std::uint64_t* addresses, std::uint32_t mask) {
  std::array<std::uint64_t, 32> distances;
  std::array<std::uint64_t, 32> times;  // as wide as what is compared: the loops are vectorised
  unsigned pairs = 0;
  std::uint64_t before = addresses[std::countr_zero(mask)];
  for (std::uint32_t rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {
    const std::uint64_t address = addresses[std::countr_zero(rest)];
    distances[pairs++] = address - before;
    before = address;
  }
  for (unsigned k = pairs; k < 32; ++k) distances[k] = 0;
  for (unsigned k = 0; k < 32; ++k) times[k] = distances[k] == distances[0] && pairs > 0;
  for (unsigned i = 1; i < pairs; ++i) {
    for (unsigned k = 0; k < 32; ++k) times[k] += distances[k] == distances[i];
  }
  // Of the places behind the pairs, too: they have as many as one with distance 0 would have.
  std::uint64_t most = 0;
  for (unsigned k = 0; k < 32; ++k) most = std::max(most, times[k]);
  return 2 * most < pairs || (most == 1 && pairs > 1);
}

}  // namespace

AccessPattern pattern_of(const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t bytes) {
  if (none_prevails(addresses, mask)) return {.shape = PatternShape::scattered, .requests = 1};
  // Distances between neighbouring active lanes, and how often each occurs.
  std::array<std::int64_t, 31> distances;
  std::array<unsigned, 31> times;
  unsigned kinds = 0, pairs = 0, best = 0;
  std::uint64_t before = addresses[std::countr_zero(mask)];
  for (std::uint32_t rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {
    const std::uint64_t address = addresses[std::countr_zero(rest)];
    const auto distance = static_cast<std::int64_t>(address - before);
    before = address;
    ++pairs;
    unsigned at = 0;
    while (at < kinds && distances[at] != distance) ++at;
    if (at == kinds) {
      distances[at] = distance;
      times[at] = 0;
      ++kinds;
    }
    if (++times[at] > times[best]) best = at;
  }
  AccessPattern pattern{.shape = PatternShape::scattered, .requests = 1};
  if (pairs == 0) {
    pattern.shape = PatternShape::same;
  } else if (distances[best] == 0) {
    pattern.shape = PatternShape::same;
  } else if (std::abs(distances[best]) != static_cast<std::int64_t>(bytes)) {
    pattern.shape = PatternShape::strided;
    pattern.distance = distances[best];
  } else if (times[best] == pairs) {
    pattern.shape = PatternShape::shifted;
  } else {
    pattern.shape = PatternShape::pieces;
    pattern.distance = static_cast<std::int64_t>(bytes) * (pairs + 1) / (pairs - times[best] + 1);
  }
  return pattern;
}

void PatternSamples::add(const AccessPattern& pattern) { add_to(patterns_, pattern); }

std::vector<AccessPattern> PatternSamples::scaled_to(std::uint64_t all) const {
  std::uint64_t sampled = 0;
  for (const AccessPattern& pattern : patterns_) sampled += excess(pattern);
  if (sampled == 0) return {};
  const double factor = static_cast<double>(all) / static_cast<double>(sampled);
  const auto scaled = [factor](std::uint64_t value) {
    return static_cast<std::uint64_t>(static_cast<double>(value) * factor + 0.5);
  };
  std::vector<AccessPattern> patterns = patterns_;
  for (AccessPattern& pattern : patterns) {
    pattern.requests = scaled(pattern.requests);
    pattern.cost = scaled(pattern.cost);
    pattern.ideal = scaled(pattern.ideal);
  }
  sort_by_excess(patterns);
  return patterns;
}

void merge(std::vector<AccessPattern>& into, const std::vector<AccessPattern>& from) {
  for (const AccessPattern& pattern : from) add_to(into, pattern);
  sort_by_excess(into);
}

void merge(std::vector<LineAccess>& into, const std::vector<LineAccess>& from) {
  for (const LineAccess& access : from) {
    const auto same = std::find_if(into.begin(), into.end(), [&](const LineAccess& one) {
      return one.kind == access.kind && one.bytes == access.bytes;
    });
    if (same == into.end()) {
      into.push_back(access);
    } else {
      merge(same->patterns, access.patterns);
    }
  }
}

}  // namespace gridstride::sim
