// Executable graphs.
#include <memory>
#include <utility>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/runtime/graph_exec.h"
#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

namespace {

void instantiate(Runtime& runtime, cudaGraphExec_t* place, cudaGraph_t graph,
                 unsigned long long flags) {
  if (place == nullptr) invalid("no place for the executable graph");
  *place = nullptr;
  constexpr unsigned long long known =
      cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
      cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;
  if ((flags & ~known) != 0) invalid("unknown flags");
  if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) {
    runtime.refuse_call("a graph that kernels launch (cudaGraphInstantiateFlagDeviceLaunch)");
    throw DeviceError(error_not_supported, false, "graphs that kernels launch are not supported");
  }
  if (has_unused_conditions(runtime.graphs.graph(graph))) {
    invalid("a conditional handle of the graph belongs to no conditional node");
  }
  auto exec = std::make_shared<GraphExec>(runtime, runtime.graphs.graph(graph), flags);
  *place = reinterpret_cast<cudaGraphExec_t>(exec.get());
  runtime.graphs.execs[exec.get()] = std::move(exec);
}

}  // namespace

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return guarded("cudaGraphInstantiate",
                 [&](Runtime& runtime) { instantiate(runtime, exec, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return guarded("cudaGraphInstantiateWithFlags",
                 [&](Runtime& runtime) { instantiate(runtime, exec, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* params) {
  return guarded("cudaGraphInstantiateWithParams", [&](Runtime& runtime) {
    if (params == nullptr) invalid("no parameters");
    params->errNode_out = nullptr;
    params->result_out = cudaGraphInstantiateError;
    const Graph& source = runtime.graphs.graph(graph);
    if (source.order().size() != source.nodes().size()) {
      params->result_out = cudaGraphInstantiateInvalidStructure;
    } else if (has_unused_conditions(source)) {
      params->result_out = cudaGraphInstantiateConditionalHandleUnused;
    }
    instantiate(runtime, exec, graph, params->flags);
    params->result_out = cudaGraphInstantiateSuccess;
  });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  return guarded("cudaGraphExecGetFlags", [&](Runtime& runtime) {
    if (flags == nullptr) invalid("no place for the flags");
    *flags = runtime.graphs.exec(exec).flags();
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return guarded("cudaGraphExecDestroy", [&](Runtime& runtime) {
    const auto found = runtime.graphs.execs.find(&runtime.graphs.exec(exec));
    const std::shared_ptr<GraphExec> last = std::move(found->second);
    runtime.graphs.execs.erase(found);
  });
}

// Nothing is left to be uploaded: a graph runs from where it is.
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return guarded("cudaGraphUpload", [&](Runtime& runtime) {
    runtime.graphs.exec(exec);
    runtime.captures.forbid(runtime, stream);
    runtime.stream(stream);
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return guarded("cudaGraphLaunch", [&](Runtime& runtime) {
    GraphExec& launched = runtime.graphs.exec(exec);
    // Host nodes run without the lock, and might destroy it.
    const std::shared_ptr<GraphExec> kept = runtime.graphs.execs.at(&launched);
    if (runtime.captures.is_capturing(runtime, stream)) {
      submit(runtime, stream, ChildWork{launched.graph().clone()});
      return;
    }
    runtime.captures.forbid(runtime, stream);  // the default one
    launched.launch(runtime, runtime.stream(stream));
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
  return guarded("cudaGraphExecUpdate", [&](Runtime& runtime) {
    if (info == nullptr) invalid("no place for the result");
    info->result = cudaGraphExecUpdateError;
    if (runtime.graphs.exec(exec).update(runtime.graphs.graph(graph), *info)) return;
    throw DeviceError(cudaErrorGraphExecUpdateFailure, false,
                      "the executable graph cannot take over what has changed in this one");
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  return guarded("cudaGraphNodeSetEnabled", [&](Runtime& runtime) {
    GraphNode& changed = runtime.graphs.exec(exec).node_for(runtime.graphs.node(node));
    const cudaGraphNodeType type = type_of(changed.work);
    if (type != cudaGraphNodeTypeKernel && type != cudaGraphNodeTypeMemset &&
        type != cudaGraphNodeTypeMemcpy) {
      invalid("only nodes of kernels, copies and fills can be switched off");
    }
    changed.enabled = enabled != 0;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
  return guarded("cudaGraphNodeGetEnabled", [&](Runtime& runtime) {
    if (enabled == nullptr) invalid("no place for the answer");
    *enabled = runtime.graphs.exec(exec).node_for(runtime.graphs.node(node)).enabled ? 1 : 0;
  });
}
