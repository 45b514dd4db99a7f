// Makes work, and does it.
#include "common/simulator/runtime/work.h"

#include <cstring>

#include "common/simulator/runtime/runtime.h"

namespace gridstride::sim {
namespace {

Dim3 dim_of(dim3 dim) { return {.x = dim.x, .y = dim.y, .z = dim.z}; }

void execute_kernel(Runtime& runtime, const KernelWork& kernel, StreamId stream) {
  runtime.launch({.kernel = runtime.modules().kernel(runtime.device(), kernel.function).id,
                  .grid = dim_of(kernel.grid),
                  .block = dim_of(kernel.block),
                  .dynamic_shared = kernel.shared,
                  .stream = stream,
                  .cooperative = kernel.cooperative,
                  .arguments = kernel.arguments});
}

/// Without the lock: the function may take its own.
void call_host(Runtime& runtime, const cudaHostNodeParams& function) {
  class Unlocked {
   public:
    explicit Unlocked(std::recursive_mutex& mutex) : mutex_(mutex) { mutex_.unlock(); }
    ~Unlocked() { mutex_.lock(); }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

   private:
    std::recursive_mutex& mutex_;
  };
  const Unlocked unlocked(runtime.mutex());
  function.fn(function.userData);
}

struct Executor {
  Runtime& runtime;
  StreamId stream;

  void operator()(const KernelWork& kernel) const { execute_kernel(runtime, kernel, stream); }
  void operator()(const CopyWork& copy) const { execute_copy(runtime, copy, stream); }
  void operator()(const FillWork& fill) const { execute_fill(runtime, fill, stream); }
  void operator()(const HostWork& host) const { call_host(runtime, host.function); }
  void operator()(const RecordWork& record) const {
    runtime.device().record(runtime.event(record.event), stream);
  }
  void operator()(const WaitWork& wait) const {
    runtime.device().wait(stream, runtime.event(wait.event));
  }
};

}  // namespace

KernelWork kernel_work(Runtime& runtime, const void* function, dim3 grid, dim3 block,
                       void** arguments, std::size_t shared, bool cooperative) {
  const KernelInfo& info = runtime.modules().kernel(runtime.device(), function);
  KernelWork work;
  work.function = function;
  work.grid = grid, work.block = block;
  work.shared = shared;
  work.cooperative = cooperative;
  work.arguments.resize(info.argument_bytes);
  if (info.parameters.empty()) return work;
  if (arguments == nullptr) invalid("a kernel with parameters was launched without arguments");
  for (std::size_t i = 0; i < info.parameters.size(); ++i) {
    const ParameterLayout& parameter = info.parameters[i];
    if (arguments[i] == nullptr) invalid("argument " + std::to_string(i) + " is a null pointer");
    std::memcpy(work.arguments.data() + parameter.offset, arguments[i], parameter.size);
  }
  return work;
}

CopyWork plain_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  CopyWork work = row_copy(to, bytes, from, bytes, bytes, 1, kind);
  work.plain = true;
  return work;
}

CopyWork row_copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                  std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  CopyWork work;
  work.what.dstPtr = {to, to_pitch, width, height};
  work.what.srcPtr = {const_cast<void*>(from), from_pitch, width, height};
  work.what.extent = {width, height, 1};
  work.what.kind = kind;
  return work;
}

FillWork plain_fill(void* to, int value, std::size_t bytes) {
  FillWork work;
  work.params.dst = to;
  work.params.value = static_cast<unsigned>(value) & 0xff;
  work.params.elementSize = 1;
  work.params.width = bytes;
  work.params.height = 1;
  return work;
}

void* place_in(Runtime& runtime, const void* symbol, std::size_t offset, std::size_t bytes) {
  const SymbolInfo info = runtime.modules().variable(runtime.device(), symbol);
  if (offset > info.size || bytes > info.size - offset) {
    invalid(std::to_string(bytes) + " bytes at offset " + std::to_string(offset) + " of " +
            info.name + ", which has " + std::to_string(info.size));
  }
  return reinterpret_cast<void*>(info.address + offset);
}

void execute(Runtime& runtime, const Work& work, StreamId stream) {
  std::visit(Executor{runtime, stream}, work);
}

void submit(Runtime& runtime, cudaStream_t stream, const Work& work) {
  execute(runtime, work, runtime.stream(stream));
}

}  // namespace gridstride::sim
