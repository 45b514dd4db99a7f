// Makes work, and does it.
#include "common/simulator/runtime/work.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <variant>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/runtime/graph.h"
#include "common/simulator/runtime/runtime.h"

namespace gridstride::sim {
namespace {

Dim3 dim_of(dim3 dim) { return {.x = dim.x, .y = dim.y, .z = dim.z}; }

LaunchRequest request_of(Runtime& runtime, const KernelWork& kernel, StreamId stream) {
  return {.kernel = runtime.modules().kernel(runtime.device(), kernel.function).id,
          .grid = dim_of(kernel.grid),
          .block = dim_of(kernel.block),
          .dynamic_shared = kernel.shared,
          .stream = stream,
          .cooperative = kernel.cooperative,
          .arguments = kernel.arguments};
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

/// The memory is new whenever its node runs, whatever an earlier launch left in it.
void use(Runtime& runtime, GraphMemory& memory) {
  GraphRegistry& registry = runtime.graphs;
  runtime.device().forget(memory.address, memory.bytes);
  memory.in_use = true;
  std::uint64_t used = 0;
  for (const auto& [begin, other] : registry.memory) used += other->in_use ? other->bytes : 0;
  registry.most_used = std::max(registry.most_used, used);
}

[[noreturn]] void misplaced() { throw std::logic_error("a graph is run by its plan"); }

struct Executor {
  Runtime& runtime;
  StreamId stream;

  void operator()(const EmptyWork&) const {}
  void operator()(const KernelWork& kernel) const {
    runtime.launch(request_of(runtime, kernel, stream));
  }
  void operator()(const CopyWork& copy) const { execute_copy(runtime, copy, stream); }
  void operator()(const FillWork& fill) const { execute_fill(runtime, fill, stream); }
  void operator()(const HostWork& host) const {
    // What the simulated GPU was asked for is done; a real one may still be busy.
    if (runtime.device().properties().hardware) runtime.synchronize(stream);
    call_host(runtime, host.function);
  }
  void operator()(const RecordWork& record) const {
    runtime.device().record(runtime.event(record.event), stream);
  }
  void operator()(const WaitWork& wait) const {
    runtime.device().wait(stream, runtime.event(wait.event));
  }
  void operator()(const AllocWork& alloc) const { use(runtime, *alloc.memory); }
  void operator()(const FreeWork& free) const { runtime.free_async(free.pointer); }
  [[noreturn]] void operator()(const ChildWork&) const { misplaced(); }
  [[noreturn]] void operator()(const ConditionWork&) const { misplaced(); }
};

}  // namespace

KernelWork kernel_work(Runtime& runtime, const void* function, dim3 grid, dim3 block,
                       void** arguments, std::size_t shared) {
  const KernelInfo& info = runtime.modules().kernel(runtime.device(), function);
  KernelWork work;
  work.function = function;
  work.grid = grid, work.block = block;
  work.shared = shared;
  work.arguments.resize(info.argument_bytes);
  if (info.parameters.empty()) return work;
  if (arguments == nullptr) invalid("a kernel with parameters was launched without arguments");
  for (std::size_t i = 0; i < info.parameters.size(); ++i) {
    const ParameterLayout& parameter = info.parameters[i];
    if (arguments[i] == nullptr) invalid("argument " + std::to_string(i) + " is a null pointer");
    std::memcpy(work.arguments.data() + parameter.offset, arguments[i], parameter.size);
    work.parameters.push_back(parameter.offset);
  }
  return work;
}

void set_attribute(Runtime& runtime, KernelWork& kernel, cudaLaunchAttributeID id,
                   const cudaLaunchAttributeValue& value) {
  const auto refuse = [&](const std::string& name) {
    runtime.refuse_call(name);
    throw DeviceError(error_not_supported, false, name + " is not supported");
  };
  switch (id) {
    case cudaLaunchAttributeCooperative:
      kernel.cooperative = value.cooperative != 0;
      break;
    case cudaLaunchAttributeClusterDimension: {
      const auto& cluster = value.clusterDim;
      if (cluster.x != 1 || cluster.y != 1 || cluster.z != 1) {
        refuse("a launch of clusters of blocks (cudaLaunchAttributeClusterDimension)");
      }
      break;
    }
    // A kernel starts when the one before it in its stream has ended, never earlier; those of other
    // streams come in the order of the calls; the L2 keeps no line longer than others. So none of
    // these changes what a program could see.
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributeProgrammaticStreamSerialization:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
      break;
    default:
      refuse("launch attribute " + std::to_string(id));
  }
  kernel.attributes[id] = value;
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
    invalid(fmt::format("{} bytes at offset {} of {}, which has {}", bytes, offset, info.name,
                        info.size));
  }
  return reinterpret_cast<void*>(info.address + offset);
}

void execute(Runtime& runtime, const Work& work, StreamId stream) {
  std::visit(Executor{runtime, stream}, work);
}

void check(Runtime& runtime, const KernelWork& kernel) {
  runtime.device().check_launch(request_of(runtime, kernel, 0));
}

void submit(Runtime& runtime, cudaStream_t stream, const Work& work) {
  const auto* kernel = std::get_if<KernelWork>(&work);
  if (kernel != nullptr && runtime.captures.is_capturing(runtime, stream)) check(runtime, *kernel);
  if (runtime.captures.take(runtime, stream, work)) return;
  execute(runtime, work, runtime.stream(stream));
}

}  // namespace gridstride::sim
