// The state of one warp.
//
// The lanes of a warp that stand at the same instruction form a warp split. Splits are few: one as
// long as no branch has diverged. The split furthest behind runs first, so that splits reconverge
// as early as they can (program_order.h); splits in deeper calls run before those that called them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/findings/unwritten_registers.h"
#include "common/simulator/findings/unwritten_values.h"
#include "common/simulator/program/instruction.h"

namespace gridstride::sim {

class Block;
class GridRun;
struct FunctionCode;

/// One activation of a function by some lanes of a warp. Lanes that call from the same place share
/// it.
struct Frame {
  const FunctionCode* function = nullptr;
  Frame* caller = nullptr;
  std::int32_t return_to = -1;  ///< instruction after the call
  std::uint32_t depth = 0;
  LaneMask lanes = 0;            ///< that are in it or in what it called
  std::uint32_t local_base = 0;  ///< of its local variables in a thread's local memory
  std::byte* registers = nullptr;
  std::byte* params = nullptr;  ///< .param variables: lane i's at i * FrameLayout::param_bytes
  std::vector<std::byte> storage;
  /// Scoreboard: cycle at which a vector register (offset / register_alignment) has its value.
  std::vector<double> ready;
};

/// Lanes of a warp that stand at one instruction.
struct WarpSplit {
  enum class State : std::uint8_t {
    runnable,
    at_sync,     ///< before a .sync operation whose lanes have not all come
    at_barrier,  ///< before a block barrier
    at_init,     ///< before the use of an mbarrier that nobody has initialised yet
  };
  std::int32_t pc = 0;
  LaneMask mask = 0;
  Frame* frame = nullptr;
  State state = State::runnable;
  bool deferred = false;     ///< has looped long: others go first
  std::uint8_t barrier = 0;  ///< at_barrier: its number
  /// … and for how many threads it is, 0 for all of the block.
  std::uint32_t barrier_threads = 0;

  /// What the register at `at` holds in the first of its lanes.
  std::uint32_t first_value(VectorRegister at) const {
    return vector_register<std::uint32_t>(frame->registers, at)[std::countr_zero(mask)];
  }
};

/// What the last memory access cost, for the scoreboard.
struct AccessOutcome {
  std::uint32_t sectors = 0, wavefronts = 0;
  std::uint32_t passes = 0;          ///< most lines that need the same banks of the L1
  std::uint32_t values = 0;          ///< different ones that a match has found
  std::uint32_t cas_iterations = 0;  ///< of a shared atomic that is a compare-and-swap loop
  bool l2 = false, dram = false;     ///< a load went there
  bool constant_missed = false;      ///< a line of constants is not in the cache
  double rare_cycles = 0;            ///< that a subroutine takes for rare operands
  double time = 0;                   ///< cycle at which it was issued
  double arrives = 0;  ///< cycle at which what was asked of the DRAM before is there, or 0
  void arrives_after(double cycle) { arrives = std::max(arrives, cycle); }
};

/// Words that a thread has on their way from global memory beyond those whose use comes later in the
/// program: ptxas puts a load before uses of earlier ones, but not of more than so many, as each
/// takes a register. What it makes of the ladder (model/ladder) has 13 to 22 loads of a word in
/// flight, 5 to 6 of four words.
constexpr std::size_t words_in_flight = 20;

/// What the scoreboard (scoreboard.h) knows of a warp, in cycles.
struct IssueTimes {
  double next = 0;   ///< all instructions so far are issued
  double slots = 0;  ///< the same, had none of them waited since `floor`
  double floor = 0;  ///< no instruction from here on is issued before
  /// Nor a load that may not pass stores to global, or to shared memory, or that no store holds up.
  static constexpr std::uint8_t of_global = 0, of_shared = 1, of_all = 2;
  std::array<double, 3> load_floors{};
  std::uint8_t rounds = 0;  ///< of a loop since the last fence
  /// `next` when the last words were loaded from global memory, in a ring.
  std::array<double, words_in_flight> loads{};
  std::uint32_t words = 0;  ///< loaded so far
  /// What it has asked the L1 for was looked for, at the earliest: in turn, from the last fence on.
  double l1_end = 0;
  double constants_end = 0;  ///< the same of loads of constants
  /// Nothing passes this point, in either direction.
  void fence(double at) {
    next = slots = floor = at;
    load_floors.fill(at);
    l1_end = std::max(l1_end, at);
    rounds = 0;
  }
};

/// Arithmetic handlers use `registers` and nothing else.
class Warp {
 public:
  std::byte* registers = nullptr;  ///< register file of the running split, 64-byte aligned

  GridRun* grid = nullptr;
  Block* block = nullptr;
  std::uint32_t index = 0;  ///< in its block
  LaneMask present = 0;     ///< lanes that exist
  LaneMask live = 0;        ///< … and have not exited
  std::vector<WarpSplit> splits;
  std::size_t current = 0;  ///< the split that runs
  Frame* frame = nullptr;   ///< its frame
  std::int32_t limit = 0;   ///< first instruction at which another split stands
  /// Where the run (Inst::run) ends that the warp is in. An instruction of it may end it early.
  const Inst* run_end = nullptr;
  /// Backward jumps until the warp yields to others; loads that may be waiting for another thread
  /// use it up faster.
  std::int32_t time_slice = 0;
  bool polled = false;  ///< such a load was executed since `time_slice` was set
  /// In another schedule: steps, of those by which threads tell each other something, until the warp lets
  /// others go on. Without one 0.
  std::uint32_t steps_to_turn = 0;
  std::uint32_t turns_given = 0;  ///< so often has it done so in this block
  bool gives_way = false;         ///< it does so now
  std::byte* local = nullptr;     ///< local memory, lane i's at i * KernelCode::local_stack

  IssueTimes times;
  std::uint32_t lines = 0;  ///< of global memory it has asked for, while that is noted
  /// Cycle since which the warp asks in vain for the end of an mbarrier's phase, or -1.
  double waiting_since = -1;
  std::uint32_t waiting_at = 0;  ///< … and its offset in shared memory
  AccessOutcome outcome;
  /// Unwritten values that are only copied, and those whose every step is followed.
  UnwrittenValues unwritten;
  UnwrittenRegisters followed;

  bool holds_unwritten() const { return !unwritten.empty() || !followed.empty(); }
  LaneMask mask() const { return splits[current].mask; }

  /// To be called behind a fence, an atomic operation, or an access to what may be a flag: in another
  /// schedule others may go on behind `inst`, which ends the run that it is in.
  void may_give_way(const Inst& inst) {
    if (steps_to_turn == 0 || --steps_to_turn != 0) return;
    gives_way = true;
    run_end = &inst + 1;
    limit = static_cast<std::int32_t>(inst.source) + 1;
  }
};

}  // namespace gridstride::sim
