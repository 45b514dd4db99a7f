// Captures streams into graphs, and refuses what cannot be captured.
#include "common/simulator/runtime/capture.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "common/simulator/runtime/runtime.h"

namespace gridstride::sim {
namespace {

thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

[[noreturn]] void fail(cudaError_t code, const std::string& why) {
  throw DeviceError(code, false, why);
}

[[noreturn]] void fail_invalid() {
  fail(cudaErrorStreamCaptureInvalidated, "the capture became invalid by an earlier error");
}

void add_missing(std::vector<GraphNode*>& to, const std::vector<GraphNode*>& from) {
  for (GraphNode* node : from) {
    if (std::find(to.begin(), to.end(), node) == to.end()) to.push_back(node);
  }
}

}  // namespace

cudaStreamCaptureMode Captures::exchange_mode(cudaStreamCaptureMode mode) {
  return std::exchange(thread_mode, mode);
}

Captures::Capture* Captures::of(StreamId stream) {
  for (const auto& capture : captures_) {
    if (capture->streams.contains(stream)) return capture.get();
  }
  return nullptr;
}

/// The default stream would wait for streams that are captured, and cannot.
void Captures::check_default_stream(Runtime& runtime, StreamId stream) {
  if (stream != 0) return;
  bool blocked = false;
  for (const auto& capture : captures_) {
    for (const auto& [id, nodes] : capture->streams) {
      if (runtime.streams.at(id).flags == cudaStreamNonBlocking) continue;
      capture->invalid = blocked = true;
    }
  }
  if (!blocked) return;
  fail(cudaErrorStreamCaptureImplicit,
       "the default stream would wait for a blocking stream that is being captured");
}

void Captures::begin(Runtime& runtime, cudaStream_t stream, cudaStreamCaptureMode mode,
                     std::shared_ptr<Graph> into, std::vector<GraphNode*> dependencies) {
  const StreamId id = runtime.stream(stream);
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) {
    invalid("this mode of capture does not exist");
  }
  if (id == 0) {
    fail(cudaErrorStreamCaptureUnsupported, "the default stream cannot be captured");
  }
  if (of(id) != nullptr) fail(cudaErrorIllegalState, "this stream is being captured already");
  auto capture = std::make_unique<Capture>();
  capture->id = ++last_id_;
  capture->graph = into ? std::move(into) : std::make_shared<Graph>(runtime.graphs);
  capture->origin = id;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->streams[id] = std::move(dependencies);
  captures_.push_back(std::move(capture));
}

/// Everything that streams of the capture did comes before something in its origin.
bool Captures::is_joined(const Capture& capture) {
  std::vector<const GraphNode*> open(capture.streams.at(capture.origin).begin(),
                                     capture.streams.at(capture.origin).end());
  std::set<const GraphNode*> before;
  while (!open.empty()) {
    const GraphNode* node = open.back();
    open.pop_back();
    if (before.insert(node).second) open.insert(open.end(), node->from.begin(), node->from.end());
  }
  const auto joined = [&](const std::vector<GraphNode*>& nodes) {
    return std::all_of(nodes.begin(), nodes.end(),
                       [&](const GraphNode* node) { return before.contains(node); });
  };
  return joined(capture.ends) &&
         std::all_of(capture.streams.begin(), capture.streams.end(),
                     [&](const auto& stream) { return joined(stream.second); });
}

std::shared_ptr<Graph> Captures::end(Runtime& runtime, cudaStream_t stream) {
  const StreamId id = runtime.stream(stream);
  Capture* capture = of(id);
  if (capture == nullptr) fail(cudaErrorIllegalState, "this stream is not being captured");
  if (capture->origin != id) {
    fail(cudaErrorStreamCaptureUnmatched, "the capture was begun in another stream");
  }
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      capture->thread != std::this_thread::get_id()) {
    fail(cudaErrorStreamCaptureWrongThread, "the capture was begun by another thread");
  }
  const bool valid = !capture->invalid, joined = is_joined(*capture);
  const std::uint64_t number = capture->id;
  std::shared_ptr<Graph> graph = std::move(capture->graph);
  std::erase_if(events_, [&](const auto& event) { return event.second.capture == number; });
  std::erase_if(captures_, [&](const auto& each) { return each.get() == capture; });
  if (!valid) fail_invalid();
  if (!joined) {
    fail(cudaErrorStreamCaptureUnjoined,
         "a stream that the capture took in was not joined: the origin must wait for an event "
         "recorded in it");
  }
  return graph;
}

void Captures::add(Capture& capture, StreamId stream, const Work& work) {
  if (capture.invalid) fail_invalid();
  std::vector<GraphNode*>& dependencies = capture.streams.at(stream);
  GraphNode& node = capture.graph->add(work, dependencies);
  dependencies = {&node};
}

bool Captures::wait(Runtime& runtime, StreamId stream, const WaitWork& wait) {
  const EventId event = runtime.event(wait.event);
  const auto captured = events_.find(event);
  Capture* capture = of(stream);
  if (captured == events_.end()) {
    if (capture == nullptr) return false;
    if (capture->invalid) fail_invalid();
    if (wait.external) {
      add(*capture, stream, wait);
      return true;
    }
    capture->invalid = true;
    fail(cudaErrorStreamCaptureIsolation,
         "a captured stream cannot wait for an event that was recorded outside of the capture");
  }
  const auto source = std::find_if(captures_.begin(), captures_.end(), [&](const auto& each) {
    return each->id == captured->second.capture;
  });
  if (capture != nullptr && capture != source->get()) {
    capture->invalid = (*source)->invalid = true;
    fail(cudaErrorStreamCaptureMerge, "the event belongs to another capture");
  }
  if ((*source)->invalid) fail_invalid();
  if (stream == 0) {
    (*source)->invalid = true;
    fail(cudaErrorStreamCaptureImplicit, "the default stream cannot be captured");
  }
  add_missing((*source)->streams[stream], captured->second.nodes);
  return true;
}

bool Captures::take(Runtime& runtime, cudaStream_t handle, const Work& work) {
  if (captures_.empty()) return false;
  const StreamId stream = runtime.stream(handle);
  if (const auto* waits = std::get_if<WaitWork>(&work)) {
    if (wait(runtime, stream, *waits)) return true;
    check_default_stream(runtime, stream);
    return false;
  }
  check_default_stream(runtime, stream);
  Capture* capture = of(stream);
  const auto* record = std::get_if<RecordWork>(&work);
  if (capture == nullptr) {
    if (record != nullptr) events_.erase(runtime.event(record->event));
    return false;
  }
  if (record != nullptr && !record->external) {
    const EventId event = runtime.event(record->event);
    if (capture->invalid) fail_invalid();
    events_[event] = {.capture = capture->id, .nodes = capture->streams.at(stream)};
    return true;
  }
  add(*capture, stream, work);
  return true;
}

bool Captures::is_capturing(Runtime& runtime, cudaStream_t stream) {
  return !captures_.empty() && of(runtime.stream(stream)) != nullptr;
}

Captures::State Captures::state(Runtime& runtime, cudaStream_t handle) {
  const StreamId stream = runtime.stream(handle);
  if (stream == 0) {
    for (const auto& capture : captures_) {
      for (const auto& [id, nodes] : capture->streams) {
        if (runtime.streams.at(id).flags == cudaStreamNonBlocking) continue;
        fail(cudaErrorStreamCaptureImplicit, "a blocking stream is being captured");
      }
    }
  }
  Capture* capture = of(stream);
  if (capture == nullptr) return {};
  return {.status =
              capture->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive,
          .id = capture->id,
          .graph = capture->graph.get(),
          .dependencies = &capture->streams.at(stream)};
}

void Captures::forbid(Runtime& runtime, cudaStream_t handle) {
  if (captures_.empty()) return;
  const StreamId stream = runtime.stream(handle);
  check_default_stream(runtime, stream);
  Capture* capture = of(stream);
  if (capture == nullptr) return;
  capture->invalid = true;
  fail(cudaErrorStreamCaptureUnsupported, "this cannot be done with a stream that is captured");
}

void Captures::forbid_anywhere() {
  if (captures_.empty()) return;
  for (const auto& capture : captures_) capture->invalid = true;
  fail(cudaErrorStreamCaptureUnsupported, "this cannot be done while a stream is captured");
}

void Captures::forbid_unsafe() {
  if (thread_mode == cudaStreamCaptureModeRelaxed) return;
  bool forbidden = false;
  for (const auto& capture : captures_) {
    const bool own = capture->thread == std::this_thread::get_id() &&
                     capture->mode != cudaStreamCaptureModeRelaxed;
    const bool global =
        capture->mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal;
    if (own || global) capture->invalid = forbidden = true;
  }
  if (!forbidden) return;
  fail(cudaErrorStreamCaptureUnsupported,
       "this call might wait for a stream that is captured; capture in a relaxed mode, or do it "
       "before");
}

void Captures::forget_stream(StreamId stream) {
  Capture* capture = of(stream);
  if (capture == nullptr) return;
  if (capture->origin == stream) {
    const std::uint64_t number = capture->id;
    std::erase_if(events_, [&](const auto& event) { return event.second.capture == number; });
    std::erase_if(captures_, [&](const auto& each) { return each.get() == capture; });
    return;
  }
  add_missing(capture->ends, capture->streams.at(stream));
  capture->streams.erase(stream);
}

void Captures::forget_node(GraphNode& node) {
  for (const auto& capture : captures_) {
    std::erase(capture->ends, &node);
    for (auto& [stream, nodes] : capture->streams) std::erase(nodes, &node);
  }
  for (auto& [event, captured] : events_) std::erase(captured.nodes, &node);
}

void Captures::forbid(EventId event) {
  const auto captured = events_.find(event);
  if (captured == events_.end()) return;
  for (const auto& capture : captures_) {
    if (capture->id == captured->second.capture) capture->invalid = true;
  }
  fail(cudaErrorCapturedEvent, "this event was recorded in a stream that is captured");
}

}  // namespace gridstride::sim
