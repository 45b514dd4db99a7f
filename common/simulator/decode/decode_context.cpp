// Layout of one function's registers, constants, special registers, local and parameter variables.
#include "common/simulator/decode/decode_context.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/simulator/analysis/guessing_loads.h"
#include "common/simulator/analysis/register_uses.h"
#include "common/simulator/base/round_up.h"
#include "common/simulator/base/unsupported.h"
#include "common/simulator/decode/local_arrays.h"

namespace gridstride::sim {
namespace {

using ptx::Operand;
using ptx::Type;

std::uint32_t lane_bytes(Type type) {
  const std::size_t bytes = ptx::size_of(type);
  if (bytes > 8) throw Unsupported(std::string("values of type ") + ptx::name_of(type));
  return type == Type::pred ? 0 : bytes == 8 ? 8 : 4;
}

// What one thread, or one warp, can ask for: several times what compiled kernels do, and little
// enough that no text makes the simulator run out of memory.
constexpr std::uint32_t most_local = 64 << 10;
constexpr std::uint32_t most_params = 32 << 10;
constexpr std::uint32_t most_registers = 4 << 20;

struct SpecialName {
  const char* name;
  Special special;
  std::uint32_t bytes;
};
constexpr SpecialName special_names[] = {
    {"%tid", Special::tid, 4},
    {"%ntid", Special::ntid, 4},
    {"%ctaid", Special::ctaid, 4},
    {"%nctaid", Special::nctaid, 4},
    {"%laneid", Special::laneid, 4},
    {"%warpid", Special::warpid, 4},
    {"%nwarpid", Special::nwarpid, 4},
    {"%smid", Special::smid, 4},
    {"%nsmid", Special::nsmid, 4},
    {"%gridid", Special::gridid, 8},
    {"%lanemask_eq", Special::lanemask_eq, 4},
    {"%lanemask_le", Special::lanemask_le, 4},
    {"%lanemask_lt", Special::lanemask_lt, 4},
    {"%lanemask_ge", Special::lanemask_ge, 4},
    {"%lanemask_gt", Special::lanemask_gt, 4},
    {"%dynamic_smem_size", Special::dynamic_smem_size, 4},
    {"%total_smem_size", Special::total_smem_size, 4},
    {"%aggr_smem_size", Special::total_smem_size, 4},
    {"%clusterid", Special::ctaid, 4},
    {"%nclusterid", Special::nctaid, 4},
    {"%cluster_ctaid", Special::zero, 4},
    {"%cluster_nctaid", Special::one, 4},
    {"%cluster_ctarank", Special::zero, 4},
    {"%cluster_nctarank", Special::one, 4},
    {"%is_explicit_cluster", Special::zero, 0},
    {"%reserved_smem_offset_begin", Special::zero, 4},
    {"%reserved_smem_offset_0", Special::zero, 4},
    {"%reserved_smem_offset_1", Special::reserved_middle, 4},
    {"%reserved_smem_offset_end", Special::reserved_end, 4},
    {"%reserved_smem_offset_cap", Special::reserved_end, 4},
    {"%clock", Special::clock, 4},
    {"%clock_hi", Special::clock_hi, 4},
    {"%clock64", Special::clock64, 8},
    {"%globaltimer", Special::globaltimer, 8},
    {"%globaltimer_lo", Special::globaltimer_lo, 4},
    {"%globaltimer_hi", Special::globaltimer_hi, 4},
};

bool is_volatile(Special special) {
  return special >= Special::clock && special <= Special::globaltimer_hi;
}

/// Bits of an immediate read as `type`.
std::uint64_t immediate_bits(const Operand& operand, Type type) {
  std::uint64_t bits = operand.bits;
  if (operand.is_float && operand.float_bytes == 8 && type == Type::f32) {
    bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  } else if (operand.is_float && operand.float_bytes == 4 && type == Type::f64) {
    bits = std::bit_cast<std::uint64_t>(
        static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
  }
  return bits;
}

}  // namespace

ProgramContext::ProgramContext(KernelCode& kernel, FunctionCode& function,
                               const KernelSymbols& symbols,
                               const std::vector<RegisterOrigin>& origins)
    : kernel_(kernel), function_(function), symbols_(symbols), origins_(origins) {
  const ptx::Function& source = *function.function;
  registers_.assign(source.registers.size(), no_register);
  for (const ptx::Variable& variable : source.variables) {
    if (variable.space == ptx::Space::local) {
      FrameLayout& frame = function_.frame;
      frame.local_bytes = round_up(frame.local_bytes, alignment_of(variable));
      locals_[variable.name] = frame.local_bytes;
      frame.local_bytes = sum_of(frame.local_bytes, variable, most_local, "local memory");
    }
  }
  local_arrays_ = local_arrays_of(source, locals_, kernel_.local_arrays);
  const auto place = [&](const ptx::Variable& variable) {
    FrameLayout& frame = function_.frame;
    frame.param_bytes = round_up(frame.param_bytes, 8);
    const ParamSlot slot{frame.param_bytes, static_cast<std::uint32_t>(variable.size)};
    frame.param_bytes = sum_of(frame.param_bytes, variable, most_params, "parameters");
    params_[variable.name] = slot;
    return slot;
  };
  for (const ptx::Variable& variable : source.variables) {
    if (variable.space == ptx::Space::param) place(variable);
  }
  if (!source.is_kernel) {
    for (const ptx::Variable& variable : source.parameters) {
      function_.parameters.push_back(place(variable));
    }
    for (const ptx::Variable& variable : source.results) {
      function_.results.push_back(place(variable));
    }
  }
  function_.frame.param_bytes = round_up(function_.frame.param_bytes, 8);
  function_.frame.local_end = function_.frame.local_bytes;
  function_.frame.local_bytes = round_up(function_.frame.local_bytes, 16);
}

VectorRegister ProgramContext::add_register(std::uint32_t bytes) {
  const VectorRegister result = used_;
  used_ += std::max(bytes * warp_size, register_alignment);
  return result;
}

const ptx::Register& ProgramContext::register_of(const Operand& operand) const {
  return function_.function->registers.at(static_cast<std::size_t>(operand.index));
}

std::uint32_t ProgramContext::lane_bytes_of(const Operand& operand, Type type) const {
  if (operand.kind == Operand::Kind::reg || operand.kind == Operand::Kind::address) {
    return lane_bytes(register_of(operand).type);
  }
  return lane_bytes(type);
}

VectorRegister ProgramContext::vector_register_of(const Operand& operand, Type type) {
  const ptx::Register& reg = register_of(operand);
  if (lane_bytes(reg.type) < lane_bytes(type) || (reg.type == Type::pred) != (type == Type::pred)) {
    throw Unsupported("register " + reg.name + " of type " + ptx::name_of(reg.type) + " used as " +
                      ptx::name_of(type));
  }
  VectorRegister& own = registers_.at(static_cast<std::size_t>(operand.index));
  if (own == no_register) own = add_register(lane_bytes(reg.type));
  return own;
}

VectorRegister ProgramContext::source(const Operand& operand, Type type) {
  VectorRegister result = no_register;
  switch (operand.kind) {
    case Operand::Kind::reg:
      result = vector_register_of(operand, type);
      break;
    case Operand::Kind::immediate:
      result = constant(immediate_bits(operand, type), type);
      break;
    case Operand::Kind::special:
      result = special(operand, type);
      break;
    case Operand::Kind::symbol:
      result = symbol(operand, type);
      break;
    case Operand::Kind::address:
    case Operand::Kind::vector:
    case Operand::Kind::label:
    case Operand::Kind::sink:
      throw Unsupported("an operand of this kind");
  }
  dependences_.reads.push_back(result);
  return result;
}

VectorRegister ProgramContext::destination(const Operand& operand, Type type) {
  VectorRegister result = no_register;
  if (operand.kind == Operand::Kind::sink) {
    result = add_register(lane_bytes(type));
  } else if (operand.kind == Operand::Kind::reg) {
    result = vector_register_of(operand, type);
  } else {
    throw Unsupported("a destination that is not a register");
  }
  dependences_.writes.push_back(result);
  return result;
}

VectorRegister ProgramContext::second_destination(const Operand& operand) {
  if (operand.second_index < 0) return no_register;
  Operand second;
  second.kind = Operand::Kind::reg;
  second.index = operand.second_index;
  return destination(second, Type::pred);
}

VectorRegister ProgramContext::constant(std::uint64_t bits, Type type) {
  const std::uint32_t bytes = lane_bytes(type);
  const std::size_t width = ptx::size_of(type);
  if (type == Type::pred) {
    bits = bits != 0 ? full_mask : 0;
  } else if (width < 8) {
    bits &= (std::uint64_t{1} << (8 * width)) - 1;
  }
  const auto [it, is_new] = constants_.try_emplace({bits, bytes}, no_register);
  if (is_new) {
    it->second = add_register(bytes);
    function_.frame.constants.push_back({it->second, static_cast<std::uint8_t>(bytes), bits});
  }
  return it->second;
}

VectorRegister ProgramContext::carry_flag() {
  if (carry_ == no_register) carry_ = add_register(0);
  return carry_;
}

void* ProgramContext::allocate(std::size_t bytes) {
  kernel_.storage.push_back(std::make_unique<std::byte[]>(bytes));
  return kernel_.storage.back().get();
}

VectorRegister ProgramContext::special_register(Special kind, std::uint32_t component,
                                                std::uint32_t bytes) {
  const auto [it, is_new] = specials_.try_emplace({kind, component, bytes}, no_register);
  if (is_new) it->second = add_register(bytes);
  const SpecialRegister result{it->second, static_cast<std::uint8_t>(bytes), kind, component};
  if (is_volatile(kind)) {
    kernel_.reads_clock = true;
    volatile_.push_back(result);
  } else if (is_new) {
    function_.frame.specials.push_back(result);
  }
  return it->second;
}

VectorRegister ProgramContext::special(const Operand& operand, Type type) {
  const std::uint32_t bytes = lane_bytes(type);
  const std::string& name = operand.name;
  if (name.starts_with("%envreg")) {
    const auto number = static_cast<std::uint32_t>(std::stoul(name.substr(7)));
    kernel_.uses_grid_workspace |= number == 1 || number == 2;
    return special_register(Special::envreg, number, bytes);
  }
  const std::size_t dot = name.find('.');
  const std::string base = name.substr(0, dot);
  for (const SpecialName& known : special_names) {
    if (base != known.name) continue;
    std::uint32_t component = 0;
    if (dot != std::string::npos) {
      const std::string axis = name.substr(dot + 1);
      if (axis != "x" && axis != "y" && axis != "z") break;
      component = static_cast<std::uint32_t>(axis[0] - 'x');
    }
    return special_register(known.special, component, bytes);
  }
  throw Unsupported("the special register " + name);
}

VectorRegister ProgramContext::symbol(const Operand& operand, Type type) {
  const auto offset = static_cast<std::uint64_t>(operand.offset);
  if (const auto local = locals_.find(operand.name); local != locals_.end()) {
    // Its address depends on how deep the call is.
    return special_register(Special::local_address,
                            local->second + static_cast<std::uint32_t>(offset), lane_bytes(type));
  }
  if (const auto it = symbols_.addresses.find(operand.name); it != symbols_.addresses.end()) {
    return constant(it->second + offset, type);
  }
  if (const auto it = symbols_.functions.find(operand.name); it != symbols_.functions.end()) {
    return constant(function_address_base + it->second, type);
  }
  throw Unsupported("the address of '" + operand.name + "'");
}

std::uint32_t ProgramContext::stack_area(std::uint32_t bytes) {
  std::uint32_t& local_bytes = function_.frame.local_bytes;
  if (!stack_area_) {
    stack_area_ = round_up(local_bytes, 16);
    local_bytes = function_.frame.local_end = *stack_area_ + bytes;
  }
  return *stack_area_;
}

bool ProgramContext::is_read(const Operand& operand) {
  const ptx::Function& function = *function_.function;
  if (read_.empty()) {
    read_.resize(function.registers.size());
    for (const ptx::Instruction& instruction : function.body) {
      each_source(instruction,
                  [&](std::int32_t index) { read_.at(static_cast<std::size_t>(index)) = true; });
    }
  }
  return read_.at(static_cast<std::size_t>(operand.index));
}

bool ProgramContext::is_guess(const ptx::Instruction& instruction) {
  const ptx::Function& function = *function_.function;
  if (!guesses_) guesses_ = guessing_loads(function);
  return !guesses_->empty() &&
         guesses_->contains(static_cast<std::size_t>(&instruction - function.body.data()));
}

const Definitions& ProgramContext::definitions() {
  if (!definitions_) definitions_.emplace(*function_.function);
  return *definitions_;
}

MemoryOperand ProgramContext::memory(const Operand& operand) {
  MemoryOperand result;
  result.offset = operand.offset;
  if (operand.index >= 0) {
    Operand base = operand;
    base.kind = Operand::Kind::reg;
    result.base_bytes = lane_bytes_of(base, Type::b64);
    result.base = source(base, result.base_bytes == 8 ? Type::b64 : Type::b32);
    const RegisterOrigin& origin = origins_.at(static_cast<std::size_t>(operand.index));
    result.variable = origin.variable;
    result.uniform = origin.uniform;
    return result;
  }
  result.uniform = true;
  if (operand.name.empty()) {
    result.offset =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(operand.offset) + operand.bits);
    return result;
  }
  result.variable = operand.name;
  if (locals_.contains(operand.name)) {
    Operand base = operand;
    base.kind = Operand::Kind::symbol;
    base.offset = 0;
    result.base = source(base, Type::b64);
    result.uniform = false;
    return result;
  }
  const auto it = symbols_.addresses.find(operand.name);
  if (it == symbols_.addresses.end()) throw Unsupported("the variable '" + operand.name + "'");
  result.offset += static_cast<std::int64_t>(it->second);
  return result;
}

const ParamSlot* ProgramContext::frame_param(const std::string& name) const {
  const auto it = params_.find(name);
  return it == params_.end() ? nullptr : &it->second;
}

Dependences ProgramContext::take_dependences() { return std::exchange(dependences_, {}); }

void ProgramContext::finish() {
  if (used_ > most_registers) {
    throw Unsupported("a function of " + std::to_string(registers_.size()) + " registers");
  }
  function_.frame.register_bytes = used_;
  function_.registers = registers_;
  function_.locals = locals_;
}

std::uint32_t alignment_of(const ptx::Variable& variable) {
  const std::uint32_t align = std::max(variable.align, 1u);
  if (align > 1024 || !std::has_single_bit(align)) {
    throw Unsupported("the alignment of '" + variable.name + "'");
  }
  return align;
}

std::uint32_t sum_of(std::uint32_t used, const ptx::Variable& variable, std::uint32_t most,
                     const char* what) {
  if (variable.size > most || used + variable.size > most) {
    throw Unsupported("more than " + std::to_string(most) + " bytes of " + what);
  }
  return used + static_cast<std::uint32_t>(variable.size);
}

}  // namespace gridstride::sim
