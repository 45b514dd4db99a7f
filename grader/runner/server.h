// Answers the judge's requests.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>

#include "grader/runner/arguments.h"
#include "grader/runner/protocol.h"
#include "grader/runner/stage_library.h"

namespace gridstride::runner {

class Server {
 public:
  explicit Server(protocol::Channel channel);
  ~Server();

  /// Until the judge closes the connection.
  void serve();

 private:
  void answer(const protocol::Message& request, protocol::Reader& reader, protocol::Writer& result);
  void load(protocol::Reader& reader, protocol::Writer& result);
  void call(protocol::Reader& reader);
  /// Throws when this is not what the function takes: `scalar_bytes` is 0 of what is no scalar.
  void require_kind(std::size_t argument, ArgumentKind kind, std::size_t scalar_bytes) const;
  /// The stream that all work goes to; the first use is what starts CUDA.
  cudaStream_t stream();

  protocol::Channel channel_;
  cudaStream_t stream_ = nullptr;
  std::optional<StageLibrary> stage_;
};

}  // namespace gridstride::runner
