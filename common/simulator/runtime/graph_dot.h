// Graphs as text that Graphviz draws.
#pragma once

#include <string>

#include "common/simulator/runtime/graph.h"

namespace gridstride::sim {

/// `flags`: cudaGraphDebugDotFlags.
std::string dot_of(Runtime& runtime, const Graph& graph, unsigned flags);

}  // namespace gridstride::sim
