// What the user is told when a kernel does something it must not.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/exec/block.h"
#include "common/simulator/exec/finding_words.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/inlining_words.h"

namespace gridstride::sim {
namespace {

std::string capital(std::string sentence) {
  if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z') {
    sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
  }
  return sentence;
}

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

/// What the budget is in modelled time.
std::string issue_time_text(const GridRequest& request) {
  if (request.issue_rate <= 0) return "";
  char text[64];
  std::snprintf(text, sizeof text, ", at least %.2g s of modelled time",
                static_cast<double>(request.instruction_budget) / request.issue_rate);
  return text;
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
      text += ": element " + std::to_string((address - nearest.begin) / bytes) + " of " +
              std::to_string(nearest.size / bytes);
    }
  } else {
    text =
        bytes_text(nearest.begin - address) + " before the start of " + allocation_title(nearest);
  }
  if (!nearest.live) text += ", which has been freed";
  return text;
}

}  // namespace

const Origin& GridRun::origin_of(std::uint32_t index) const {
  // A jump that the layout added stands for the instruction before it, a meeting of lanes for the
  // one behind it.
  if (!kernel.origins[index].instruction && kernel.code[index].control == Control::warp_sync) {
    ++index;
  }
  while (index > 0 && !kernel.origins[index].instruction) --index;
  return kernel.origins[index];
}

const ptx::Location& GridRun::location(std::uint32_t index) const {
  static const ptx::Location nowhere;
  const ptx::Instruction* instruction = origin_of(index).instruction;
  return instruction ? instruction->location : nowhere;
}

const std::string& GridRun::file_name(std::uint32_t number) const {
  static const std::string none;
  const auto& files = program.module.files;
  return number < files.size() ? files[number] : none;
}

SourcePosition GridRun::line_of(std::uint32_t index) const {
  const ptx::Location& at = location(index);
  return {file_name(at.file), at.own_line};
}

SourcePosition GridRun::position(std::uint32_t index) const {
  SourcePosition result = line_of(index);
  const Origin& origin = origin_of(index);
  if (!origin.instruction) return result;
  result.inlined = inlining_text(origin.instruction->location, origin.function->function->calls,
                                 program.module.files);
  return result;
}

std::string GridRun::text_of(const Dim3& index) {
  return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " +
         std::to_string(index.z) + ")";
}

std::string GridRun::title(std::uint64_t block, std::uint32_t thread) const {
  const Dim3& extent = request.block;
  const Dim3 at{thread % extent.x, thread / extent.x % extent.y, thread / extent.x / extent.y};
  return "thread " + text_of(at) + " of block " + text_of(block_index(block));
}

Dim3 GridRun::block_index(std::uint64_t linear) const {
  const Dim3& extent = request.grid;
  return {static_cast<std::uint32_t>(linear % extent.x),
          static_cast<std::uint32_t>(linear / extent.x % extent.y),
          static_cast<std::uint32_t>(linear / extent.x / extent.y)};
}

std::string GridRun::title(const Warp& warp, std::uint32_t lane) const {
  return title(warp.block->linear, warp.index * warp_size + lane);
}

std::string GridRun::threads_title(const std::vector<std::uint32_t>& threads) {
  std::vector<std::uint32_t> sorted = threads;
  std::ranges::sort(sorted);
  std::string text = sorted.size() == 1 ? "thread " : "threads ";
  constexpr std::size_t most = 4;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t last = i;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) ++last;
    if (runs == most) return text + " and others";
    if (runs++ > 0) text += ", ";
    text += std::to_string(sorted[i]);
    if (last > i) text += " to " + std::to_string(sorted[last]);
    i = last + 1;
  }
  return text;
}

Finding GridRun::finding(FindingKind kind, std::uint32_t instruction) const {
  Finding result;
  result.kind = kind;
  result.kernel = kernel.name;
  result.where = position(instruction);
  return result;
}

void GridRun::stop(Finding what, int error) {
  end_ = std::move(what);
  error_ = error;
  throw GridStop{};
}

void GridRun::bad_global(const Warp& warp, const Inst& inst, std::uint32_t lane,
                         DeviceAddress address, std::uint32_t bytes, Access access) {
  const Allocation* nearest = memory.nearest(address);
  const bool inside_freed = nearest && !nearest->live && address >= nearest->begin &&
                            address - nearest->begin < nearest->size;
  FindingKind kind = FindingKind::out_of_bounds;
  std::string where;
  if (address < 4096) {
    where = address == 0 ? "a null pointer" : "a null pointer with an index";
  } else if (looks_like_host(address)) {
    kind = FindingKind::host_pointer;
    where = "an address of the host. A kernel needs memory of the device: cudaMalloc it, and copy";
  } else if (inside_freed) {
    kind = FindingKind::use_after_free;
    where = bytes_text(address - nearest->begin) + " into " + allocation_title(*nearest) +
            ", which has been freed";
  } else if (nearest) {
    where = place(*nearest, address, bytes);
  } else {
    where = "where nothing was ever allocated";
  }
  Finding result = finding(kind, inst.source);
  result.message = capital(title(warp, lane)) + verb(access) + bytes_text(bytes) + " at " +
                   hexadecimal(address) + ", " + where + ".";
  stop(std::move(result), 700);
}

void GridRun::misaligned(const Warp& warp, const Inst& inst, std::uint32_t lane,
                         std::uint64_t address, std::uint32_t bytes, Access access,
                         const char* space) {
  Finding result = finding(FindingKind::misaligned, inst.source);
  result.message = capital(title(warp, lane)) + verb(access) + bytes_text(bytes) + " of " + space +
                   " memory at " + hexadecimal(address) + ", which is not a multiple of " +
                   std::to_string(bytes) + ".";
  stop(std::move(result), 716);
}

void GridRun::bad_shared(const Warp& warp, const Inst& inst, std::uint32_t lane,
                         std::uint64_t offset, std::uint32_t bytes, Access access,
                         std::int32_t variable) {
  Finding result = finding(FindingKind::out_of_bounds, inst.source);
  std::string where;
  if (variable >= 0) {
    const SharedVariable& array = kernel.shared[static_cast<std::size_t>(variable)];
    const std::uint32_t size = array.bytes != 0 ? array.bytes : shared_bytes - array.offset;
    const auto relative =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(offset) - array.offset);
    const std::string owner = "the " + std::to_string(size) + "-byte " +
                              (array.bytes == 0 ? "dynamic " : "") + "array " + array.name;
    if (relative < 0) {
      where = bytes_text(static_cast<std::uint64_t>(-std::int64_t{relative})) +
              " before the start of " + owner;
    } else {
      where = bytes_text(static_cast<std::uint64_t>(std::int64_t{relative} + bytes - size)) +
              " past the end of " + owner + ": element " +
              std::to_string(static_cast<std::uint32_t>(relative) / bytes) + " of " +
              std::to_string(size / bytes);
    }
  } else {
    where = "offset " + hexadecimal(offset) + " of a block that has " + bytes_text(shared_bytes);
  }
  result.message = capital(title(warp, lane)) + verb(access) + bytes_text(bytes) +
                   " of shared memory " + (variable >= 0 ? "" : "at ") + where + ".";
  stop(std::move(result), 700);
}

void GridRun::bad_local(const Warp& warp, const Inst& inst, std::uint32_t lane,
                        std::uint64_t offset, std::uint32_t bytes, Access access) {
  Finding result = finding(FindingKind::out_of_bounds, inst.source);
  const std::uint32_t top = warp.frame->local_base + warp.frame->function->frame.local_bytes;
  result.message = capital(title(warp, lane)) + verb(access) + bytes_text(bytes) +
                   " of a local array out of bounds: byte " +
                   std::to_string(static_cast<std::int64_t>(offset) - warp.frame->local_base) +
                   " of the " + std::to_string(top - warp.frame->local_base) +
                   " that the function has.";
  stop(std::move(result), 700);
}

void GridRun::bad_free(const Warp& warp, const Inst& inst, std::uint32_t lane,
                       DeviceAddress address) {
  const Allocation* block = memory.nearest(address);
  const bool twice =
      block && block->begin == address && !block->live && block->origin == Allocation::Origin::heap;
  if (!twice) {
    bad_instruction(warp, inst, 1u << lane,
                    "frees " + hexadecimal(address) + ", which malloc has not given a kernel", 719);
  }
  Finding result = finding(FindingKind::double_free, inst.source);
  result.message = capital(title(warp, lane)) + " frees " + hexadecimal(address) + ", " +
                   allocation_title(*block) + ", which has been freed already.";
  stop(std::move(result), 719);
}

void GridRun::bad_instruction(const Warp& warp, const Inst& inst, LaneMask lanes,
                              const std::string& what, int error) {
  Finding result = finding(FindingKind::invalid_instruction, inst.source);
  result.message =
      capital(title(warp, static_cast<std::uint32_t>(std::countr_zero(lanes)))) + " " + what + ".";
  stop(std::move(result), error);
}

void GridRun::check_budget(const Warp* where) {
  if (request.instruction_budget == 0) return;
  const std::uint64_t sum = std::max(issued(), finished_blocks_);
  if (sum <= request.instruction_budget) return;
  Finding result;
  result.kind = FindingKind::timeout;
  result.kernel = kernel.name;
  result.message = "The kernel was stopped at the limit of one launch: " +
                   std::to_string(request.instruction_budget) + " warp instructions" +
                   issue_time_text(request) + ".";
  if (where && !where->groups.empty()) {
    const Group& group = where->groups[std::min(where->current, where->groups.size() - 1)];
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(group.mask));
    result.where = position(static_cast<std::uint32_t>(group.pc));
    result.message += " " + capital(title(*where, lane)) + " was in a loop; does it ever end?";
  }
  if (!request.limit_advice.empty()) result.message += " " + std::string(request.limit_advice);
  stop(std::move(result), 702);
}

}  // namespace gridstride::sim
