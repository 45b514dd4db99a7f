// Answers the judge's requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "grader/runner/arguments_on_device.h"
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
  void allocate(protocol::Reader& reader);
  void call_with(protocol::Reader& reader);
  /// Throws when this is not what the function takes: `scalar_bytes` is 0 of what is no scalar.
  void require_kind(std::size_t argument, ArgumentKind kind, std::size_t scalar_bytes) const;
  protocol::Timing time(std::uint64_t flush_bytes, std::uint32_t launches);
  void flush(std::uint64_t bytes);
  void require_ready();
  /// The stream that all work goes to; the first use is what starts CUDA.
  cudaStream_t stream();

  protocol::Channel channel_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
  std::byte* flush_buffer_ = nullptr;
  std::uint64_t flush_buffer_bytes_ = 0;
  std::optional<StageLibrary> stage_;
  std::optional<ArgumentsOnDevice> arguments_;
};

}  // namespace gridstride::runner
