// See the header.
#include "common/simulator/findings/place_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/analysis/inlining.h"
#include "common/simulator/findings/diagnostic_text.h"

namespace gridstride::sim {
namespace {

std::string cuda_name(const ptx::Instruction& instruction) {
  const auto suffix = [&](std::initializer_list<std::pair<const char*, const char*>> known) {
    for (const auto& [modifier, text] : known) {
      if (instruction.has(modifier)) return std::string(text);
    }
    return std::string();
  };
  if (instruction.opcode == "shfl") {
    return "__shfl" + suffix({{"up", "_up"}, {"down", "_down"}, {"bfly", "_xor"}}) + "_sync()";
  }
  if (instruction.opcode == "vote") {
    return "__" + suffix({{"ballot", "ballot"}, {"all", "all"}, {"any", "any"}, {"uni", "uni"}}) +
           "_sync()";
  }
  if (instruction.opcode == "match") {
    return "__match_" + suffix({{"any", "any"}, {"all", "all"}}) + "_sync()";
  }
  if (instruction.opcode == "redux") {
    return "__reduce_" +
           suffix({{"add", "add"},
                   {"min", "min"},
                   {"max", "max"},
                   {"and", "and"},
                   {"or", "or"},
                   {"xor", "xor"}}) +
           "_sync()";
  }
  if (instruction.opcode == "bar" && instruction.has("warp")) return "__syncwarp()";
  return instruction.full_name();
}

}  // namespace

const Origin& PlaceNames::origin_of(std::uint32_t index) const {
  // A jump that the layout added stands for the instruction before it, a convergence barrier for
  // the one behind it.
  if (!kernel_.origins[index].instruction && kernel_.code[index].control == Control::warp_sync) {
    ++index;
  }
  while (index > 0 && !kernel_.origins[index].instruction) --index;
  return kernel_.origins[index];
}

const ptx::Location& PlaceNames::location(std::uint32_t index) const {
  static const ptx::Location nowhere;
  const ptx::Instruction* instruction = origin_of(index).instruction;
  return instruction ? instruction->location : nowhere;
}

const std::string& PlaceNames::file_name(std::uint32_t number) const {
  static const std::string none;
  const auto& files = program_.module.files;
  return number < files.size() ? files[number] : none;
}

SourcePosition PlaceNames::line_of(std::uint32_t index) const {
  const ptx::Location& at = location(index);
  return {file_name(at.file), at.own_line};
}

SourcePosition PlaceNames::position(std::uint32_t index) const {
  SourcePosition result = line_of(index);
  const Origin& origin = origin_of(index);
  if (!origin.instruction) return result;
  result.inlined = inlining_text(origin.instruction->location, origin.function->function->calls,
                                 program_.module.files);
  return result;
}

std::string PlaceNames::index(const Dim3& of) {
  return fmt::format("({}, {}, {})", of.x, of.y, of.z);
}

std::string PlaceNames::thread(const ThreadId& id) const {
  return "thread " + index(index_in(block_, id.thread)) + " of block " + block(id.block);
}

std::string PlaceNames::block(std::uint64_t linear) const { return index(index_in(grid_, linear)); }

std::string PlaceNames::threads(const std::vector<std::uint32_t>& threads) {
  std::vector<std::uint32_t> sorted = threads;
  std::ranges::sort(sorted);
  sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
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

std::string PlaceNames::threads(const std::vector<std::uint32_t>& threads, const char* one_does,
                                const char* several_do) {
  const bool one =
      std::ranges::adjacent_find(threads, std::ranges::not_equal_to()) == threads.end();
  return PlaceNames::threads(threads) + " " + (one ? one_does : several_do);
}

std::string PlaceNames::global_memory(std::uint64_t address, std::uint32_t width) const {
  const Allocation* allocation = memory_.find(address);
  if (!allocation) return "global memory at " + hexadecimal(address);
  return fmt::format("element {} (of {}, at {}) of {}", (address - allocation->begin) / width,
                     bytes_text(width), hexadecimal(address), allocation_title(*allocation));
}

std::string PlaceNames::shared_memory(std::uint64_t offset, std::uint32_t width) const {
  for (const SharedVariable& variable : kernel_.shared) {
    const std::uint32_t size =
        variable.bytes != 0 ? variable.bytes : shared_bytes_ - variable.offset;
    if (offset - variable.offset >= size) continue;
    return fmt::format("{}, element {} of {}, at offset {} of shared memory", variable.name,
                       (offset - variable.offset) / std::max(width, 1u), bytes_text(width),
                       hexadecimal(offset));
  }
  return "shared memory at offset " + std::to_string(offset);
}

std::string PlaceNames::operation(std::uint32_t index) const {
  if (!kernel_.origins[index].instruction && kernel_.code[index].control == Control::warp_sync) {
    ++index;  // a convergence barrier stands for the instruction behind it
  }
  const ptx::Instruction* instruction = kernel_.origins[index].instruction;
  return instruction ? cuda_name(*instruction) : std::string("jump");
}

}  // namespace gridstride::sim
