// Parameters of nodes, asked for and changed: in graphs, and in executable ones.
#include <cstring>
#include <utility>

#include "common/simulator/runtime/graph_exec.h"
#include "common/simulator/runtime/graph_params.h"
#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

namespace {

/// `use(runtime, node)`
template <class Use>
cudaError_t with_node(const char* call, cudaGraphNode_t node, Use&& use) {
  return guarded(call, [&](Runtime& runtime) { use(runtime, runtime.graphs.node(node)); });
}

/// `make(runtime, node)` gives the new work of a node, of the kind that it has.
template <class Make>
cudaError_t change(const char* call, cudaGraphNode_t node, Make&& make) {
  return with_node(call, node, [&](Runtime& runtime, GraphNode& changed) {
    Work work = make(runtime, changed);
    if (work.index() != changed.work.index()) invalid("a node of another kind");
    changed.work = std::move(work);
  });
}

template <class Make>
cudaError_t change(const char* call, cudaGraphExec_t exec, cudaGraphNode_t node, Make&& make) {
  return guarded(call, [&](Runtime& runtime) {
    GraphNode& changed = runtime.graphs.exec(exec).node_for(runtime.graphs.node(node));
    replace(changed, make(runtime, changed));
  });
}

auto kernel_of(const cudaKernelNodeParams* params) {
  return [params](Runtime& runtime, GraphNode& node) {
    return work_of(runtime, required(params), &work_in<KernelWork>(node));
  };
}

template <class Params>
auto plain_of(const Params* params) {
  return [params](Runtime&, GraphNode&) { return work_of(required(params)); };
}

auto row_of(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return [=](Runtime&, GraphNode&) { return plain_copy(to, from, bytes, kind); };
}

auto to_symbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
               cudaMemcpyKind kind) {
  return [=](Runtime& runtime, GraphNode&) {
    return plain_copy(place_in(runtime, symbol, offset, bytes), from, bytes, kind);
  };
}

auto from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                 cudaMemcpyKind kind) {
  return [=](Runtime& runtime, GraphNode&) {
    return plain_copy(to, place_in(runtime, symbol, offset, bytes), bytes, kind);
  };
}

template <class Kind>
cudaError_t give_event(const char* call, cudaGraphNode_t node, cudaEvent_t* event) {
  return with_node(call, node, [&](Runtime&, GraphNode& asked) {
    required(event) = work_in<Kind>(asked).event;
  });
}

template <class Kind>
auto event_of(cudaEvent_t event) {
  return [event](Runtime& runtime, GraphNode& node) {
    runtime.event(event);
    Kind work = work_in<Kind>(node);
    work.event = event;
    return work;
  };
}

auto any_of(cudaGraphNodeParams* params) {
  return [params](Runtime& runtime, GraphNode& node) -> Work {
    if (required(params).type == cudaGraphNodeTypeKernel) {
      return work_of(runtime, params->kernel, &work_in<KernelWork>(node));
    }
    const bool fixed = params->type == cudaGraphNodeTypeMemAlloc ||
                       params->type == cudaGraphNodeTypeMemFree ||
                       params->type == cudaGraphNodeTypeConditional;
    if (fixed) invalid("the parameters of such a node cannot change");
    return work_of(runtime, *node.graph, *params);
  };
}

}  // namespace

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* params) {
  return with_node("cudaGraphKernelNodeGetParams", node, [&](Runtime& runtime, GraphNode& asked) {
    required(params) = kernel_params(runtime, asked);
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  return change("cudaGraphKernelNodeSetParams", node, kernel_of(params));
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* params) {
  return change("cudaGraphExecKernelNodeSetParams", exec, node, kernel_of(params));
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue* value) {
  return with_node("cudaGraphKernelNodeGetAttribute", node, [&](Runtime&, GraphNode& asked) {
    const auto& attributes = work_in<KernelWork>(asked).attributes;
    const auto found = attributes.find(id);
    required(value) = found == attributes.end() ? cudaLaunchAttributeValue{} : found->second;
  });
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue* value) {
  return with_node("cudaGraphKernelNodeSetAttribute", node,
                   [&](Runtime& runtime, GraphNode& changed) {
                     set_attribute(runtime, work_in<KernelWork>(changed), id, required(value));
                   });
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  return with_node("cudaGraphKernelNodeCopyAttributes", to,
                   [&](Runtime& runtime, GraphNode& changed) {
                     const auto& source = work_in<KernelWork>(runtime.graphs.node(from));
                     auto& target = work_in<KernelWork>(changed);
                     target.attributes = source.attributes;
                     target.cooperative = source.cooperative;
                   });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* params) {
  return with_node("cudaGraphMemcpyNodeGetParams", node, [&](Runtime&, GraphNode& asked) {
    required(params) = work_in<CopyWork>(asked).what;
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* params) {
  return change("cudaGraphMemcpyNodeSetParams", node, plain_of(params));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           std::size_t bytes, cudaMemcpyKind kind) {
  return change("cudaGraphMemcpyNodeSetParams1D", node, row_of(to, from, bytes, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol,
                                                 const void* from, std::size_t bytes,
                                                 std::size_t offset, cudaMemcpyKind kind) {
  return change("cudaGraphMemcpyNodeSetParamsToSymbol", node,
                to_symbol(symbol, from, bytes, offset, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to,
                                                   const void* symbol, std::size_t bytes,
                                                   std::size_t offset, cudaMemcpyKind kind) {
  return change("cudaGraphMemcpyNodeSetParamsFromSymbol", node,
                from_symbol(to, symbol, bytes, offset, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* params) {
  return change("cudaGraphExecMemcpyNodeSetParams", exec, node, plain_of(params));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, std::size_t bytes,
                                               cudaMemcpyKind kind) {
  return change("cudaGraphExecMemcpyNodeSetParams1D", exec, node, row_of(to, from, bytes, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const void* symbol, const void* from,
                                                     std::size_t bytes, std::size_t offset,
                                                     cudaMemcpyKind kind) {
  return change("cudaGraphExecMemcpyNodeSetParamsToSymbol", exec, node,
                to_symbol(symbol, from, bytes, offset, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       void* to, const void* symbol,
                                                       std::size_t bytes, std::size_t offset,
                                                       cudaMemcpyKind kind) {
  return change("cudaGraphExecMemcpyNodeSetParamsFromSymbol", exec, node,
                from_symbol(to, symbol, bytes, offset, kind));
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* params) {
  return with_node("cudaGraphMemsetNodeGetParams", node, [&](Runtime&, GraphNode& asked) {
    required(params) = work_in<FillWork>(asked).params;
  });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* params) {
  return change("cudaGraphMemsetNodeSetParams", node, plain_of(params));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* params) {
  return change("cudaGraphExecMemsetNodeSetParams", exec, node, plain_of(params));
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* params) {
  return with_node("cudaGraphHostNodeGetParams", node, [&](Runtime&, GraphNode& asked) {
    required(params) = work_in<HostWork>(asked).function;
  });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* params) {
  return change("cudaGraphHostNodeSetParams", node, plain_of(params));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* params) {
  return change("cudaGraphExecHostNodeSetParams", exec, node, plain_of(params));
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return with_node("cudaGraphChildGraphNodeGetGraph", node, [&](Runtime&, GraphNode& asked) {
    required(graph) = GraphRegistry::handle_of(*work_in<ChildWork>(asked).graph);
  });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return change("cudaGraphExecChildGraphNodeSetParams", exec, node,
                [&](Runtime& runtime, GraphNode&) { return work_of(runtime, child, false); });
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return give_event<RecordWork>("cudaGraphEventRecordNodeGetEvent", node, event);
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return change("cudaGraphEventRecordNodeSetEvent", node, event_of<RecordWork>(event));
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return change("cudaGraphExecEventRecordNodeSetEvent", exec, node, event_of<RecordWork>(event));
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return give_event<WaitWork>("cudaGraphEventWaitNodeGetEvent", node, event);
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return change("cudaGraphEventWaitNodeSetEvent", node, event_of<WaitWork>(event));
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event) {
  return change("cudaGraphExecEventWaitNodeSetEvent", exec, node, event_of<WaitWork>(event));
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* params) {
  return with_node("cudaGraphMemAllocNodeGetParams", node, [&](Runtime&, GraphNode& asked) {
    required(params) = work_in<AllocWork>(asked).params;
  });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
  return with_node("cudaGraphMemFreeNodeGetParams", node, [&](Runtime&, GraphNode& asked) {
    if (pointer == nullptr) invalid("no place for the pointer");
    const void* freed = work_in<FreeWork>(asked).pointer;
    std::memcpy(pointer, &freed, sizeof freed);
  });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* params) {
  return change("cudaGraphNodeSetParams", node, any_of(params));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* params) {
  return change("cudaGraphExecNodeSetParams", exec, node, any_of(params));
}
