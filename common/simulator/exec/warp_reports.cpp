// What the user is told about shuffles, votes and warp barriers that not the right threads take
// part in.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include "common/simulator/exec/finding_words.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/value_uses.h"

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

std::string GridRun::operation_title(std::uint32_t index) const {
  if (!kernel.origins[index].instruction && kernel.code[index].control == Control::warp_sync) {
    ++index;  // lanes meet for the instruction behind
  }
  const ptx::Instruction* instruction = kernel.origins[index].instruction;
  return instruction ? cuda_name(*instruction) : std::string("jump");
}

void GridRun::wrong_mask(const Warp& warp, const Inst& inst, std::uint32_t lane, LaneMask members) {
  auto result = new_finding(FindingKind::wrong_mask, inst.source, inst.source);
  if (!result) return;
  result->other = {};
  std::string who = title(warp, lane);
  who[0] = 'T';
  result->message = who + " executes " + operation_title(inst.source) + " with the mask " +
                    mask_text(members) + ", in which it, lane " + std::to_string(lane) +
                    ", is missing. What comes of it is not defined: a mask names every thread that "
                    "gets there. Take it with __ballot_sync() before the branch.";
  findings_.push_back(std::move(*result));
}

bool GridRun::uses_result(std::uint32_t index) {
  const auto [known, is_new] = uses_result_.try_emplace(index, true);
  if (is_new) {
    const Origin& origin = kernel.origins[index];
    const ptx::Function& function = *origin.function->function;
    known->second = is_surely_used(
        function, static_cast<std::size_t>(origin.instruction - function.body.data()));
  }
  return known->second;
}

void GridRun::inactive_lane(const Warp& warp, const Inst& inst, std::uint32_t lane,
                            std::uint32_t from) {
  if (!uses_result(inst.source)) return;
  auto result = new_finding(FindingKind::inactive_lane, inst.source, inst.source);
  if (!result) return;
  result->other = {};
  const LaneMask members = row<std::uint32_t>(warp.registers, inst.d)[lane];
  std::string why;
  if (!(warp.present >> from & 1)) {
    why = "which the block does not have: its last warp has " +
          std::to_string(std::popcount(warp.present)) + " threads";
  } else if (!(warp.live >> from & 1)) {
    why = "which has ended";
  } else if (!(members >> from & 1)) {
    why = "which the mask " + mask_text(members) + " does not name";
  } else {
    why = "which has not come";
  }
  std::string who = title(warp, lane);
  who[0] = 'T';
  result->message = who + " takes a value from lane " + std::to_string(from) + " of its warp by " +
                    operation_title(inst.source) + ", " + why +
                    ". What it gets is not defined: all lanes that are read must take part, or the "
                    "width must keep the others out.";
  findings_.push_back(std::move(*result));
}

}  // namespace gridstride::sim
