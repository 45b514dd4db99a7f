// See the header.
#include "common/simulator/gpu/testdriver/context.h"

#include <cuda.h>

#include <cstddef>
#include <cstdio>
#include <iterator>
#include <string>

#include "common/simulator/base/device_error.h"

namespace gridstride::testdriver {

Context& Context::get() {
  static Context& context = *new Context;  // as a process's context, it has no end
  return context;
}

void Context::print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void Context::end(const sim::DeviceError& failed) {
  error = static_cast<CUresult>(failed.code());
  print(device.take_printed());
  if (error == CUDA_ERROR_ASSERT) std::fprintf(stderr, "%s\n", failed.what());
}

CUresult Context::wait(CUstream stream) {
  if (!streams.wait(stream, most_seconds)) return error = CUDA_ERROR_LAUNCH_TIMEOUT;
  const CUresult waited = guarded([this] { print(device.synchronize({})); });
  return error != CUDA_SUCCESS ? error : waited;
}

bool Context::is_pinned(const void* host) const {
  const auto after = pinned.upper_bound(static_cast<const std::byte*>(host));
  if (after == pinned.begin()) return false;
  const auto& [begin, bytes] = *std::prev(after);
  return static_cast<const std::byte*>(host) < begin + bytes;
}

}  // namespace gridstride::testdriver
