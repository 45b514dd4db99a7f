// See post_dominators.h.
#include "common/simulator/analysis/post_dominators.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gridstride::sim {
namespace {

using Nodes = std::vector<std::int32_t>;

std::size_t at(std::int32_t node) { return static_cast<std::size_t>(node); }

/// Nodes from which `end` can be reached, each behind those it leads to; `end` first.
Nodes backwards(const std::vector<Nodes>& predecessors, std::int32_t end) {
  std::vector<bool> seen(predecessors.size(), false);
  std::vector<std::pair<std::int32_t, std::size_t>> path{{end, 0}};
  seen[at(end)] = true;
  Nodes finished;
  while (!path.empty()) {
    auto& [node, next] = path.back();
    const Nodes& before = predecessors[at(node)];
    if (next == before.size()) {
      finished.push_back(node);
      path.pop_back();
      continue;
    }
    const std::int32_t other = before[next++];
    if (seen[at(other)]) continue;
    seen[at(other)] = true;
    path.push_back({other, 0});
  }
  return {finished.rbegin(), finished.rend()};
}

}  // namespace

Nodes post_dominators(const std::vector<Nodes>& successors) {
  const auto end = static_cast<std::int32_t>(successors.size());
  std::vector<Nodes> predecessors(successors.size() + 1);
  for (std::int32_t node = 0; node < end; ++node) {
    for (const std::int32_t next : successors[at(node)]) predecessors[at(next)].push_back(node);
    if (successors[at(node)].empty()) predecessors[at(end)].push_back(node);
  }
  const Nodes order = backwards(predecessors, end);
  Nodes rank(successors.size() + 1, -1), nearest(successors.size() + 1, -1);
  for (std::size_t i = 0; i < order.size(); ++i) rank[at(order[i])] = static_cast<std::int32_t>(i);
  nearest[at(end)] = end;
  const auto meet = [&](std::int32_t a, std::int32_t b) {
    while (a != b) {
      while (rank[at(a)] > rank[at(b)]) a = nearest[at(a)];
      while (rank[at(b)] > rank[at(a)]) b = nearest[at(b)];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::int32_t node : order) {
      if (node == end) continue;
      std::int32_t found = successors[at(node)].empty() ? end : -1;
      for (const std::int32_t next : successors[at(node)]) {
        if (nearest[at(next)] < 0) continue;
        found = found < 0 ? next : meet(found, next);
      }
      changed = changed || nearest[at(node)] != found;
      nearest[at(node)] = found;
    }
  }
  nearest.pop_back();
  return nearest;
}

}  // namespace gridstride::sim
