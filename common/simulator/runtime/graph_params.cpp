// Turns the structures of CUDA's graph calls into work, and back.
#include "common/simulator/runtime/graph_params.h"

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/runtime/graph_exec.h"
#include "common/simulator/runtime/runtime.h"

namespace gridstride::sim {
namespace {

[[noreturn]] void refuse(Runtime& runtime, const std::string& name) {
  runtime.refuse_call(name);
  throw DeviceError(error_not_supported, false, name + " is not supported");
}

/// The older structure has the members of the newer one.
template <class Old, class New>
Old older(const New& params) {
  static_assert(sizeof(Old) == sizeof(New));
  Old same;
  std::memcpy(&same, &params, sizeof same);
  return same;
}

bool has_graph_memory(const Graph& graph) {
  for (const auto& node : graph.nodes()) {
    if (std::holds_alternative<AllocWork>(node->work)) return true;
    if (std::holds_alternative<FreeWork>(node->work)) return true;
    if (const auto* child = std::get_if<ChildWork>(&node->work)) {
      if (has_graph_memory(*child->graph)) return true;
    }
  }
  return false;
}

/// `graph` is `inner`, or one of its nodes holds it.
bool holds(const Graph& graph, const Graph& inner) {
  if (&graph == &inner) return true;
  for (const auto& node : graph.nodes()) {
    const auto* child = std::get_if<ChildWork>(&node->work);
    if (child != nullptr && holds(*child->graph, inner)) return true;
    const auto* choice = std::get_if<ConditionWork>(&node->work);
    for (const auto& body : choice != nullptr ? choice->bodies : decltype(choice->bodies){}) {
      if (holds(*body, inner)) return true;
    }
  }
  return false;
}

bool has_choices(const Graph& graph) {
  for (const auto& node : graph.nodes()) {
    if (std::holds_alternative<ConditionWork>(node->work)) return true;
  }
  return false;
}

ConditionWork work_of(Runtime& runtime, const Graph& graph, cudaConditionalNodeParams& params) {
  ConditionWork work;
  work.type = params.type;
  for (const auto& condition : graph.conditions) {
    if (condition->handle == params.handle) work.condition = condition;
  }
  if (!work.condition) invalid("this is not a conditional handle of the graph");
  const bool right_size = (params.type == cudaGraphCondTypeIf && params.size <= 2) ||
                          (params.type == cudaGraphCondTypeWhile && params.size == 1) ||
                          params.type == cudaGraphCondTypeSwitch;
  if (params.size == 0 || !right_size) invalid("a conditional node of this type and size");
  for (unsigned i = 0; i < params.size; ++i) {
    const auto& body = work.bodies.emplace_back(std::make_shared<Graph>(runtime.graphs));
    work.handles.push_back(GraphRegistry::handle_of(*body));
  }
  return work;
}

}  // namespace

template <class Params>
KernelWork work_of(Runtime& runtime, const Params& params, const KernelWork* before) {
  if (params.extra != nullptr) refuse(runtime, "a kernel node with arguments in `extra`");
  KernelWork work = kernel_work(runtime, params.func, params.gridDim, params.blockDim,
                                params.kernelParams, params.sharedMemBytes);
  if (before != nullptr) {
    work.attributes = before->attributes;
    work.cooperative = before->cooperative;
  }
  check(runtime, work);
  return work;
}

template KernelWork work_of(Runtime&, const cudaKernelNodeParams&, const KernelWork*);
template KernelWork work_of(Runtime&, const cudaKernelNodeParamsV2&, const KernelWork*);

CopyWork work_of(const cudaMemcpy3DParms& params) {
  const bool from = (params.srcArray != nullptr) != (params.srcPtr.ptr != nullptr);
  const bool to = (params.dstArray != nullptr) != (params.dstPtr.ptr != nullptr);
  if (!from || !to) invalid("each end of a copy is either an array or a pointer");
  return {.what = params, .plain = false};
}

FillWork work_of(const cudaMemsetParams& params) {
  const unsigned element = params.elementSize;
  if (element != 1 && element != 2 && element != 4) invalid("elements have 1, 2 or 4 bytes");
  if (params.dst == nullptr) invalid("a null pointer");
  FillWork work;
  work.params = params;
  return work;
}

HostWork work_of(const cudaHostNodeParams& params) {
  if (params.fn == nullptr) invalid("no function to call");
  return {params};
}

AllocWork work_of(Runtime& runtime, cudaMemAllocNodeParams& params) {
  if (params.bytesize == 0) invalid("an allocation of no bytes");
  const cudaMemLocation& place = params.poolProps.location;
  if (place.type != cudaMemLocationTypeDevice || place.id != 0) {
    invalid("memory of a graph lies on the device, which is device 0");
  }
  if (params.poolProps.handleTypes != cudaMemHandleTypeNone) {
    invalid("memory of a graph cannot be shared between processes");
  }
  AllocWork work;
  work.memory = std::make_shared<GraphMemory>(runtime, params.bytesize);
  params.dptr = reinterpret_cast<void*>(work.memory->address);
  work.params = params;
  return work;
}

ChildWork work_of(Runtime& runtime, cudaGraph_t graph, bool moved) {
  Graph& child = runtime.graphs.graph(graph);
  if (has_choices(child)) {
    throw DeviceError(error_not_supported, false, "a child graph with conditional nodes");
  }
  if (moved) {
    const auto found = runtime.graphs.owned.find(&child);
    if (found == runtime.graphs.owned.end()) invalid("only a graph of the program's can be moved");
    ChildWork work{found->second};
    runtime.graphs.owned.erase(found);
    return work;
  }
  if (has_graph_memory(child)) {
    throw DeviceError(error_not_supported, false,
                      "a child graph with memory nodes must be moved into its parent");
  }
  return {child.clone()};
}

Work work_of(Runtime& runtime, const Graph& graph, cudaGraphNodeParams& params) {
  switch (params.type) {
    case cudaGraphNodeTypeKernel:
      return work_of(runtime, params.kernel);
    case cudaGraphNodeTypeMemcpy:
      return work_of(params.memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      return work_of(older<cudaMemsetParams>(params.memset));
    case cudaGraphNodeTypeHost:
      return work_of(older<cudaHostNodeParams>(params.host));
    case cudaGraphNodeTypeGraph:
      if (holds(runtime.graphs.graph(params.graph.graph), graph)) {
        invalid("a graph cannot be a part of itself");
      }
      return work_of(runtime, params.graph.graph,
                     params.graph.ownership == cudaGraphChildGraphOwnershipMove);
    case cudaGraphNodeTypeEmpty:
      return EmptyWork{};
    case cudaGraphNodeTypeWaitEvent:
      runtime.event(params.eventWait.event);
      return WaitWork{params.eventWait.event};
    case cudaGraphNodeTypeEventRecord:
      runtime.event(params.eventRecord.event);
      return RecordWork{params.eventRecord.event};
    case cudaGraphNodeTypeMemAlloc: {
      auto same = older<cudaMemAllocNodeParams>(params.alloc);
      AllocWork work = work_of(runtime, same);
      params.alloc.dptr = same.dptr;
      return work;
    }
    case cudaGraphNodeTypeMemFree:
      return FreeWork{params.free.dptr};
    case cudaGraphNodeTypeConditional:
      return work_of(runtime, graph, params.conditional);
    default:
      refuse(runtime, "a graph node of type " + std::to_string(params.type));
  }
}

cudaKernelNodeParams kernel_params(Runtime& runtime, GraphNode& node) {
  auto& work = work_in<KernelWork>(node);
  node.pointers.clear();
  for (const std::size_t offset : work.parameters) {
    node.pointers.push_back(work.arguments.data() + offset);
  }
  cudaKernelNodeParams params{};
  params.func = const_cast<void*>(runtime.modules().host_function(work.function));
  params.gridDim = work.grid;
  params.blockDim = work.block;
  params.sharedMemBytes = static_cast<unsigned>(work.shared);
  params.kernelParams = node.pointers.empty() ? nullptr : node.pointers.data();
  return params;
}

void replace(GraphNode& node, Work work) {
  if (node.work.index() != work.index()) invalid("a node of another kind");
  if (const auto* child = std::get_if<ChildWork>(&node.work)) {
    cudaGraphExecUpdateResultInfo info;
    if (update(*child->graph, *std::get<ChildWork>(work).graph, info)) return;
    invalid("a child graph of another shape");
  }
  if (update_of(node.work, work) != cudaGraphExecUpdateSuccess) {
    invalid("these parameters of the node cannot change once the graph is executable");
  }
  node.work = std::move(work);
}

}  // namespace gridstride::sim
