// Finds the containers behind a registration, and loads them when they are needed.
#include "common/simulator/runtime/module_registry.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/fatbin/fatbin.h"

namespace gridstride::sim {
namespace {

/// What nvcc puts into .nvFatBinSegment. Version 2, of relocatable device code, has a
/// null-terminated list of containers that its link step joined, and usually an empty container of
/// its own.
struct Wrapper {
  std::uint32_t magic = 0, version = 0;
  const void* data = nullptr;
  const void* const* prelinked = nullptr;
};
constexpr std::uint32_t wrapper_magic = 0x466243b1;

std::span<const std::byte> container_at(const void* data) {
  constexpr std::size_t header_bytes = 16;
  const auto* bytes = static_cast<const std::byte*>(data);
  const std::size_t size = fatbin::container_size(std::span(bytes, header_bytes));
  return std::span(bytes, size);
}

std::vector<std::vector<std::byte>> containers_of(const void* address) {
  Wrapper wrapper;
  std::memcpy(&wrapper, address, sizeof wrapper);
  const bool known =
      wrapper.magic == wrapper_magic && (wrapper.version == 1 || wrapper.version == 2);
  if (!known || wrapper.data == nullptr) {
    throw DeviceError(error_invalid_kernel_image, false,
                      "the program's device code has a wrapper of an unknown kind (version " +
                          std::to_string(wrapper.version) + "): built with another toolkit?");
  }
  constexpr std::size_t empty = 16;  // a header alone
  std::vector<std::vector<std::byte>> containers;
  const auto add = [&containers](const void* data) {
    const auto bytes = container_at(data);
    if (bytes.size() > empty) containers.emplace_back(bytes.begin(), bytes.end());
  };
  try {
    add(wrapper.data);
    if (wrapper.version == 2 && wrapper.prelinked != nullptr) {
      for (const void* const* each = wrapper.prelinked; *each != nullptr; ++each) add(*each);
    }
  } catch (const fatbin::FatbinError& error) {
    throw DeviceError(error_invalid_kernel_image, false, error.what());
  }
  return containers;
}

}  // namespace

FatBinary* ModuleRegistry::add(const void* wrapper) {
  binaries_.push_back(std::make_unique<FatBinary>());
  binaries_.back()->wrapper = wrapper;
  return binaries_.back().get();
}

void ModuleRegistry::remove(FatBinary* binary) {
  std::erase_if(kernels_, [binary](const auto& entry) { return entry.second->binary == binary; });
  std::erase_if(variables_, [binary](const auto& entry) { return entry.second.binary == binary; });
  std::erase_if(managed_variables_, [binary](const auto& one) { return one.binary == binary; });
  std::erase_if(binaries_, [binary](const auto& entry) { return entry.get() == binary; });
}

void ModuleRegistry::add_kernel(FatBinary* binary, const void* host_function, const char* name) {
  kernels_[host_function] = std::make_unique<RegisteredKernel>(
      RegisteredKernel{.binary = binary, .name = name, .info = {}});
}

void ModuleRegistry::add_variable(FatBinary* binary, const void* host_variable, const char* name) {
  variables_[host_variable] = {.binary = binary, .name = name, .pointer = nullptr};
}

void ModuleRegistry::add_managed(FatBinary* binary, void** pointer, const char* name) {
  managed_variables_.push_back({.binary = binary, .name = name, .pointer = pointer});
}

void ModuleRegistry::share(const RegisteredVariable& variable) {
  for (const SymbolInfo& symbol : variable.binary->module->symbols) {
    if (!symbol.is_managed || symbol.name != variable.name) continue;
    managed_.add(symbol.address, symbol.size, true);
    *variable.pointer = reinterpret_cast<void*>(symbol.address);
    variables_[*variable.pointer] = variable;
  }
}

std::vector<std::string> ModuleRegistry::variables_of(const FatBinary& binary) const {
  std::vector<std::string> names;
  for (const auto& [host_variable, variable] : variables_) {
    if (variable.binary == &binary) names.push_back(variable.name);
  }
  return names;
}

void ModuleRegistry::load(Device& device, FatBinary& binary) {
  if (binary.module) return;
  binary.module = device.load_module(containers_of(binary.wrapper), variables_of(binary));
  for (const RegisteredVariable& variable : managed_variables_) {
    if (variable.binary != &binary) continue;
    // The driver of a real GPU puts them where the host may have something else.
    if (device.properties().hardware) {
      throw DeviceError(error_not_supported, false,
                        variable.name +
                            ": a __managed__ variable is not supported when a GPU "
                            "grades. Repair: cudaMallocManaged");
    }
    share(variable);
  }
  for (auto& [function, kernel] : kernels_) {
    if (kernel->binary != &binary) continue;
    for (const KernelInfo& info : binary.module->kernels) {
      if (info.name == kernel->name) kernel->info = info;
    }
  }
}

const RegisteredKernel* ModuleRegistry::registered(const void* host_function) const {
  const auto found = kernels_.find(host_function);
  return found == kernels_.end() ? nullptr : found->second.get();
}

ModuleRegistry::Kernels::const_iterator ModuleRegistry::find_kernel(const void* key) const {
  const auto found = kernels_.find(key);
  if (found != kernels_.end()) return found;
  return std::find_if(kernels_.begin(), kernels_.end(),
                      [key](const auto& entry) { return entry.second.get() == key; });
}

const void* ModuleRegistry::host_function(const void* key) const {
  const auto found = find_kernel(key);
  return found == kernels_.end() ? nullptr : found->first;
}

const KernelInfo& ModuleRegistry::kernel(Device& device, const void* key) {
  const auto found = find_kernel(key);
  if (found == kernels_.end()) {
    throw DeviceError(error_invalid_handle, false,
                      "this is not a __global__ function of the program");
  }
  RegisteredKernel& kernel = *found->second;
  load(device, *kernel.binary);
  if (kernel.info.id == 0) {
    throw DeviceError(error_invalid_device_function, false,
                      kernel.name + " is not in the program's device code");
  }
  return kernel.info;
}

SymbolInfo ModuleRegistry::variable(Device& device, const void* host_variable) {
  const auto found = variables_.find(host_variable);
  if (found == variables_.end()) {
    throw DeviceError(error_invalid_symbol, false,
                      "this is not a __device__ or __constant__ variable of the program");
  }
  const RegisteredVariable& variable = found->second;
  load(device, *variable.binary);
  for (const SymbolInfo& symbol : variable.binary->module->symbols) {
    if (symbol.name == variable.name) return symbol;
  }
  throw DeviceError(error_invalid_symbol, false,
                    variable.name + " is not in the program's device code");
}

bool ModuleRegistry::holds(DeviceAddress address) const {
  return std::ranges::any_of(binaries_, [address](const auto& binary) {
    return binary->module &&
           std::ranges::any_of(binary->module->symbols, [address](const SymbolInfo& symbol) {
             return address >= symbol.address && address - symbol.address < symbol.size;
           });
  });
}

void ModuleRegistry::unload() {
  for (auto& binary : binaries_) binary->module.reset();
  for (auto& [function, kernel] : kernels_) kernel->info = {};
}

}  // namespace gridstride::sim
