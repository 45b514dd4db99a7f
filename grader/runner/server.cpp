// One request, one answer; and how a launch is timed.
#include "grader/runner/server.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "grader/runner/argument_values.h"
#include "grader/runner/arguments.h"
#include "grader/runner/cuda_call.h"

namespace gridstride::runner {
namespace {

using protocol::Message;
using protocol::Operation;
using protocol::Reader;
using protocol::Status;
using protocol::Writer;

int attribute(cudaDeviceAttr name) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, name, 0) == cudaSuccess ? value : 0;
}

protocol::DeviceInfo describe_device() {
  protocol::DeviceInfo info;
  int count = 0;
  check(cudaGetDeviceCount(&count));
  if (count == 0) check(cudaErrorNoDevice);
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0));
  info.name = properties.name;
  check(cudaDriverGetVersion(&info.driver_version));
  check(cudaRuntimeGetVersion(&info.runtime_version));
  info.l2_bytes = static_cast<std::uint64_t>(properties.l2CacheSize);
  std::size_t free_bytes = 0, total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes));
  info.free_bytes = free_bytes;
  info.total_bytes = total_bytes;
  // Two transfers a clock; the clock in kHz, the bus in bits.
  info.bytes_per_second = 2.0 * 1e3 * attribute(cudaDevAttrMemoryClockRate) *
                          attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
  return info;
}

/// A runtime may lack the call (the simulated GPU has no persisting lines to reset).
void reset_persisting_lines() {
  using Reset = cudaError_t (*)();
  static const auto reset =
      reinterpret_cast<Reset>(::dlsym(RTLD_DEFAULT, "cudaCtxResetPersistingL2Cache"));
  if (reset != nullptr) reset();
  cudaGetLastError();  // refusal to reset what cannot persist is no error of the stage
}

}  // namespace

Server::Server(protocol::Channel channel) : channel_(std::move(channel)) {}

Server::~Server() {
  arguments_.reset();
  cudaFree(flush_buffer_);
  if (start_ != nullptr) cudaEventDestroy(start_);
  if (stop_ != nullptr) cudaEventDestroy(stop_);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

cudaStream_t Server::stream() {
  if (stream_ == nullptr) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    check(cudaEventCreate(&start_));
    check(cudaEventCreate(&stop_));
  }
  return stream_;
}

void Server::serve() {
  try {
    for (;;) {
      const Message request = channel_.receive(std::nullopt, sim::wire::max_message_bytes);
      Reader reader(request.payload);
      const auto number = reader.get<std::uint64_t>();
      Status status;
      Writer result;
      try {
        answer(request, reader, result);
      } catch (const CudaError& error) {
        status = error.status();
      } catch (const StageException& error) {
        status = {Status::Kind::exception, 0, "", error.what()};
      } catch (const LoadError& error) {
        status = {Status::Kind::not_loaded, 0, "", error.what()};
      } catch (const std::exception& error) {
        status = {Status::Kind::refused, 0, "", error.what()};
      }
      channel_.send(request.operation, protocol::answer_to(number, status, result.take()),
                    std::nullopt);
    }
  } catch (const protocol::Closed&) {
  }
}

void Server::answer(const Message& request, Reader& reader, Writer& result) {
  switch (request.operation) {
    case Operation::describe:
      put(result, describe_device());
      return;
    case Operation::load:
      return load(reader, result);
    case Operation::allocate:
      return allocate(reader);
    case Operation::fill: {
      const auto argument = reader.get<std::uint32_t>();
      const auto byte = reader.get<std::uint8_t>();
      require_ready();
      return arguments_->fill(argument, byte);
    }
    case Operation::write: {
      const auto argument = reader.get<std::uint32_t>();
      const auto offset = reader.get<std::uint64_t>();
      require_ready();
      return arguments_->write(argument, offset, reader.get_bytes());
    }
    case Operation::read: {
      const auto argument = reader.get<std::uint32_t>();
      const auto offset = reader.get<std::uint64_t>();
      const auto count = reader.get<std::uint64_t>();
      require_ready();
      return result.put_bytes(arguments_->read(argument, offset, count));
    }
    case Operation::call:
      require_ready();
      stage_->call(arguments_->slots());
      return check(cudaStreamSynchronize(stream()));
    case Operation::start:
      stream();
      return;
    case Operation::call_with:
      return call_with(reader);
    case Operation::time: {
      const auto flush_bytes = reader.get<std::uint64_t>();
      const auto launches = reader.get<std::uint32_t>();
      require_ready();
      return put(result, time(flush_bytes, launches));
    }
  }
  throw std::runtime_error("an unknown operation");
}

void Server::load(Reader& reader, Writer& result) {
  const std::string path = reader.get_text();
  stage_.emplace(path, reader.get_text());
  const ContractEntry& entry = stage_->entry();
  result.put(entry.argument_count);
  for (std::uint32_t i = 0; i < entry.argument_count; ++i) {
    result.put(entry.arguments[i].kind);
    result.put(entry.arguments[i].element_bytes);
  }
}

void Server::allocate(Reader& reader) {
  std::vector<protocol::Allocation> allocations(reader.get_count(sizeof(std::uint32_t)));
  for (protocol::Allocation& allocation : allocations)
    allocation = protocol::get_allocation(reader);
  if (!stage_ || allocations.size() != stage_->entry().argument_count)
    throw std::runtime_error("another number of arguments than the function has");
  for (std::size_t i = 0; i < allocations.size(); ++i)
    require_kind(i, allocations[i].kind, allocations[i].value.size());
  arguments_.reset();  // its memory first
  arguments_.emplace(std::move(allocations), stream());
}

void Server::call_with(Reader& reader) {
  std::vector<protocol::Argument> arguments(reader.get_count(sizeof(std::uint32_t)));
  for (protocol::Argument& argument : arguments) argument = protocol::get_argument(reader);
  if (!stage_ || arguments.size() != stage_->entry().argument_count)
    throw std::runtime_error("another number of arguments than the function has");
  for (std::size_t i = 0; i < arguments.size(); ++i)
    require_kind(i, arguments[i].kind, arguments[i].value.size());
  ArgumentValues values(std::move(arguments), stream());
  stage_->call(values.slots());
  check(cudaStreamSynchronize(stream()));
}

void Server::require_kind(std::size_t argument, ArgumentKind kind, std::size_t scalar_bytes) const {
  const ArgumentInfo& info = stage_->entry().arguments[argument];
  const std::size_t expected = info.kind == ArgumentKind::scalar ? info.element_bytes : 0;
  if (kind != info.kind || scalar_bytes != expected)
    throw std::runtime_error("an argument of another kind than the function takes");
}

void Server::require_ready() {
  if (!stage_ || !arguments_) throw std::runtime_error("no stage or no arguments yet");
}

void Server::flush(std::uint64_t bytes) {
  if (bytes > flush_buffer_bytes_) {
    cudaFree(flush_buffer_);
    flush_buffer_ = nullptr;
    flush_buffer_bytes_ = 0;
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes));
    flush_buffer_ = static_cast<std::byte*>(memory);
    flush_buffer_bytes_ = bytes;
  }
  reset_persisting_lines();
  check(cudaMemsetAsync(flush_buffer_, 0, bytes, stream()));
}

/// Everything is queued without a synchronisation in between, so that the time the flush takes
/// hides what a launch costs the host.
protocol::Timing Server::time(std::uint64_t flush_bytes, std::uint32_t launches) {
  protocol::Timing timing;
  check(cudaStreamSynchronize(stream()));
  if (flush_bytes != 0) flush(flush_bytes);
  check(cudaEventRecord(start_, stream()));
  for (std::uint32_t i = 0; i < launches; ++i) stage_->call(arguments_->slots());
  timing.exposed_host = cudaEventQuery(start_) == cudaSuccess;
  check(cudaEventRecord(stop_, stream()));
  check(cudaStreamSynchronize(stream()));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start_, stop_));
  timing.seconds = milliseconds / 1e3;
  return timing;
}

}  // namespace gridstride::runner
