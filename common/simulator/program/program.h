// A decoded module: what make_program() builds and run_grid() executes.
//
// Every kernel has its own code: its own instructions and those of the functions it can reach, so
// that addresses of shared variables and the place of every vector register are constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/simulator/analysis/classify.h"
#include "common/simulator/memory/global_memory.h"
#include "common/simulator/program/branch_forms.h"
#include "common/simulator/program/call_site.h"
#include "common/simulator/program/instruction.h"
#include "common/simulator/program/phases.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// Values of special registers that are known when a frame is set up, or when they are read.
enum class Special : std::uint8_t {
  tid,
  ntid,
  ctaid,
  nctaid,  // component 0-2
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  dynamic_smem_size,
  total_smem_size,
  envreg,         // component: its number
  local_address,  // component: byte offset in the function's frame of local memory
  zero,           // ranks in a cluster of one block
  one,
  reserved_middle,  // of the shared memory that CUDA keeps for itself
  reserved_end,
  clock,
  clock_hi,
  clock64,
  globaltimer,
  globaltimer_lo,
  globaltimer_hi,  // change from read to read
};

struct ConstantRegister {
  VectorRegister at = no_register;
  std::uint8_t bytes = 4;  ///< of one lane; 0: a predicate
  std::uint64_t bits = 0;
};

struct SpecialRegister {
  VectorRegister at = no_register;
  std::uint8_t bytes = 4;
  Special special{};
  std::uint32_t component = 0;
};

/// A .param variable of a function: one copy a lane.
struct ParamSlot {
  std::uint32_t offset = 0;  ///< in the frame's parameter area of one lane
  std::uint32_t bytes = 0;
};

/// What one activation of a function needs.
struct FrameLayout {
  std::uint32_t register_bytes = 0;
  std::vector<ConstantRegister> constants;
  std::vector<SpecialRegister> specials;
  std::uint32_t param_bytes = 0;  ///< one lane's .param variables
  std::uint32_t local_bytes = 0;  ///< one lane's local variables, rounded up
  std::uint32_t local_end = 0;    ///< the last of them ends here
};

struct FunctionCode {
  const ptx::Function* function = nullptr;
  std::int32_t entry = -1;  ///< index of its first instruction
  FrameLayout frame;
  std::vector<ParamSlot> parameters, results;  ///< of a .func
  std::vector<VectorRegister> registers;  ///< of function->registers; no_register: it is not used
  std::unordered_map<std::string, std::uint32_t> locals;  ///< offset in the frame's local memory
};

/// A variable in shared memory.
struct SharedVariable {
  std::string name;  ///< demangled, without the function it stands in
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;  ///< 0: dynamic, up to the end
};

/// Where an instruction came from. Jumps that the layout adds have no instruction.
struct Origin {
  const ptx::Instruction* instruction = nullptr;
  const FunctionCode* function = nullptr;
};

/// Vector registers that an instruction reads and writes, for the scoreboard.
struct Dependences {
  std::vector<VectorRegister> reads, writes;
};

/// Shared memory of a block that CUDA keeps for itself from sm_80 on; cooperative groups have their
/// tiles of several warps meet there.
constexpr std::uint32_t reserved_shared_bytes = 1024;

/// An array in the local memory of a function, as the source has it: bytes of its frame.
struct LocalArray {
  std::string name;
  std::uint32_t low = 0, high = 0;
  std::uint32_t element = 1;  ///< bytes
};

struct KernelCode {
  const ptx::Function* kernel = nullptr;
  std::string name;  ///< demangled
  /// atomic_bytes where they are needed to tell operations from one another, else nothing.
  std::span<const std::uint8_t> different_atomics() const {
    return atomics_differ ? std::span<const std::uint8_t>(atomic_bytes)
                          : std::span<const std::uint8_t>();
  }
  std::vector<Inst> code;
  std::vector<Origin> origins;            ///< parallel to code
  std::vector<InstructionClass> classes;  ///< parallel to code
  std::vector<Dependences> dependences;   ///< parallel to code
  CodePhases phases;
  BranchForms branches;
  std::vector<std::unique_ptr<FunctionCode>> functions;   ///< [0] is the kernel
  std::map<std::uint32_t, const FunctionCode*> by_index;  ///< by index in Module::functions
  std::vector<SharedVariable> shared;                     ///< by offset
  std::map<std::string, std::int32_t> shared_index;       ///< by PTX name: index in `shared`
  std::vector<LocalArray> local_arrays;                   ///< what MemoryUse::local_array refers to
  std::uint32_t static_shared = 0;                        ///< bytes, reserved_shared included
  std::uint32_t reserved_shared = 0;  ///< that CUDA keeps for itself, of kernels that ask where
  std::uint32_t granule = 4;          ///< bytes of the narrowest shared access, at most 4
  /// Of an atomic operation's element, 0 of another instruction; parallel to code.
  std::vector<std::uint8_t> atomic_bytes;
  bool atomics_differ = false;        ///< in their bytes
  bool reads_shared_in_bulk = false;  ///< bulk copies from shared to global memory do
  bool waits_for_atomics = false;     ///< of global memory (atomic_results.h)
  bool draws_work = false;            ///< from a queue (atomic_results.h)
  /// Whether an instruction polls for nothing but a loop's end (waiting_loads.h); parallel to code.
  std::vector<std::uint8_t> only_waits;
  std::vector<ParamSlot> parameters;  ///< in the argument buffer
  std::uint32_t argument_bytes = 0;
  std::uint32_t barrier_post_dominators = 0;  ///< how many there are, see barrier_post_dominators.h
  std::uint32_t local_stack = 0;              ///< bytes of one thread
  bool reads_clock = false;                   ///< then the scoreboard runs in all blocks
  bool uses_device_runtime = false;           ///< cuda… functions, in itself or in what it calls
  bool uses_grid_workspace = false;           ///< reads %envreg1 or %envreg2
  bool is_of_library = false;                 ///< of Thrust or CUB: nobody here can mend it
  std::string unsupported;                    ///< why it cannot run, or empty
  std::vector<std::unique_ptr<std::byte[]>> storage;  ///< what Inst::extra points into,
  std::vector<std::unique_ptr<CallSite>> calls;       ///< … and what calls point to
};

/// See engine.h.
class Program {
 public:
  ptx::Module module;
  std::vector<KernelCode> kernels;
  std::map<std::string, DeviceAddress> variables;  ///< module variables in device memory
  DeviceAddress grid_workspace = 0;                ///< for grid-wide barriers, or 0
  std::map<std::uint32_t, std::size_t> kernel_of;  ///< by index in Module::functions

  /// Index of the kernel that a pointer in a kernel names.
  std::optional<std::size_t> kernel_at(std::uint64_t pointer) const;
};

/// Function pointers are numbers that no memory has.
constexpr std::uint64_t function_address_base = 0x0908'0000'0000;

std::string demangled(const std::string& name);
/// "_ZZ6reducePfE4tile" and "tile" both are "tile".
std::string variable_title(const std::string& name);

}  // namespace gridstride::sim
