// What a device was asked to record, in a file: see TraceRequest.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "common/simulator/base/handles.h"
#include "common/simulator/base/launch_request.h"
#include "common/simulator/exec/trace_recorder.h"
#include "common/simulator/trace/trace.h"

namespace gridstride::sim {

/// The file holds {"launches": [{"kernel", "grid", "block"}…], "trace": … or null, "writer": … or null,
/// "earlier": as in a trace, "problem": a sentence or ""} and is written after each launch until it has what
/// was asked for.
class TraceFile {
 public:
  /// Reads what is asked for. Throws TraceError, std::runtime_error.
  explicit TraceFile(const std::filesystem::path& request);

  TraceRecorder& recorder() { return recorder_; }
  /// A call that is graded begins: launches are counted from 0, and its arguments stand there.
  void begin_call(const std::vector<DeviceAddress>& arguments);
  /// A launch has run.
  void end_launch(const std::string& kernel, const LaunchRequest& request);

 private:
  static constexpr std::size_t most_launches = 256;  ///< that are listed
  struct Launch {
    std::string kernel;
    Dim3 grid, block;
  };
  void write() const;

  TraceRecorder recorder_;
  std::vector<Launch> launches_;
  bool written_ = false;  ///< the trace
};

}  // namespace gridstride::sim
