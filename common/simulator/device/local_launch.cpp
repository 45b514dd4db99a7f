// The simulated GPU: modules and launches.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/unsupported.h"
#include "common/simulator/decode/make_program.h"
#include "common/simulator/device/local_device.h"
#include "common/simulator/fatbin/cubin.h"
#include "common/simulator/fatbin/fatbin.h"
#include "common/simulator/model/occupancy.h"
#include "common/simulator/model/time_model.h"
#include "common/simulator/program/program.h"
#include "common/simulator/ptx/linker.h"
#include "common/simulator/ptx/parser.h"

namespace gridstride::sim {
namespace {

std::string text_of(const Dim3& dim) { return fmt::format("{} x {} x {}", dim.x, dim.y, dim.z); }

/// 75 for ".target sm_75"; 0 when it says something else.
std::uint32_t architecture_of(const ptx::Module& module) {
  constexpr std::string_view prefix = "sm_";
  const std::string& target = module.target;
  if (!target.starts_with(prefix)) return 0;
  std::uint32_t number = 0;
  std::from_chars(target.data() + prefix.size(), target.data() + target.size(), number);
  return number;
}

/// Relocatable device code is linked with the toolkit's libcudadevrt, which brings its own
/// container. The executor answers those calls itself, so that one is passed over. It is known by
/// the name of its source, which stands in its symbols; or it has machine code only, as has the
/// container of what a link for a real GPU made of all the others.
bool is_passed_over(const std::vector<fatbin::PtxImage>& images, std::size_t containers) {
  if (images.empty()) return containers > 1;
  return std::any_of(images.begin(), images.end(), [](const fatbin::PtxImage& image) {
    return image.text.find("_cuda_device_runtime_cu_") != std::string::npos;
  });
}

/// A program may bring this much PTX in all its modules; each takes many times its text in memory.
constexpr std::size_t most_ptx_bytes = std::size_t{64} << 20;

/// Machine code beyond this is not looked at.
constexpr std::size_t most_machine_code_bytes = std::size_t{256} << 20;

/// One module of all containers that hold PTX. `ptx_bytes` counts the text of all modules.
ptx::Module parse_and_link(const std::vector<std::vector<std::byte>>& containers,
                           std::uint32_t capability, std::size_t& ptx_bytes) {
  std::vector<ptx::Module> modules;
  for (const auto& container : containers) {
    try {
      if (is_passed_over(fatbin::ptx_images(container), containers.size())) continue;
    } catch (const fatbin::FatbinError& error) {
      throw DeviceError(error_invalid_kernel_image, false, error.what());
    }
    try {
      const std::string text = fatbin::best_ptx(container, capability).text;
      ptx_bytes += text.size();
      if (ptx_bytes > most_ptx_bytes) {
        throw DeviceError(error_memory_allocation, false, "more than 64 MiB of PTX in the program");
      }
      modules.push_back(ptx::parse(text));
    } catch (const fatbin::FatbinError& error) {
      throw DeviceError(error_no_kernel_image, false, error.what());
    } catch (const ptx::ParseError& error) {
      throw DeviceError(error_invalid_ptx, false, error.what());
    }
  }
  if (modules.empty()) {
    throw DeviceError(error_no_kernel_image, false,
                      "the program was built without PTX: add -gencode "
                      "arch=compute_80,code=compute_80");
  }
  if (modules.size() == 1) return std::move(modules.front());
  try {
    return ptx::link(std::move(modules));
  } catch (const ptx::LinkError& error) {
    throw DeviceError(error_invalid_ptx, false, error.what());
  }
}

/// What ptxas made of kernels, where machine code for this device is beside the PTX. What is odd about
/// it is no reason not to run the PTX. `bytes` counts the machine code of all modules.
fatbin::Registers compiled_registers(const std::vector<std::vector<std::byte>>& containers,
                                     std::uint32_t capability, std::size_t& bytes) {
  fatbin::Registers registers;
  for (const auto& container : containers) {
    if (bytes > most_machine_code_bytes) break;
    try {
      const std::string code = fatbin::best_machine_code(container, capability);
      bytes += code.size();
      if (!code.empty()) registers.merge(fatbin::registers_in(code));
    } catch (const fatbin::FatbinError&) {
      bytes += most_ptx_bytes;  // as much as may have been unpacked
    }
  }
  return registers;
}

}  // namespace

ModuleInfo LocalDevice::load_module(const std::vector<std::vector<std::byte>>& containers,
                                    const std::vector<std::string>&) {
  check_health();
  ptx::Module module =
      parse_and_link(containers, options_.profile.properties.capability, ptx_bytes_);
  const std::uint32_t architecture = architecture_of(module);
  const MultiprocessorLimits& limits = options_.profile.limits;
  fatbin::Registers registers =
      compiled_registers(containers, options_.profile.properties.capability, machine_code_bytes_);
  std::erase_if(registers, [&](const auto& of) { return of.second > limits.registers_per_thread; });
  std::set<std::string> estimated;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_kernel || registers.contains(function.name)) continue;
    registers[function.name] = estimate_registers(function, limits);
    estimated.insert(function.name);
  }
  ModuleInfo info;
  std::shared_ptr<const Program> program;
  try {
    program = make_program(std::move(module), memory_, info);
  } catch (const Unsupported& error) {
    refuse(error.what(), false);
  }
  for (std::size_t index = 0; index < info.kernels.size(); ++index) {
    KernelInfo& kernel = info.kernels[index];
    kernel.registers = registers[kernel.name];
    kernel.registers_estimated = estimated.contains(kernel.name);
    const std::uint32_t launch_bound = kernel.max_threads;
    if (!kernel.registers_estimated)
      kernel.max_threads = std::min(launch_bound, most_threads(limits, kernel.registers));
    kernel.architecture = architecture;
    kernel.id = kernels_.size() + 1;
    kernels_.push_back({.program = program,
                        .index = index,
                        .info = kernel,
                        .launch_bound = launch_bound,
                        .demangled = demangled(kernel.name),
                        .allowed_dynamic_shared = 0});
  }
  return info;
}

std::uint32_t LocalDevice::registers_of(const Kernel& used, std::uint32_t block_threads) const {
  const std::uint32_t registers = used.info.registers;
  if (!used.info.registers_estimated) return registers;
  return registers_of_launch(options_.profile.limits, block_threads, registers);
}

LocalDevice::Kernel& LocalDevice::kernel(KernelId id) {
  if (id == 0 || id > kernels_.size()) {
    throw DeviceError(error_invalid_device_function, false, "this kernel does not exist");
  }
  return kernels_[id - 1];
}

std::uint32_t LocalDevice::resident_blocks(KernelId id, std::uint32_t block_threads,
                                           std::uint64_t dynamic_shared) {
  check_health();
  const Kernel& used = kernel(id);
  const MultiprocessorLimits& limits = options_.profile.limits;
  const bool too_large =
      block_threads > limits.threads_per_block || dynamic_shared > limits.shared_per_block_optin;
  if (too_large) return 0;
  return occupancy(limits, block_threads, registers_of(used, block_threads),
                   used.info.static_shared + dynamic_shared)
      .blocks;
}

void LocalDevice::allow_dynamic_shared(KernelId id, std::uint64_t bytes) {
  check_health();
  Kernel& used = kernel(id);
  const std::uint64_t most = options_.profile.limits.shared_per_block_optin;
  if (bytes > most || used.info.static_shared + bytes > most) {
    throw DeviceError(error_invalid_value, false,
                      fmt::format("{} bytes of dynamic shared memory: a block has {}, of which {} "
                                  "uses {} for static variables",
                                  bytes, most, used.demangled, used.info.static_shared));
  }
  used.allowed_dynamic_shared = bytes;
}

void LocalDevice::check_shape(const Kernel& used, const LaunchRequest& request) const {
  const MultiprocessorLimits& limits = options_.profile.limits;
  const std::string who = "launch of " + used.demangled + ": ";
  const Dim3 &grid = request.grid, &block = request.block;
  const bool bad_grid = grid.x == 0 || grid.x > 0x7fffffff || grid.y == 0 || grid.y > 65535 ||
                        grid.z == 0 || grid.z > 65535;
  if (bad_grid) {
    throw DeviceError(
        error_invalid_value, false,
        who + "a grid of " + text_of(grid) +
            " blocks; each extent is at least 1, x at most 2147483647, y and z 65535");
  }
  const bool bad_block = block.x == 0 || block.x > 1024 || block.y == 0 || block.y > 1024 ||
                         block.z == 0 || block.z > 64 || block.count() > limits.threads_per_block;
  if (bad_block) {
    throw DeviceError(error_invalid_value, false,
                      who + "a block of " + text_of(block) +
                          " threads; each extent is at least 1, z at most 64, their product 1024");
  }
  const std::uint64_t shared_limit =
      std::max(limits.shared_per_block, used.info.static_shared + used.allowed_dynamic_shared);
  const bool too_much_shared = request.dynamic_shared > limits.shared_per_block_optin ||
                               used.info.static_shared + request.dynamic_shared > shared_limit;
  if (too_much_shared) {
    throw DeviceError(error_invalid_value, false,
                      fmt::format("{}{} bytes of dynamic shared memory; more than {} in all needs "
                                  "cudaFuncSetAttribute with "
                                  "cudaFuncAttributeMaxDynamicSharedMemorySize",
                                  who, request.dynamic_shared, limits.shared_per_block));
  }
  if (block.count() > used.launch_bound) {
    throw DeviceError(error_invalid_value, false,
                      fmt::format("{}{} threads a block; its __launch_bounds__ promise at most {}",
                                  who, block.count(), used.launch_bound));
  }
}

std::uint32_t LocalDevice::fitting_blocks(const Kernel& used, const LaunchRequest& request) {
  const auto threads = static_cast<std::uint32_t>(request.block.count());
  const std::uint32_t resident = resident_blocks(request.kernel, threads, request.dynamic_shared);
  if (resident == 0) {
    throw DeviceError(
        error_launch_out_of_resources, false,
        fmt::format(
            "launch of {}: one block of {} threads, {} registers each, and {} bytes of shared "
            "memory does not fit on a multiprocessor",
            used.demangled, threads, registers_of(used, threads),
            used.info.static_shared + request.dynamic_shared));
  }
  return resident;
}

std::uint32_t LocalDevice::checked_launch(const LaunchRequest& request) {
  check_health();
  timeline_.check(request.stream);
  const Kernel& used = kernel(request.kernel);
  check_shape(used, request);
  if (request.arguments.size() != used.info.argument_bytes) {
    throw DeviceError(error_invalid_value, false,
                      fmt::format("launch of {}: {} bytes of arguments for {}", used.demangled,
                                  request.arguments.size(), used.info.argument_bytes));
  }
  const std::uint32_t resident = fitting_blocks(used, request);
  const std::uint64_t at_once =
      std::uint64_t{resident} * options_.profile.properties.multiprocessors;
  if (request.cooperative && request.grid.count() > at_once) {
    throw DeviceError(
        error_cooperative_launch_too_large, false,
        fmt::format("cooperative launch of {}: {} blocks, of which only {} are resident "
                    "at once",
                    used.demangled, request.grid.count(), at_once));
  }
  if (request.cooperative && used.program->kernels[used.index].uses_device_runtime) {
    throw DeviceError(error_not_permitted, false,
                      "cooperative launch of " + used.demangled +
                          ": it calls functions of the CUDA runtime itself (launches of kernels, "
                          "copies, streams, "
                          "cudaGetLastError and the like), which a kernel that is launched with "
                          "cudaLaunchCooperativeKernel may not. Let the host call them, or launch "
                          "this kernel with "
                          "<<<…>>> and split it where it calls grid.sync()");
  }
  return resident;
}

void LocalDevice::check_launch(const LaunchRequest& request) { checked_launch(request); }

void LocalDevice::launch(const LaunchRequest& request) {
  const std::uint32_t resident = checked_launch(request);
  keep_order(request.stream, "The kernel " + kernel(request.kernel).demangled);
  if (is_absent_) return look_at(kernel(request.kernel), request);
  if (options_.on_start) options_.on_start(kernel(request.kernel).demangled);
  launch_with_children(kernel(request.kernel), request, resident);
}

void LocalDevice::note(const std::string& kernel, const std::vector<UncheckedMemory>& unchecked) {
  for (const UncheckedMemory& one : unchecked) {
    const auto [known, is_first] = noted_.try_emplace(kernel);
    Noted& noted = known->second;
    if (is_first) {
      noted.number = log_.activity().notes.size();
      if (!log_.note(one.note)) {
        noted_.erase(known);
        continue;
      }
      noted.first = one.note;
      noted.orders.insert(one.order);
      if (options_.on_note) options_.on_note(one.note);
    } else if (noted.orders.insert(one.order).second) {
      noted.further_bytes += one.bytes;
      const std::size_t further = noted.orders.size() - 1;
      log_.activity().notes.at(noted.number) =
          fmt::format("{} The same holds for {} bytes of {} further allocation{}.", noted.first,
                      noted.further_bytes, further, further == 1 ? "" : "s");
    }
  }
}

std::size_t LocalDevice::log(const Kernel& used, const LaunchRequest& request, Ran& ran,
                             double start, double seconds, const std::string& parent) {
  const MultiprocessorLimits& limits = options_.profile.limits;
  const auto threads = static_cast<std::uint32_t>(request.block.count());
  LaunchRecord record;
  record.kernel = used.demangled;
  record.parent = parent;
  record.grid = request.grid;
  record.block = request.block;
  record.shared_bytes = used.info.static_shared + request.dynamic_shared;
  record.registers = registers_of(used, threads);
  record.registers_estimated = used.info.registers_estimated;
  const Occupancy fit = occupancy(limits, threads, record.registers, record.shared_bytes);
  record.occupancy = fit.fraction;
  record.occupancy_limiter = fit.limiter;
  record.resident_blocks = fit.blocks;
  record.block_latency_cycles = ran.result.block_latency_cycles;
  record.latency_spread = ran.result.latency_spread;
  record.imbalance = ran.result.imbalance;
  record.atomic_queues = ran.result.atomic_queues;
  record.start = start;
  record.seconds = record.seconds_with_children = seconds;
  record.limiter = ran.time.limiter;
  record.bounds = ran.time.bounds;
  record.counters = ran.result.counters;
  record.lines = std::move(ran.result.lines);
  record.findings = std::move(ran.result.findings);
  if (ran.result.error != 0) {
    stick(ran.result.error, ran.result.reason);
  }
  note(used.demangled, ran.result.unchecked);
  if (options_.on_launch) options_.on_launch(record);
  const std::size_t number = log_.add(std::move(record));
  keep(std::move(ran.result.unwritten_copies), number);
  return number;
}

}  // namespace gridstride::sim
