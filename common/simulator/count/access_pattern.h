// How the lanes of a warp lie in memory when an access costs more than it need: what a report calls
// "neighbouring threads are 4096 bytes apart".
//
// Only accesses above their ideal are looked at, and of those a sample: finding the pattern costs
// more than counting. Costs are scaled back to what was counted in all.
#pragma once

#include <cstdint>
#include <vector>

namespace gridstride::sim {

enum class AccessKind : std::uint8_t {
  global_load,
  global_store,
  shared_load,
  shared_store,
  shared_atomic,
};
/// "global load".
const char* name_of(AccessKind kind);

enum class PatternShape : std::uint8_t {
  same,       ///< most lanes at one address
  strided,    ///< neighbouring active lanes `distance` bytes apart
  shifted,    ///< side by side, but not from a multiple of 32 bytes on
  pieces,     ///< side by side in pieces of `distance` bytes
  scattered,  ///< no distance prevails
};

struct AccessPattern {
  PatternShape shape{};
  std::int64_t distance = 0;  ///< bytes, see PatternShape; otherwise 0
  std::uint64_t requests = 0;
  std::uint64_t cost = 0, ideal = 0;  ///< sectors or wavefronts of those requests
  bool same_pattern(const AccessPattern& other) const {
    return shape == other.shape && distance == other.distance;
  }
};

/// The accesses above ideal of one kind and width in one source line.
struct LineAccess {
  AccessKind kind{};
  std::uint32_t bytes = 0;              ///< of one lane
  std::vector<AccessPattern> patterns;  ///< most costly beyond the ideal first
};

/// What the active lanes of one access have in common; `addresses` has 32 entries, `mask` is not 0,
/// `bytes` are those of one lane.
AccessPattern pattern_of(const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t bytes);

/// Patterns of one instruction.
class PatternSamples {
 public:
  void add(const AccessPattern& pattern);
  /// Scaled so that their excess over the ideal adds up to `excess`.
  std::vector<AccessPattern> scaled_to(std::uint64_t excess) const;
  std::uint32_t bytes = 0;

 private:
  std::vector<AccessPattern> patterns_;
};

/// Adds `from` to `into`: patterns that are the same become one, those beyond the most that are
/// kept become part of the scattered ones. Keeps the order of LineAccess::patterns.
void merge(std::vector<AccessPattern>& into, const std::vector<AccessPattern>& from);
void merge(std::vector<LineAccess>& into, const std::vector<LineAccess>& from);

}  // namespace gridstride::sim
