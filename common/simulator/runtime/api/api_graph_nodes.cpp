// Nodes added to graphs.
#include <cstddef>
#include <memory>
#include <utility>
#include <variant>

#include "common/simulator/runtime/graph_edges.h"
#include "common/simulator/runtime/graph_params.h"
#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

namespace {

/// `make(runtime, graph)` gives the work of the new node.
template <class Make>
cudaError_t add(const char* call, cudaGraphNode_t* node, cudaGraph_t graph,
                const cudaGraphNode_t* dependencies, std::size_t count, Make&& make) {
  return guarded(call, [&](Runtime& runtime) {
    if (node == nullptr) invalid("no place for the node");
    Graph& into = runtime.graphs.graph(graph);
    const auto before = runtime.graphs.nodes(dependencies, count);
    *node = GraphRegistry::handle_of(into.add(make(runtime, into), before));
  });
}

}  // namespace

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaKernelNodeParams* params) {
  return add("cudaGraphAddKernelNode", node, graph, dependencies, count,
             [&](Runtime& runtime, Graph&) { return work_of(runtime, required(params)); });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemcpy3DParms* params) {
  return add("cudaGraphAddMemcpyNode", node, graph, dependencies, count,
             [&](Runtime&, Graph&) { return work_of(required(params)); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  return add("cudaGraphAddMemcpyNode1D", node, graph, dependencies, count,
             [&](Runtime&, Graph&) { return plain_copy(to, from, bytes, kind); });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies, std::size_t count,
                                           const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind) {
  return add("cudaGraphAddMemcpyNodeToSymbol", node, graph, dependencies, count,
             [&](Runtime& runtime, Graph&) {
               return plain_copy(place_in(runtime, symbol, offset, bytes), from, bytes, kind);
             });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* dependencies, std::size_t count,
                                             void* to, const void* symbol, std::size_t bytes,
                                             std::size_t offset, cudaMemcpyKind kind) {
  return add("cudaGraphAddMemcpyNodeFromSymbol", node, graph, dependencies, count,
             [&](Runtime& runtime, Graph&) {
               return plain_copy(to, place_in(runtime, symbol, offset, bytes), bytes, kind);
             });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemsetParams* params) {
  return add("cudaGraphAddMemsetNode", node, graph, dependencies, count,
             [&](Runtime&, Graph&) { return work_of(required(params)); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, std::size_t count,
                                 const cudaHostNodeParams* params) {
  return add("cudaGraphAddHostNode", node, graph, dependencies, count,
             [&](Runtime&, Graph&) { return work_of(required(params)); });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, std::size_t count,
                                       cudaGraph_t child) {
  return add("cudaGraphAddChildGraphNode", node, graph, dependencies, count,
             [&](Runtime& runtime, Graph&) { return work_of(runtime, child, false); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, std::size_t count) {
  return add("cudaGraphAddEmptyNode", node, graph, dependencies, count,
             [](Runtime&, Graph&) { return EmptyWork{}; });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies, std::size_t count,
                                        cudaEvent_t event) {
  return add("cudaGraphAddEventRecordNode", node, graph, dependencies, count,
             [&](Runtime& runtime, Graph&) {
               runtime.event(event);
               return RecordWork{event};
             });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies, std::size_t count,
                                      cudaEvent_t event) {
  return add("cudaGraphAddEventWaitNode", node, graph, dependencies, count,
             [&](Runtime& runtime, Graph&) {
               runtime.event(event);
               return WaitWork{event};
             });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     cudaMemAllocNodeParams* params) {
  return add("cudaGraphAddMemAllocNode", node, graph, dependencies, count,
             [&](Runtime& runtime, Graph&) { return work_of(runtime, required(params)); });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies, std::size_t count,
                                    void* pointer) {
  return add("cudaGraphAddMemFreeNode", node, graph, dependencies, count, [&](Runtime&, Graph&) {
    if (pointer == nullptr) invalid("a null pointer");
    return FreeWork{pointer};
  });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                             const cudaGraphNode_t* dependencies, const cudaGraphEdgeData* edges,
                             std::size_t count, cudaGraphNodeParams* params) {
  return guarded("cudaGraphAddNode", [&](Runtime& runtime) {
    if (node == nullptr) invalid("no place for the node");
    refuse_edge_data(runtime, edges, count);
    Graph& into = runtime.graphs.graph(graph);
    const auto before = runtime.graphs.nodes(dependencies, count);
    GraphNode& added = into.add(work_of(runtime, into, required(params)), before);
    if (auto* choice = std::get_if<ConditionWork>(&added.work)) {
      params->conditional.phGraph_out = choice->handles.data();
    }
    *node = GraphRegistry::handle_of(added);
  });
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned initial, unsigned flags) {
  return guarded("cudaGraphConditionalHandleCreate", [&](Runtime& runtime) {
    if (handle == nullptr) invalid("no place for the handle");
    if (flags > cudaGraphCondAssignDefault) invalid("unknown flags");
    Graph& owner = runtime.graphs.graph(graph);
    const bool at_launch = flags == cudaGraphCondAssignDefault;
    auto condition = std::make_shared<Condition>(runtime.device(), initial, at_launch);
    *handle = condition->handle;
    owner.conditions.push_back(std::move(condition));
  });
}
