// What the driver's loader and linker make of fat binaries.
#include "common/simulator/gpu/gpu_modules.h"

#include <cuda.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/device_error.h"
#include "common/simulator/fatbin/fatbin.h"
#include "common/simulator/gpu/room.h"
#include "common/simulator/program/program.h"

namespace gridstride::sim {
namespace {

using Container = std::vector<std::byte>;

/// The driver is given an address and takes the length from what stands there.
void require_whole(const Container& container) {
  try {
    if (fatbin::container_size(container) == container.size()) return;
  } catch (const fatbin::FatbinError& error) {
    throw DeviceError(error_invalid_kernel_image, false, error.what());
  }
  throw DeviceError(error_invalid_kernel_image, false,
                    "the container of device code has another length than it says");
}

/// Of one attempt to link.
class Link {
 public:
  explicit Link(const Driver& driver) : driver_(driver) {
    std::array<CUjit_option, 2> options{CU_JIT_ERROR_LOG_BUFFER,
                                        CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    std::array<void*, 2> values{words_.data(), reinterpret_cast<void*>(words_.size())};
    check(driver_, driver_.cuLinkCreate(options.size(), options.data(), values.data(), &state_),
          "linking device code");
  }
  ~Link() { driver_.cuLinkDestroy(state_); }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void add(const Container& container) {
    require(driver_.cuLinkAddData(state_, CU_JIT_INPUT_FATBINARY,
                                  const_cast<std::byte*>(container.data()), container.size(), "", 0,
                                  nullptr, nullptr));
  }
  CUmodule load() {
    void* image = nullptr;
    std::size_t bytes = 0;
    require(driver_.cuLinkComplete(state_, &image, &bytes));
    CUmodule module = nullptr;
    require(driver_.cuModuleLoadData(&module, image));
    return module;
  }

 private:
  void require(CUresult result) {
    check(driver_, result, std::string("linking device code: ") + words_.data());
  }

  const Driver& driver_;
  CUlinkState state_ = nullptr;
  std::array<char, 1024> words_{};
};

}  // namespace

CUmodule GpuModules::linked(const std::vector<Container>& containers) {
  CUmodule module = nullptr;
  const CUresult loaded = driver_.cuModuleLoadData(&module, containers.front().data());
  if (containers.size() == 1) {
    check(driver_, loaded, "loading the program's device code");
    return module;
  }
  // Relocatable code: the first container is what nvcc linked, the others are its parts. It holds
  // machine code only, which may be another GPU's.
  if (loaded == CUDA_SUCCESS) {
    if (!functions_of(module).empty()) return module;
    driver_.cuModuleUnload(module);
  }
  Link link(driver_);
  for (const Container& container : containers) {
    link.add(container);
  }
  return link.load();
}

CUmodule GpuModules::loaded(const std::vector<Container>& containers) {
  const auto free_bytes = [this] {
    std::size_t free = 0, total = 0;
    check(driver_, driver_.cuMemGetInfo(&free, &total), "the GPU's memory");
    return free;
  };
  // Others take memory as well: who takes too much does so twice.
  std::uint64_t taken = 0;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const std::size_t before = free_bytes();
    const CUmodule module = linked(containers);
    const std::size_t after = free_bytes();
    taken = before - std::min(before, after);
    if (taken <= most_memory) return module;
    driver_.cuModuleUnload(module);
  }
  require_share(taken, "variables and code");
  return nullptr;
}

std::vector<CUfunction> GpuModules::functions_of(CUmodule module) const {
  unsigned count = 0;
  check(driver_, driver_.cuModuleGetFunctionCount(&count, module), "the kernels of a module");
  std::vector<CUfunction> functions(count);
  check(driver_, driver_.cuModuleEnumerateFunctions(functions.data(), count, module),
        "the kernels of a module");
  return functions;
}

int GpuModules::attribute(CUfunction function, CUfunction_attribute which) const {
  int value = 0;
  check(driver_, driver_.cuFuncGetAttribute(&value, which, function), "an attribute of a kernel");
  return value;
}

KernelInfo GpuModules::add(CUfunction function) {
  check(driver_, driver_.cuFuncLoad(function), "loading a kernel");
  const char* name = nullptr;
  check(driver_, driver_.cuFuncGetName(&name, function), "the name of a kernel");
  GpuKernel kernel{.function = function, .name = demangled(name), .parameters = {}};
  for (std::size_t i = 0;; ++i) {
    ParameterLayout layout;
    std::size_t offset = 0, size = 0;
    if (driver_.cuFuncGetParamInfo(function, i, &offset, &size) != CUDA_SUCCESS) break;
    layout.offset = offset;
    layout.size = size;
    kernel.parameters.push_back(layout);
    kernel.argument_bytes = std::max<std::uint64_t>(kernel.argument_bytes, offset + size);
  }
  const auto number = [&](CUfunction_attribute which) {
    return static_cast<std::uint32_t>(attribute(function, which));
  };
  KernelInfo info;
  info.name = name;
  info.parameters = kernel.parameters;
  info.argument_bytes = kernel.argument_bytes;
  info.registers = number(CU_FUNC_ATTRIBUTE_NUM_REGS);
  info.static_shared = number(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  info.constant_bytes = number(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  info.local_bytes = number(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  local_bytes_ = std::max(local_bytes_, info.local_bytes);
  info.max_threads = number(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  info.architecture = number(CU_FUNC_ATTRIBUTE_PTX_VERSION);
  kernels_.push_back(std::move(kernel));
  info.id = kernels_.size();
  return info;
}

ModuleInfo GpuModules::load(const std::vector<Container>& containers,
                            const std::vector<std::string>& variables) {
  if (containers.empty()) {
    throw DeviceError(error_no_kernel_image, false, "the program has no device code");
  }
  require_room(loaded_, most_modules, "modules");
  for (const Container& container : containers) require_whole(container);
  const CUmodule module = loaded(containers);
  ++loaded_;
  ModuleInfo info;
  for (CUfunction function : functions_of(module)) info.kernels.push_back(add(function));
  for (const std::string& name : variables) {
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    if (driver_.cuModuleGetGlobal(&address, &bytes, module, name.c_str()) != CUDA_SUCCESS) continue;
    info.symbols.push_back({.name = name, .address = address, .size = bytes});
    variables_[address] = bytes;
  }
  return info;
}

const GpuKernel& GpuModules::kernel(KernelId id) const {
  if (id == 0 || id > kernels_.size()) {
    throw DeviceError(error_invalid_device_function, false, "this kernel is not loaded");
  }
  return kernels_[id - 1];
}

bool GpuModules::holds(DeviceAddress address) const {
  const auto after = variables_.upper_bound(address);
  if (after == variables_.begin()) return false;
  const auto& [begin, bytes] = *std::prev(after);
  return address - begin < bytes;
}

}  // namespace gridstride::sim
