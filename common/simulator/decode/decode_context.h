// What the decoders of one kernel's instructions draw on: vector registers, constants, addresses of
// variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/simulator/analysis/definitions.h"
#include "common/simulator/analysis/register_origins.h"
#include "common/simulator/decode/decode.h"
#include "common/simulator/program/program.h"

namespace gridstride::sim {

/// A memory operand.
struct MemoryOperand {
  VectorRegister base = no_register;  ///< no_register: absolute
  std::uint32_t base_bytes = 8;
  std::int64_t offset = 0;  ///< added to the base; includes the address of a symbol
  std::string variable;     ///< it is computed from, or empty
  bool uniform = false;     ///< all lanes surely have the same address
};

/// Alignment of a variable, and `used` and its size added up. Throw Unsupported for what no
/// compiler would write.
std::uint32_t alignment_of(const ptx::Variable& variable);
std::uint32_t sum_of(std::uint32_t used, const ptx::Variable& variable, std::uint32_t most,
                     const char* what);

/// Symbols of a program as one kernel sees them.
struct KernelSymbols {
  std::unordered_map<std::string, std::uint64_t>
      addresses;  ///< module, shared and kernel parameters
  std::unordered_map<std::string, std::uint32_t> functions;  ///< index in Module::functions
};

/// One function of one kernel. Decoders of memory, atomic, warp and control instructions use more
/// of it than the interface in decode.h.
class ProgramContext final : public DecodeContext {
 public:
  ProgramContext(KernelCode& kernel, FunctionCode& function, const KernelSymbols& symbols,
                 const std::vector<RegisterOrigin>& origins);

  VectorRegister source(const ptx::Operand& operand, ptx::Type type) override;
  VectorRegister destination(const ptx::Operand& operand, ptx::Type type) override;
  VectorRegister second_destination(const ptx::Operand& operand) override;
  VectorRegister constant(std::uint64_t bits, ptx::Type type) override;
  VectorRegister carry_flag() override;
  void* allocate(std::size_t bytes) override;

  /// A T that lives as long as the program; T's destructor is not run, so it must own nothing.
  template <class T>
  T* make() {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T))) T();
  }

  MemoryOperand memory(const ptx::Operand& operand);
  /// The array of KernelCode::local_arrays that the address `operand` is computed from, or -1.
  std::int32_t local_array(const ptx::Operand& operand) const {
    const bool known =
        operand.index >= 0 && static_cast<std::size_t>(operand.index) < local_arrays_.size();
    return known ? local_arrays_[static_cast<std::size_t>(operand.index)] - 1 : -1;
  }
  /// Whether any instruction of the function reads the register `operand`.
  bool is_read(const ptx::Operand& operand);
  /// Whether `instruction` of the function is one of its guessing_loads().
  bool is_guess(const ptx::Instruction& instruction);
  /// Of the function's registers.
  const Definitions& definitions();
  /// Bytes of one lane of a register operand: 4 or 8; of an immediate, those of `type`.
  std::uint32_t lane_bytes_of(const ptx::Operand& operand, ptx::Type type) const override;
  /// Variable `name` in .param space: where it is in the frame (device functions).
  const ParamSlot* frame_param(const std::string& name) const;
  /// Offset in the function's frame of the area that alloca takes from; the same for all of a
  /// function.
  std::uint32_t stack_area(std::uint32_t bytes);
  KernelCode& kernel() { return kernel_; }
  const FunctionCode& function() const { return function_; }
  const KernelSymbols& symbols() const { return symbols_; }

  /// Registers asked for since the last call, and the specials among them that must be refreshed
  /// before the instruction runs.
  Dependences take_dependences();
  std::vector<SpecialRegister> take_volatile() { return std::exchange(volatile_, {}); }
  /// Sizes the register file once everything is decoded.
  void finish();

 private:
  VectorRegister add_register(std::uint32_t bytes);
  VectorRegister special(const ptx::Operand& operand, ptx::Type type);
  VectorRegister special_register(Special kind, std::uint32_t component, std::uint32_t bytes);
  VectorRegister symbol(const ptx::Operand& operand, ptx::Type type);
  const ptx::Register& register_of(const ptx::Operand& operand) const;
  /// The vector register of the register `operand`, which must hold a `type`: text that no
  /// assembler has seen may say otherwise, and a handler would then reach beyond it.
  VectorRegister vector_register_of(const ptx::Operand& operand, ptx::Type type);

  KernelCode& kernel_;
  FunctionCode& function_;
  const KernelSymbols& symbols_;
  const std::vector<RegisterOrigin>& origins_;
  std::uint32_t used_ = 0;                        ///< bytes of the register file
  std::vector<VectorRegister> registers_;         ///< of the function's registers
  std::vector<bool> read_;                        ///< by register; empty until somebody asks
  std::optional<std::set<std::size_t>> guesses_;  ///< guessing_loads(), once somebody has asked
  std::optional<Definitions> definitions_;        ///< once somebody has asked
  std::map<std::pair<std::uint64_t, std::uint32_t>, VectorRegister> constants_;
  std::map<std::tuple<Special, std::uint32_t, std::uint32_t>, VectorRegister> specials_;
  std::unordered_map<std::string, std::uint32_t> locals_;  ///< offset in the frame's local memory
  std::vector<std::int32_t> local_arrays_;                 ///< by register, see local_arrays.h
  std::unordered_map<std::string, ParamSlot> params_;
  VectorRegister carry_ = no_register;
  std::optional<std::uint32_t> stack_area_;
  Dependences dependences_;
  std::vector<SpecialRegister> volatile_;
};

}  // namespace gridstride::sim
