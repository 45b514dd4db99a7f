// Stream capture: what a stream is given becomes nodes of a graph.
//
// A capture begins in one stream and takes in every stream that waits for an event recorded in it;
// each of its streams has the nodes that the next one added there waits for. What must not be done
// meanwhile fails as with the real runtime, and makes the capture invalid.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "common/simulator/runtime/graph.h"

namespace gridstride::sim {

/// Belongs to the Runtime, under its lock.
class Captures {
 public:
  /// All throw DeviceError with the codes of the real runtime.

  /// `into`: a graph of the program's to which nodes are added behind `dependencies`; null: a new
  /// one.
  void begin(Runtime& runtime, cudaStream_t stream, cudaStreamCaptureMode mode,
             std::shared_ptr<Graph> into, std::vector<GraphNode*> dependencies);
  std::shared_ptr<Graph> end(Runtime& runtime, cudaStream_t stream);

  /// True when the work has become part of a graph, or needs not be done.
  bool take(Runtime& runtime, cudaStream_t stream, const Work& work);
  bool is_capturing(Runtime& runtime, cudaStream_t stream);

  struct State {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    std::uint64_t id = 0;
    Graph* graph = nullptr;
    std::vector<GraphNode*>* dependencies = nullptr;  ///< of the next node in the stream
  };
  State state(Runtime& runtime, cudaStream_t stream);

  // What may not be done while something is captured:
  /// Waiting for `stream` or asking whether it is done, or anything else that no graph can hold.
  void forbid(Runtime& runtime, cudaStream_t stream);
  /// Waiting for the whole device.
  void forbid_anywhere();
  /// Calls that might wait for other streams, as allocation does: by the modes of captures.
  void forbid_unsafe();
  /// Waiting for an event, or asking about it.
  void forbid(EventId event);

  void forget_node(GraphNode& node);
  /// What was captured in it stays; without its origin a capture is over.
  void forget_stream(StreamId stream);
  void forget_event(EventId event) { events_.erase(event); }
  /// cudaThreadExchangeStreamCaptureMode: of this thread.
  static cudaStreamCaptureMode exchange_mode(cudaStreamCaptureMode mode);

 private:
  struct Capture {
    std::uint64_t id = 0;
    std::shared_ptr<Graph> graph;
    StreamId origin = 0;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id thread;
    bool invalid = false;
    std::map<StreamId, std::vector<GraphNode*>> streams;
    std::vector<GraphNode*> ends;  ///< last nodes of streams that were destroyed meanwhile
  };
  struct CapturedEvent {
    std::uint64_t capture = 0;
    std::vector<GraphNode*> nodes;
  };

  Capture* of(StreamId stream);
  void check_default_stream(Runtime& runtime, StreamId stream);
  bool wait(Runtime& runtime, StreamId stream, const WaitWork& wait);
  static void add(Capture& capture, StreamId stream, const Work& work);
  static bool is_joined(const Capture& capture);

  std::vector<std::unique_ptr<Capture>> captures_;
  std::map<EventId, CapturedEvent> events_;
  std::uint64_t last_id_ = 0;
};

}  // namespace gridstride::sim
