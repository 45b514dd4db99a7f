// The order in which a function's instructions are laid out, which is the order in which warp
// splits run: reverse post-order with the bodies of loops contiguous.
//
// With instructions in that order, "furthest behind" is the smallest index, and lanes that diverge
// reconverge at the first instruction that both sides reach.
#pragma once

#include <cstdint>
#include <vector>

namespace gridstride::sim {

/// Nodes 0 … n-1 with edges `successors`, entered at node 0. Returns the reachable nodes in program
/// order: every node before its successors, but for edges back to the head of a loop; the nodes of
/// a loop side by side. Among equals the one with the lower number first.
std::vector<std::int32_t> program_order(const std::vector<std::vector<std::int32_t>>& successors);

}  // namespace gridstride::sim
