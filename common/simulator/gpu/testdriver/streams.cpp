// See the header.
#include "common/simulator/gpu/testdriver/streams.h"

#include <cuda.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace gridstride::testdriver {

Streams::Streams() { create(true); }

CUstream Streams::create(bool blocking) {
  streams_.push_back(std::make_unique<CUstream_st>());
  streams_.back()->blocking = blocking;
  return streams_.back().get();
}

void Streams::destroy(CUstream stream) {
  std::erase_if(streams_, [stream](const auto& one) { return one.get() == stream; });
}

CUstream Streams::find(CUstream handle) const {
  if (handle == nullptr || handle == CU_STREAM_LEGACY) return streams_.front().get();
  const auto found =
      std::ranges::find_if(streams_, [handle](const auto& one) { return one.get() == handle; });
  return found == streams_.end() ? nullptr : found->get();
}

void Streams::queue(CUstream stream, Operation operation) {
  // The legacy default stream and the blocking ones wait for each other.
  std::vector<CUstream> before;
  const bool is_default = stream == streams_.front().get();
  for (const auto& other : streams_) {
    const bool waits = is_default ? other->blocking : other == streams_.front() && stream->blocking;
    if (waits && other.get() != stream && !other->queue.empty()) before.push_back(other.get());
  }
  for (CUstream other : before) {
    const auto over = std::make_shared<bool>(false);
    other->queue.emplace_back([over] { return *over = true; });
    stream->queue.emplace_back([over] { return *over; });
  }
  stream->queue.push_back(std::move(operation));
}

bool Streams::run(CUstream stream) {
  bool moved = true;
  while (moved) {
    moved = false;
    for (const auto& one : streams_) {
      while (!one->queue.empty() && one->queue.front()()) {
        one->queue.pop_front();
        moved = true;
      }
    }
  }
  if (stream != nullptr) return stream->queue.empty();
  return std::ranges::all_of(streams_, [](const auto& one) { return one->queue.empty(); });
}

bool Streams::wait(CUstream stream, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds));
  while (!run(stream)) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace gridstride::testdriver
