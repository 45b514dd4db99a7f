// Stream capture.
#include <cstring>
#include <memory>
#include <vector>

#include "common/simulator/runtime/graph_edges.h"
#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return guarded("cudaStreamBeginCapture", [&](Runtime& runtime) {
    runtime.device();
    runtime.captures.begin(runtime, stream, mode, nullptr, {});
  });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData* edges, std::size_t count,
                                          cudaStreamCaptureMode mode) {
  return guarded("cudaStreamBeginCaptureToGraph", [&](Runtime& runtime) {
    refuse_edge_data(runtime, edges, count);
    Graph& into = runtime.graphs.graph(graph);
    const std::vector<GraphNode*> nodes = runtime.graphs.nodes(dependencies, count);
    for (const GraphNode* node : nodes) {
      if (node->graph != &into) invalid("a dependency is a node of another graph");
    }
    runtime.captures.begin(runtime, stream, mode, into.shared_from_this(), nodes);
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return guarded("cudaStreamEndCapture", [&](Runtime& runtime) {
    // A program that gave the graph need not be told which one it was.
    if (graph != nullptr) *graph = nullptr;
    std::shared_ptr<Graph> captured = runtime.captures.end(runtime, stream);
    if (graph == nullptr) return;
    *graph = GraphRegistry::handle_of(*captured);
    // A graph that was given is owned already, or is a body of a conditional node.
    if (captured.use_count() == 1) runtime.graphs.owned[captured.get()] = captured;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return guarded("cudaStreamIsCapturing", [&](Runtime& runtime) {
    if (status == nullptr) invalid("no place for the status");
    *status = runtime.captures.state(runtime, stream).status;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, std::size_t* count) {
  return guarded("cudaStreamGetCaptureInfo", [&](Runtime& runtime) {
    if (status == nullptr) invalid("no place for the status");
    const Captures::State state = runtime.captures.state(runtime, stream);
    *status = state.status;
    if (state.status != cudaStreamCaptureStatusActive) return;
    if (id != nullptr) *id = state.id;
    if (graph != nullptr) *graph = GraphRegistry::handle_of(*state.graph);
    // A handle is the node's address, so the list of nodes is one of handles.
    static_assert(sizeof(GraphNode*) == sizeof(cudaGraphNode_t));
    if (dependencies != nullptr) {
      *dependencies = reinterpret_cast<const cudaGraphNode_t*>(state.dependencies->data());
    }
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = state.dependencies->size();
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData* edges, std::size_t count,
                                                unsigned flags) {
  return guarded("cudaStreamUpdateCaptureDependencies", [&](Runtime& runtime) {
    refuse_edge_data(runtime, edges, count);
    if (flags > cudaStreamSetCaptureDependencies) invalid("unknown flags");
    const Captures::State state = runtime.captures.state(runtime, stream);
    if (state.status != cudaStreamCaptureStatusActive) {
      throw DeviceError(cudaErrorIllegalState, false, "this stream is not being captured");
    }
    if (flags == cudaStreamSetCaptureDependencies) state.dependencies->clear();
    for (GraphNode* node : runtime.graphs.nodes(dependencies, count)) {
      if (node->graph != state.graph) invalid("a dependency is a node of another graph");
      std::erase(*state.dependencies, node);
      state.dependencies->push_back(node);
    }
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return guarded("cudaThreadExchangeStreamCaptureMode", [&](Runtime&) {
    if (mode == nullptr || *mode < cudaStreamCaptureModeGlobal ||
        *mode > cudaStreamCaptureModeRelaxed) {
      invalid("this mode of capture does not exist");
    }
    *mode = Captures::exchange_mode(*mode);
  });
}
