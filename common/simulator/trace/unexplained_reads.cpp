// Elements that came with the launch: what a recording alone does not explain.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <unordered_set>
#include <vector>

#include "common/simulator/trace/trace.h"

namespace gridstride::sim {

std::vector<std::uint64_t> unexplained_reads(const Trace& trace, std::size_t most) {
  std::unordered_set<std::uint64_t> written;
  std::set<std::uint64_t> unexplained;
  for (const TraceStep& step : trace.steps) {
    for (const TraceAccess& access : step.accesses) {
      if (access.space != TraceSpace::global) continue;
      for (const std::uint64_t place : access.places) {
        for (std::uint32_t i = 0; i < access.count; ++i) {
          const std::uint64_t element = place + std::uint64_t{i} * access.bytes;
          if (access.kind != TraceKind::store && !written.contains(element) &&
              unexplained.size() < most)
            unexplained.insert(element);
        }
      }
      if (access.kind == TraceKind::load) continue;
      for (const std::uint64_t place : access.places) {
        for (std::uint64_t i = 0; i < std::uint64_t{access.bytes} * access.count; ++i)
          written.insert(place + i);
      }
    }
  }
  return {unexplained.begin(), unexplained.end()};
}

const TraceWriter* earlier_writer(const Trace& trace, std::uint64_t place) {
  const auto found = std::ranges::lower_bound(trace.earlier, place, {}, &TraceEarlier::place);
  return found != trace.earlier.end() && found->place == place ? &found->writer : nullptr;
}

}  // namespace gridstride::sim
