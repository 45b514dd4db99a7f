// What the user is told when a kernel does something it must not.
#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "common/simulator/base/address_spaces.h"
#include "common/simulator/base/cuda_error.h"
#include "common/simulator/findings/diagnostic_text.h"
#include "common/simulator/findings/finding_log.h"

namespace gridstride::sim {
namespace {

const char* verb(Access access) {
  switch (access) {
    case Access::load:
      return " reads ";
    case Access::store:
      return " writes ";
    case Access::atomic:
      return " changes atomically ";
  }
  return " uses ";
}

/// Where the host keeps its code, heap and stack; device addresses are far from it.
bool looks_like_host(std::uint64_t address) {
  return address >= 0x4000'0000'0000 && address < 0x8000'0000'0000;
}

/// "4 bytes past the end of the 4096-byte allocation (the 2nd cudaMalloc)".
std::string place(const Allocation& nearest, std::uint64_t address, std::uint32_t bytes) {
  const std::uint64_t end = nearest.begin + nearest.size;
  std::string text;
  if (address >= nearest.begin && address < end && nearest.live && nearest.read_only) {
    return "inside " + allocation_title(nearest) + ", which is constant";
  }
  if (address >= nearest.begin) {
    text = bytes_text(address + bytes - end) + " past the end of " + allocation_title(nearest);
    if (nearest.size % bytes == 0 && (address - nearest.begin) % bytes == 0) {
      text += fmt::format(": element {} of {}", (address - nearest.begin) / bytes,
                          nearest.size / bytes);
    }
  } else {
    text =
        bytes_text(nearest.begin - address) + " before the start of " + allocation_title(nearest);
  }
  if (!nearest.live) text += ", which has been freed";
  return text;
}

}  // namespace

void FindingLog::bad_global(const ThreadId& thread, std::uint32_t instruction,
                            DeviceAddress address, std::uint32_t bytes, Access access) {
  const Allocation* nearest = memory_.nearest(address);
  const bool inside_freed = nearest && !nearest->live && address >= nearest->begin &&
                            address - nearest->begin < nearest->size;
  FindingKind kind = FindingKind::out_of_bounds;
  std::string where;
  if (address < 4096) {
    where = address == 0 ? "a null pointer" : "a null pointer with an index";
  } else if (in_window(address, shared_window) || in_window(address, local_window)) {
    const bool shared = in_window(address, shared_window);
    where = std::string("an address of ") +
            (shared ? "shared memory, which only threads of its own block can use"
                    : "a thread's own local memory, which only that thread can use") +
            ". Hand over what lies in memory of cudaMalloc, or a __device__ variable";
  } else if (looks_like_host(address)) {
    kind = FindingKind::host_pointer;
    where =
        "an address of the host. A kernel needs memory of the device: cudaMalloc it, and copy. The "
        "name of a __device__ variable in host code is such an address, too: use it in the kernel "
        "itself, or ask cudaGetSymbolAddress for the device's";
  } else if (inside_freed) {
    kind = FindingKind::use_after_free;
    where = bytes_text(address - nearest->begin) + " into " + allocation_title(*nearest) +
            ", which has been freed";
  } else if (nearest) {
    where = place(*nearest, address, bytes);
  } else {
    where = "where nothing was ever allocated";
  }
  Finding result = finding(kind, instruction);
  result.message = capital(names_.thread(thread)) + verb(access) + bytes_text(bytes) + " at " +
                   hexadecimal(address) + ", " + where + ".";
  stop(std::move(result), error_illegal_address);
}

void FindingLog::misaligned(const ThreadId& thread, std::uint32_t instruction,
                            std::uint64_t address, std::uint32_t bytes, Access access,
                            const char* space) {
  Finding result = finding(FindingKind::misaligned, instruction);
  result.message = fmt::format("{}{}{} of {} memory at {}, which is not a multiple of {}.",
                               capital(names_.thread(thread)), verb(access), bytes_text(bytes),
                               space, hexadecimal(address), bytes);
  stop(std::move(result), error_misaligned_address);
}

void FindingLog::bad_shared(const ThreadId& thread, std::uint32_t instruction, std::uint64_t offset,
                            std::uint32_t bytes, Access access, std::int32_t variable) {
  Finding result = finding(FindingKind::out_of_bounds, instruction);
  std::string where;
  if (variable >= 0) {
    const SharedVariable& array = kernel_.shared[static_cast<std::size_t>(variable)];
    const std::uint32_t size = array.bytes != 0 ? array.bytes : shared_bytes_ - array.offset;
    const auto relative =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(offset) - array.offset);
    const std::string owner =
        fmt::format("the {}-byte {}array {}", size, array.bytes == 0 ? "dynamic " : "", array.name);
    if (relative < 0) {
      where = bytes_text(static_cast<std::uint64_t>(-std::int64_t{relative})) +
              " before the start of " + owner;
    } else {
      where =
          fmt::format("{} past the end of {}: element {} of {}",
                      bytes_text(static_cast<std::uint64_t>(std::int64_t{relative} + bytes - size)),
                      owner, static_cast<std::uint32_t>(relative) / bytes, size / bytes);
    }
  } else {
    where = "offset " + hexadecimal(offset) + " of a block that has " + bytes_text(shared_bytes_);
  }
  result.message = capital(names_.thread(thread)) + verb(access) + bytes_text(bytes) +
                   " of shared memory " + (variable >= 0 ? "" : "at ") + where + ".";
  stop(std::move(result), error_illegal_address);
}

void FindingLog::bad_local(const ThreadId& thread, std::uint32_t instruction, std::uint64_t offset,
                           std::uint32_t bytes, Access access, const LocalFrame& frame) {
  Finding result = finding(FindingKind::out_of_bounds, instruction);
  result.message =
      fmt::format("{}{}{} of a local array out of bounds: byte {} of the {} that the function has.",
                  capital(names_.thread(thread)), verb(access), bytes_text(bytes),
                  static_cast<std::int64_t>(offset) - frame.base, frame.bytes);
  stop(std::move(result), error_illegal_address);
}

void FindingLog::behind_local_array(const ThreadId& thread, std::uint32_t instruction,
                                    std::uint64_t offset, std::uint32_t bytes, Access access,
                                    const LocalArray& array) {
  Finding result = finding(FindingKind::out_of_bounds, instruction);
  result.message = fmt::format(
      "{}{}{} of local memory {} past the end of the {}-byte array {}: element {} of {}.",
      capital(names_.thread(thread)), verb(access), bytes_text(bytes),
      bytes_text(offset + bytes - array.high), array.high - array.low, array.name,
      (offset - array.low) / array.element, (array.high - array.low) / array.element);
  stop(std::move(result), error_illegal_address);
}

void FindingLog::bad_free(const ThreadId& thread, std::uint32_t instruction,
                          DeviceAddress address) {
  const Allocation* block = memory_.nearest(address);
  const bool twice =
      block && block->begin == address && !block->live && block->origin == Allocation::Origin::heap;
  if (!twice) {
    bad_instruction(thread, instruction,
                    "frees " + hexadecimal(address) + ", which malloc has not given a kernel",
                    error_launch_failure);
  }
  Finding result = finding(FindingKind::double_free, instruction);
  result.message = capital(names_.thread(thread)) + " frees " + hexadecimal(address) + ", " +
                   allocation_title(*block) + ", which has been freed already.";
  stop(std::move(result), error_launch_failure);
}

void FindingLog::bad_instruction(const ThreadId& thread, std::uint32_t instruction,
                                 const std::string& what, int error) {
  Finding result = finding(FindingKind::invalid_instruction, instruction);
  result.message = capital(names_.thread(thread)) + " " + what + ".";
  stop(std::move(result), error);
}

}  // namespace gridstride::sim
