// Graphs: made, cloned, destroyed; which nodes they have and which wait for which.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/runtime/graph.h"
#include "common/simulator/runtime/graph_dot.h"
#include "common/simulator/runtime/graph_edges.h"
#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

namespace gridstride::sim {

void refuse_edge_data(Runtime& runtime, const cudaGraphEdgeData* edges, std::size_t count) {
  for (std::size_t i = 0; edges != nullptr && i < count; ++i) {
    if (edges[i].from_port == 0 && edges[i].to_port == 0 && edges[i].type == 0) continue;
    runtime.refuse_call("a programmatic dependency between graph nodes");
    throw DeviceError(error_not_supported, false, "programmatic dependencies are not supported");
  }
}

}  // namespace gridstride::sim

namespace {

/// As all calls that list something: without `places` says how many there are; otherwise fills
/// `count` of them, with null where there are fewer, and says how many it filled.
void list(const std::vector<const GraphNode*>& nodes, cudaGraphNode_t* places, std::size_t* count) {
  if (count == nullptr) invalid("no place for the number");
  if (places == nullptr) {
    *count = nodes.size();
    return;
  }
  const std::size_t filled = std::min(*count, nodes.size());
  for (std::size_t i = 0; i < *count; ++i) {
    places[i] = i < filled ? GraphRegistry::handle_of(*nodes[i]) : nullptr;
  }
  *count = filled;
}

void no_data(cudaGraphEdgeData* edges, std::size_t count) {
  if (edges != nullptr) std::fill_n(edges, count, cudaGraphEdgeData{});
}

std::vector<const GraphNode*> constant(const std::vector<GraphNode*>& nodes) {
  return {nodes.begin(), nodes.end()};
}

template <class Change>
cudaError_t change_edges(const char* call, cudaGraph_t graph, const cudaGraphNode_t* from,
                         const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                         std::size_t count, Change&& change) {
  return guarded(call, [&](Runtime& runtime) {
    refuse_edge_data(runtime, edges, count);
    Graph& changed = runtime.graphs.graph(graph);
    const auto sources = runtime.graphs.nodes(from, count);
    const auto targets = runtime.graphs.nodes(to, count);
    for (std::size_t i = 0; i < count; ++i) change(changed, *sources[i], *targets[i]);
  });
}

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return guarded("cudaGraphCreate", [&](Runtime& runtime) {
    runtime.device();
    if (graph == nullptr || flags != 0) invalid("no place for the graph, or unknown flags");
    auto created = std::make_shared<Graph>(runtime.graphs);
    runtime.graphs.owned[created.get()] = created;
    *graph = GraphRegistry::handle_of(*created);
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return guarded("cudaGraphDestroy", [&](Runtime& runtime) {
    const auto found = runtime.graphs.owned.find(&runtime.graphs.graph(graph));
    if (found == runtime.graphs.owned.end()) invalid("this graph belongs to a node of another");
    const std::shared_ptr<Graph> last = std::move(found->second);  // its end may call the program
    runtime.graphs.owned.erase(found);
  });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  return guarded("cudaGraphClone", [&](Runtime& runtime) {
    if (clone == nullptr) invalid("no place for the graph");
    std::shared_ptr<Graph> copy = runtime.graphs.graph(original).clone();
    *clone = GraphRegistry::handle_of(*copy);
    runtime.graphs.owned[copy.get()] = copy;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original,
                                     cudaGraph_t clone) {
  return guarded("cudaGraphNodeFindInClone", [&](Runtime& runtime) {
    if (node == nullptr) invalid("no place for the node");
    *node = nullptr;
    const GraphNode& wanted = runtime.graphs.node(original);
    const GraphNode* found = runtime.graphs.graph(clone).find(wanted.id);
    if (found == nullptr) invalid("the clone has no such node");
    *node = GraphRegistry::handle_of(*found);
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return guarded("cudaGraphNodeGetType", [&](Runtime& runtime) {
    if (type == nullptr) invalid("no place for the type");
    *type = type_of(runtime.graphs.node(node).work);
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return guarded("cudaGraphGetNodes", [&](Runtime& runtime) {
    std::vector<const GraphNode*> all;
    for (const auto& node : runtime.graphs.graph(graph).nodes()) all.push_back(node.get());
    list(all, nodes, count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return guarded("cudaGraphGetRootNodes", [&](Runtime& runtime) {
    std::vector<const GraphNode*> roots;
    for (const auto& node : runtime.graphs.graph(graph).nodes()) {
      if (node->from.empty()) roots.push_back(node.get());
    }
    list(roots, nodes, count);
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* edges, std::size_t* count) {
  return guarded("cudaGraphGetEdges", [&](Runtime& runtime) {
    std::vector<const GraphNode*> sources, targets;
    for (const auto& node : runtime.graphs.graph(graph).nodes()) {
      for (const GraphNode* next : node->to) {
        sources.push_back(node.get());
        targets.push_back(next);
      }
    }
    if (count == nullptr || (from == nullptr) != (to == nullptr)) invalid("no place for the edges");
    std::size_t room = *count;
    list(sources, from, &room);
    list(targets, to, count);
    if (from != nullptr) no_data(edges, *count);
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData* edges, std::size_t* count) {
  return guarded("cudaGraphNodeGetDependencies", [&](Runtime& runtime) {
    list(constant(runtime.graphs.node(node).from), nodes, count);
    if (nodes != nullptr) no_data(edges, *count);
  });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData* edges, std::size_t* count) {
  return guarded("cudaGraphNodeGetDependentNodes", [&](Runtime& runtime) {
    list(constant(runtime.graphs.node(node).to), nodes, count);
    if (nodes != nullptr) no_data(edges, *count);
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                     std::size_t count) {
  return change_edges("cudaGraphAddDependencies", graph, from, to, edges, count,
                      [](Graph& changed, GraphNode& source, GraphNode& target) {
                        changed.connect(source, target);
                      });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                        std::size_t count) {
  return change_edges("cudaGraphRemoveDependencies", graph, from, to, edges, count,
                      [](Graph& changed, GraphNode& source, GraphNode& target) {
                        changed.disconnect(source, target);
                      });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return guarded("cudaGraphDestroyNode", [&](Runtime& runtime) {
    GraphNode& gone = runtime.graphs.node(node);
    const bool has_memory =
        std::holds_alternative<AllocWork>(gone.work) || std::holds_alternative<FreeWork>(gone.work);
    if (has_memory) {
      throw DeviceError(error_not_supported, false, "memory nodes cannot be taken out of a graph");
    }
    runtime.captures.forget_node(gone);
    gone.graph->remove(gone);
  });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned flags) {
  return guarded("cudaGraphDebugDotPrint", [&](Runtime& runtime) {
    if (path == nullptr) invalid("no file to write to");
    const std::string text = dot_of(runtime, runtime.graphs.graph(graph), flags);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "w"), &std::fclose);
    if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) {
      throw DeviceError(cudaErrorOperatingSystem, false, std::string("cannot write ") + path);
    }
  });
}
