// From functions of PTX to the code of one kernel: shared memory is laid out, basic blocks are put
// into program order, each instruction goes to the decoder of its opcode.
#include "common/simulator/decode/kernel_builder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/simulator/analysis/atomic_results.h"
#include "common/simulator/analysis/barrier_post_dominators.h"
#include "common/simulator/analysis/basic_blocks.h"
#include "common/simulator/analysis/joined_instructions.h"
#include "common/simulator/analysis/merged_accesses.h"
#include "common/simulator/analysis/opcodes.h"
#include "common/simulator/analysis/program_order.h"
#include "common/simulator/analysis/waiting_loads.h"
#include "common/simulator/base/round_up.h"
#include "common/simulator/base/unsupported.h"
#include "common/simulator/program/call_site.h"
#include "common/simulator/program/memory_use.h"
#include "common/simulator/program/pseudo_instructions.h"
#include "common/simulator/program/sync_operation.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;

/// Special registers that say where it lies: from this name up to that.
constexpr char reserved_names[] = "%reserved_smem_offset_";
constexpr char reserved_names_end[] = "%reserved_smem_offset`";

constexpr std::uint32_t recursive_stack = 16 << 10;  // bytes of local memory of a thread
constexpr std::uint32_t most_stack = 64 << 10;
constexpr std::uint32_t most_arguments = 32764;  // as the hardware's driver has it
constexpr std::uint32_t most_shared = 227 << 10;

/// Loads, stores and atomics in shared memory, or in a space that is known only when they run.
bool may_be_shared(const Instruction& instruction) {
  for (const std::string_view other :
       {"global", "const", "local", "param", "param::entry", "param::func"}) {
    if (instruction.has(other)) return false;
  }
  return has_trait(instruction, trait::sets_granule);
}

/// Whether the instruction polls, changes nothing, and what it reads decides whether a loop goes on.
bool waits_only(const ptx::Function& function, const Instruction& instruction, const Inst& inst) {
  const bool load =
      instruction.opcode == "ld" &&
      (instruction.has("volatile") || instruction.has("relaxed") || instruction.has("acquire"));
  // Of an atomic operation there is a register only where it adds 0.
  const bool atomic =
      instruction.opcode == "atom" && (instruction.has("add") || instruction.has("or"));
  if ((!load && !atomic) || !inst.extra) return false;
  const bool polls = use_of(inst).polls && use_of(inst).registers[0] != no_register;
  return polls && inst.count == 1 && inst.width >= 4 &&
         only_decides_branches(function,
                               static_cast<std::size_t>(&instruction - function.body.data()));
}

class KernelBuilder {
 public:
  KernelBuilder(const Program& program, const KernelSymbols& symbols, KernelCode& out)
      : module_(program.module), symbols_(symbols), out_(out) {}

  void build(std::uint32_t function) {
    out_.kernel = &module_.functions[function];
    collect(function);
    refuse_directives();
    lay_out_parameters();
    lay_out_shared();
    std::vector<std::unique_ptr<ProgramContext>> contexts;
    std::vector<std::vector<RegisterOrigin>> origins(out_.functions.size());
    for (std::size_t i = 0; i < out_.functions.size(); ++i) {
      origins[i] = register_origins(*out_.functions[i]->function);
      contexts.push_back(
          std::make_unique<ProgramContext>(out_, *out_.functions[i], symbols_, origins[i]));
    }
    std::vector<const ptx::Function*> functions;
    for (const auto& code : out_.functions) functions.push_back(code->function);
    waiting_ = barrier_functions(functions);
    for (std::size_t i = 0; i < out_.functions.size(); ++i) {
      decode(*out_.functions[i], *contexts[i], origins[i]);
      contexts[i]->finish();
    }
    const std::set<std::uint8_t> sizes(out_.atomic_bytes.begin(), out_.atomic_bytes.end());
    out_.atomics_differ = sizes.size() - sizes.count(0) > 1;
    find_runs();
    size_local_stack();
    out_.phases = phases_of(out_);
    out_.branches = branch_forms_of(out_);
  }

 private:
  /// The kernel, what it calls, what those call, and with a call by pointer whatever has an
  /// address.
  void collect(std::uint32_t kernel) {
    std::vector<std::uint32_t> pending{kernel};
    std::set<std::uint32_t> seen{kernel};
    const auto add = [&](const std::string& name) {
      const auto it = symbols_.functions.find(name);
      if (it == symbols_.functions.end()) return;
      const ptx::Function& function = module_.functions[it->second];
      if (!function.is_extern && !function.is_kernel && seen.insert(it->second).second) {
        pending.push_back(it->second);
      }
    };
    bool by_pointer = false;
    for (std::size_t next = 0; next < pending.size(); ++next) {
      auto code = std::make_unique<FunctionCode>();
      code->function = &module_.functions[pending[next]];
      for (const Instruction& instruction : code->function->body) {
        if (instruction.opcode == "call") {
          const Operand& callee = instruction.operands.at(1);
          by_pointer |= callee.kind == Operand::Kind::reg;
          if (callee.kind == Operand::Kind::symbol) add(callee.name);
        } else {
          for (const Operand& operand : instruction.operands) {
            if (operand.kind == Operand::Kind::symbol) add(operand.name);
          }
        }
      }
      out_.by_index[pending[next]] = code.get();
      out_.functions.push_back(std::move(code));
      if (by_pointer && next + 1 == pending.size()) {
        for (const ptx::Variable& variable : module_.variables) {
          for (const auto& relocation : variable.relocations) add(relocation.symbol);
        }
        // A pointer may also have been made by another kernel.
        for (const ptx::Function& other : module_.functions) {
          if (!other.is_kernel) continue;
          for (const Instruction& instruction : other.body) {
            if (instruction.opcode == "call") continue;
            for (const Operand& operand : instruction.operands) {
              if (operand.kind == Operand::Kind::symbol) add(operand.name);
            }
          }
        }
      }
    }
  }

  /// Of what the parser has read past, for the other kernels' sake.
  void refuse_directives() const {
    if (const std::uint32_t blocks = out_.kernel->cluster_blocks; blocks > 1) {
      throw Unsupported(
          "a cluster of " + std::to_string(blocks) + " blocks (__cluster_dims__)", out_.name,
          "its blocks would share their shared memory; launch the kernel without clusters, "
          "or run it on a GPU. The other kernels of the file run here");
    }
    for (const auto& code : out_.functions) {
      const std::string& unknown = code->function->unknown_directive;
      if (!unknown.empty()) throw Unsupported("the PTX directive '" + unknown + "'", out_.name);
    }
  }

  void lay_out_parameters() {
    std::uint32_t offset = 0;
    for (const ptx::Variable& parameter : out_.kernel->parameters) {
      const std::uint32_t align = alignment_of(parameter);
      offset = round_up(offset, align);
      out_.parameters.push_back({offset, static_cast<std::uint32_t>(parameter.size)});
      symbols_.addresses[parameter.name] = offset;
      offset = sum_of(offset, parameter, most_arguments, "kernel parameters");
    }
    out_.argument_bytes = offset;
  }

  /// What CUDA reserves first, where it is asked for; then static variables, by alignment as they
  /// come; all extern arrays begin behind them.
  void lay_out_shared() {
    std::vector<const ptx::Variable*> dynamic;
    const auto place = [&](const ptx::Variable& variable) {
      if (variable.space != ptx::Space::shared) return;
      if (variable.is_extern && variable.size == 0) {
        dynamic.push_back(&variable);
        return;
      }
      const std::uint32_t align = alignment_of(variable);
      out_.static_shared = round_up(out_.static_shared, align);
      symbols_.addresses[variable.name] = out_.static_shared;
      out_.shared.push_back({variable_title(variable.name), out_.static_shared,
                             static_cast<std::uint32_t>(variable.size)});
      out_.shared_index[variable.name] = static_cast<std::int32_t>(out_.shared.size()) - 1;
      out_.static_shared =
          sum_of(out_.static_shared, variable, most_shared, "shared memory in a block");
    };
    std::set<std::string> used;
    for (const auto& code : out_.functions) {
      for (const Instruction& instruction : code->function->body) {
        for (const Operand& operand : instruction.operands) {
          if (!operand.name.empty()) used.insert(operand.name);
        }
      }
    }
    if (used.lower_bound(reserved_names) != used.lower_bound(reserved_names_end)) {
      out_.reserved_shared = reserved_shared_bytes;
      out_.static_shared = reserved_shared_bytes;
      out_.shared.push_back({"what CUDA reserves", 0, reserved_shared_bytes});
    }
    for (const ptx::Variable& variable : module_.variables) {
      if (used.contains(variable.name)) place(variable);
    }
    for (const auto& code : out_.functions) {
      for (const ptx::Variable& variable : code->function->variables) place(variable);
    }
    std::uint32_t align = 1;
    for (const ptx::Variable* variable : dynamic) align = std::max(align, alignment_of(*variable));
    if (!dynamic.empty()) {
      out_.static_shared = round_up(out_.static_shared, align);
    }
    for (const ptx::Variable* variable : dynamic) {
      symbols_.addresses[variable->name] = out_.static_shared;
      out_.shared.push_back({variable_title(variable->name), out_.static_shared, 0});
      out_.shared_index[variable->name] = static_cast<std::int32_t>(out_.shared.size()) - 1;
    }
  }

  [[noreturn]] void refuse(const FunctionCode& code, const Instruction& instruction,
                           const std::string& what) const {
    const ptx::Location& at = instruction.location;
    std::string place = out_.name;
    if (code.function != out_.kernel) place += " (function " + demangled(code.function->name) + ")";
    if (at.line != 0 && at.file < module_.files.size()) {
      place += ", line " + std::to_string(at.line) + " of " +
               std::filesystem::path(module_.files[at.file]).filename().string();
    }
    place += " (PTX line " + std::to_string(instruction.ptx_line) + ")";
    throw Unsupported(instruction.full_name() + (what.empty() ? "" : ": " + what), place);
  }

  void emit(const Inst& inst, const Instruction* instruction, const FunctionCode& code,
            Dependences dependences) {
    out_.code.push_back(inst);
    out_.code.back().source = static_cast<std::uint32_t>(out_.code.size()) - 1;
    out_.origins.push_back({instruction, &code});
    out_.classes.push_back(instruction ? classify(*instruction) : InstructionClass{});
    out_.dependences.push_back(std::move(dependences));
    const Opcode* const opcode = instruction ? find_opcode(instruction->opcode) : nullptr;
    const bool is_atomic = opcode && opcode->memory == MemoryEffect::atomic;
    out_.only_waits.push_back(instruction && waits_only(*code.function, *instruction, inst) ? 1
                                                                                            : 0);
    out_.atomic_bytes.push_back(is_atomic ? static_cast<std::uint8_t>(inst.width) : 0);
    if (instruction && inst.width != 0 && may_be_shared(*instruction)) {
      out_.granule = std::min<std::uint32_t>(out_.granule, inst.width);
    }
  }

  void decode_one(FunctionCode& code, ProgramContext& context, const Instruction& instruction) {
    Inst inst;
    const Decoder decoder = decoder_of(instruction.opcode);
    if (!decoder) refuse(code, instruction, "");
    Dependences dependences;
    try {
      if (!decoder(instruction, context, inst)) refuse(code, instruction, "");
      if (instruction.guard >= 0) {
        Operand guard;
        guard.kind = Operand::Kind::reg;
        guard.index = instruction.guard;
        inst.guard = context.source(guard, ptx::Type::pred);
        inst.guard_negated = instruction.guard_negated;
      }
      dependences = context.take_dependences();
    } catch (const Unsupported& error) {
      if (!error.place().empty()) throw;
      refuse(code, instruction, error.feature());
    } catch (const std::out_of_range&) {
      refuse(code, instruction, "too few operands");
    }
    for (const SpecialRegister& special : context.take_volatile()) {
      auto* refreshed = context.make<SpecialRegister>();
      *refreshed = special;
      Inst refresh;
      refresh.handler = refresh.full_handler = refresh_special;
      refresh.extra = refreshed;
      emit(refresh, nullptr, code, {{}, {special.at}});
    }
    if (has_trait(instruction, trait::whole_warp)) emit_convergence_barrier(code, context, inst);
    emit(inst, &instruction, code, std::move(dependences));
  }

  /// All lanes of the warp reconverge before `next`.
  void emit_convergence_barrier(const FunctionCode& code, ProgramContext& context,
                                const Inst& next) {
    auto* operation = context.make<SyncOperation>();
    operation->apply = [](Warp&, const Inst&, LaneMask, const SyncSource&) {};
    Inst barrier;
    barrier.control = Control::warp_sync;
    barrier.handler = barrier.full_handler = [](Warp&, const Inst&, LaneMask) {};
    barrier.extra = operation;
    barrier.d = context.constant(full_mask, ptx::Type::b32);
    barrier.guard = next.guard;
    barrier.guard_negated = next.guard_negated;
    emit(barrier, nullptr, code, context.take_dependences());
  }

  void emit_jump(const FunctionCode& code, std::int32_t block,
                 std::vector<std::pair<std::size_t, std::int32_t>>& patches) {
    Inst jump;
    jump.control = Control::branch;
    emit(jump, nullptr, code, {});
    patches.push_back({out_.code.size() - 1, block});
  }

  /// Gives each post-dominator of a barrier's condition the next number of the kernel.
  std::map<std::int32_t, std::int64_t> number_post_dominators(
      const std::vector<std::int32_t>& post_dominators) {
    std::map<std::int32_t, std::int64_t> numbers;
    for (const std::int32_t block : post_dominators) {
      if (block >= 0 && numbers.try_emplace(block, out_.barrier_post_dominators).second)
        ++out_.barrier_post_dominators;
    }
    return numbers;
  }

  void decode(FunctionCode& code, ProgramContext& context,
              const std::vector<RegisterOrigin>& origins) {
    const ptx::Function& function = *code.function;
    if (uses_atomic_results(function)) out_.waits_for_atomics = true;
    const Blocks blocks = find_blocks(function);
    if (draws_work(function, blocks)) out_.draws_work = true;
    const std::vector<MergedAccess> merged = merged_accesses(function, blocks, origins);
    const std::vector<HardwareWork> works = joined_instructions(function, blocks);
    const std::vector<std::int32_t> order = program_order(blocks.successors);
    const std::vector<std::int32_t> post_dominators =
        barrier_post_dominators(function, blocks, waiting_);
    const std::map<std::int32_t, std::int64_t> post_dominator_numbers =
        number_post_dominators(post_dominators);
    std::vector<std::int32_t> entry(blocks.successors.size(), -1);
    std::vector<std::pair<std::size_t, std::int32_t>> patches;  // jump, block it goes to
    std::vector<std::pair<std::size_t, const Instruction*>> branches;
    code.entry = static_cast<std::int32_t>(out_.code.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      const auto b = static_cast<std::size_t>(order[k]);
      entry[b] = static_cast<std::int32_t>(out_.code.size());
      if (const auto here = post_dominator_numbers.find(order[k]);
          here != post_dominator_numbers.end()) {
        Inst pass;
        pass.handler = pass.full_handler = pass_barrier_post_dominator;
        pass.imm = here->second;
        emit(pass, nullptr, code, {});
      }
      for (std::int32_t i = blocks.first[b]; i < blocks.first[b + 1]; ++i) {
        const Instruction& instruction = function.body[static_cast<std::size_t>(i)];
        decode_one(code, context, instruction);
        if (post_dominators[b] >= 0 && waits_at_block_barrier(instruction, waiting_)) {
          out_.code.back().imm = post_dominator_numbers.at(post_dominators[b]) + 1;
        }
        if (const MergedAccess& access = merged[static_cast<std::size_t>(i)]; access.changed) {
          out_.code.back().flags = merged_flags(access.bytes, access.words_below);
          if (access.bytes == 0) out_.classes.back().sass_instructions = 0;
        }
        const HardwareWork work = works[static_cast<std::size_t>(i)];
        if (work == HardwareWork::nothing) take_no_slots(out_.classes.back());
        if (work == HardwareWork::half) take_slots_of_32_bits(out_.classes.back());
        if (is_branch(instruction)) branches.push_back({out_.code.size() - 1, &instruction});
      }
      if (b + 1 == blocks.successors.size()) {  // behind the last instruction
        Inst ret;
        ret.control = Control::ret;
        emit(ret, nullptr, code, {});
      } else if (blocks.falls_through[b] &&
                 (k + 1 == order.size() || order[k + 1] != order[k] + 1)) {
        emit_jump(code, static_cast<std::int32_t>(b) + 1, patches);
      }
    }
    const auto entry_of = [&](std::int32_t instruction) {
      const auto b = std::upper_bound(blocks.first.begin(), blocks.first.end() - 1, instruction) -
                     blocks.first.begin() - 1;
      return entry[static_cast<std::size_t>(b)];
    };
    for (const auto& [jump, block] : patches) {
      out_.code[jump].target = entry[static_cast<std::size_t>(block)];
    }
    for (const auto& [branch, instruction] : branches) {
      const std::vector<std::int32_t> targets = targets_of(function, *instruction);
      if (instruction->opcode == "bra") {
        out_.code[branch].target = entry_of(targets.front());
        continue;
      }
      auto* table = context.make<BranchTable>();
      auto* list =
          static_cast<std::int32_t*>(context.allocate(targets.size() * sizeof(std::int32_t)));
      std::transform(targets.begin(), targets.end(), list, entry_of);
      *table = {static_cast<std::uint32_t>(targets.size()), list};
      out_.code[branch].extra = table;
    }
  }

  void find_runs() {
    std::int32_t run = 0;
    for (std::size_t i = out_.code.size(); i-- > 0;) {
      Inst& inst = out_.code[i];
      run = inst.control == Control::none && inst.guard == no_register ? run + 1 : 0;
      inst.run = run;
    }
  }

  /// The deepest chain of calls, and a fixed size more where functions call themselves or through
  /// pointers: a large frame of one that calls them leaves as much room for them as a small one.
  void size_local_stack() {
    bool open_ended = false;
    std::map<const FunctionCode*, std::set<const FunctionCode*>> calls;
    for (std::size_t pc = 0; pc < out_.code.size(); ++pc) {
      if (out_.code[pc].control != Control::call) continue;
      const auto& site = *static_cast<const CallSite*>(out_.code[pc].extra);
      if (site.callee) {
        calls[out_.origins[pc].function].insert(site.callee);
      } else if (!site.intrinsic) {
        open_ended = true;
      }
    }
    std::set<const FunctionCode*> path;
    const std::function<std::uint32_t(const FunctionCode*)> depth =
        [&](const FunctionCode* code) -> std::uint32_t {
      if (!path.insert(code).second) {
        open_ended = true;
        return 0;
      }
      std::uint32_t deepest = 0;
      for (const FunctionCode* callee : calls[code]) deepest = std::max(deepest, depth(callee));
      path.erase(code);
      return code->frame.local_bytes + deepest;
    };
    const std::uint32_t bytes = depth(out_.functions.front().get());
    out_.local_stack =
        open_ended ? std::max(bytes, std::min(bytes + recursive_stack, most_stack)) : bytes;
    if (out_.local_stack > most_stack) {
      throw Unsupported(std::to_string(out_.local_stack) + " bytes of local memory a thread");
    }
  }

  const ptx::Module& module_;
  KernelSymbols symbols_;
  BarrierFunctions waiting_;
  KernelCode& out_;
};

}  // namespace

void build_kernel(const Program& program, std::uint32_t function, const KernelSymbols& symbols,
                  KernelCode& out) {
  try {
    KernelBuilder(program, symbols, out).build(function);
  } catch (const Unsupported& error) {
    if (!error.place().empty()) throw;
    throw Unsupported(error.feature(), out.name);
  } catch (const std::out_of_range&) {
    throw Unsupported("malformed code", out.name);
  }
}

}  // namespace gridstride::sim
