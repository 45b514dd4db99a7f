// Where paths through a function reconverge: what every way to its end leads through.
#pragma once

#include <cstdint>
#include <vector>

namespace gridstride::sim {

/// Nodes 0 … n-1 with edges `successors`; those without a successor are ends. For each node the
/// nearest other one that every path from it to an end goes through; n when there is none but the
/// end itself, -1 for nodes that reach no end. After Cooper, Harvey and Kennedy, "A Simple, Fast
/// Dominance Algorithm" (2001).
std::vector<std::int32_t> post_dominators(const std::vector<std::vector<std::int32_t>>& successors);

}  // namespace gridstride::sim
