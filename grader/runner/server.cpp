// One request, one answer.
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

/// Calls get this stream, so that the simulated device sees what is not ordered with it. Only our
/// own runtime can be told: runtime/api/api_grading.cpp.
void tell_device(cudaStream_t stream) {
  using Given = cudaError_t (*)(cudaStream_t);
  static const auto given = reinterpret_cast<Given>(dlsym(RTLD_DEFAULT, "cudaGridstrideGiven"));
  if (given != nullptr) check(given(stream));
}

}  // namespace

Server::Server(protocol::Channel channel) : channel_(std::move(channel)) {}

Server::~Server() {
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

cudaStream_t Server::stream() {
  if (stream_ == nullptr) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    tell_device(stream_);
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
    case Operation::load:
      return load(reader, result);
    case Operation::start:
      stream();
      return;
    case Operation::call:
      return call(reader);
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

void Server::call(Reader& reader) {
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

}  // namespace gridstride::runner
