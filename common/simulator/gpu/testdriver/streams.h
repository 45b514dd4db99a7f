// The streams of the driver for tests: operations that wait in queues, as they do on a GPU.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

/// Something that a stream does when all before it is done. Returns false when it cannot yet.
using Operation = std::function<bool()>;

// What cuda.h declares and only a driver defines.

struct CUstream_st {
  std::deque<Operation> queue;
  bool blocking = true;  ///< towards the legacy default stream
};

struct CUevent_st {
  std::uint64_t id = 0;        ///< of the device's event
  std::uint64_t recorded = 0;  ///< times that a record was queued, and done
  std::uint64_t done = 0;
};

namespace gridstride::testdriver {

/// All streams of one context. Nothing runs unless somebody asks: whoever waits runs all that can.
class Streams {
 public:
  Streams();
  CUstream create(bool blocking);
  void destroy(CUstream stream);
  /// The default stream for null and CU_STREAM_LEGACY. Null for one that does not exist.
  CUstream find(CUstream handle) const;

  void queue(CUstream stream, Operation operation);
  /// Runs what can be run. True when `stream`, or every stream for null, has nothing left.
  bool run(CUstream stream);
  /// As run(), until there is nothing left, for so many seconds at most.
  bool wait(CUstream stream, double seconds);

 private:
  std::vector<std::unique_ptr<CUstream_st>> streams_;  ///< the default stream first
};

}  // namespace gridstride::testdriver
