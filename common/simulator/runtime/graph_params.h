// What CUDA calls the parameters of a graph's nodes, to work and back.
#pragma once

#include "common/simulator/runtime/graph.h"

namespace gridstride::sim {

/// All of these throw DeviceError.

/// Any of the structures cudaKernelNodeParams and cudaKernelNodeParamsV2, which have the same
/// members; attributes of `before`, a kernel node whose parameters are set anew, stay.
template <class Params>
KernelWork work_of(Runtime& runtime, const Params& params, const KernelWork* before = nullptr);
extern template KernelWork work_of(Runtime&, const cudaKernelNodeParams&, const KernelWork*);
extern template KernelWork work_of(Runtime&, const cudaKernelNodeParamsV2&, const KernelWork*);

CopyWork work_of(const cudaMemcpy3DParms& params);
FillWork work_of(const cudaMemsetParams& params);
HostWork work_of(const cudaHostNodeParams& params);
/// Allocates; the address is put into `params`.
AllocWork work_of(Runtime& runtime, cudaMemAllocNodeParams& params);
ChildWork work_of(Runtime& runtime, cudaGraph_t graph, bool moved);

/// Of any kind of node. `params` gets what a node gives back: addresses, graphs. `graph`: that the
/// node is for.
Work work_of(Runtime& runtime, const Graph& graph, cudaGraphNodeParams& params);

/// `node` holds the pointers to arguments that the program gets.
cudaKernelNodeParams kernel_params(Runtime& runtime, GraphNode& node);

/// The work of a node of this kind. Throws when it is of another kind.
template <class Kind>
Kind& work_in(GraphNode& node) {
  auto* work = std::get_if<Kind>(&node.work);
  if (work == nullptr) throw DeviceError(cudaErrorInvalidValue, false, "a node of another kind");
  return *work;
}

/// Gives `node`, of an executable graph, other work of the same kind.
void replace(GraphNode& node, Work work);

}  // namespace gridstride::sim
