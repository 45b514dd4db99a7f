// Records what a block does, step by step: who executes which instruction when, and what it reads and
// writes. It is told by the loop of interpreter_loop.h that is compiled for recorded blocks, and by
// TraceObserver (observers.h); a launch without a recorder does not know of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/simulator/base/handles.h"
#include "common/simulator/exec/engine.h"
#include "common/simulator/program/instruction.h"
#include "common/simulator/trace/trace.h"

namespace gridstride::sim {

class Block;                       // exec/block.h
class GridRun;                     // exec/grid_run.h
struct Frame;                      // exec/warp.h
enum class Access : std::uint8_t;  // program/memory_use.h
// exec/access_events.h
struct BarrierOpening;
struct GlobalAccess;
struct SharedAccess;
struct OtherAccess;
struct TexelAccess;
struct AtomicTurn;
struct FragmentMoved;
struct MatrixRowsMoved;
struct CopiesBegun;

/// Of one device, over all its launches: records the one that is asked for. Not thread-safe.
class TraceRecorder {
 public:
  explicit TraceRecorder(TraceRequest request) : request_(std::move(request)) {}

  const TraceRequest& request() const { return request_; }
  /// In a survey: the byte whose writer is looked for.
  void watch(DeviceAddress byte) { watched_ = byte; }
  /// Launches that are to come are counted from 0 again.
  void restart();

  /// The launch that was asked for, once it has run; and why there is none.
  const std::optional<Trace>& trace() const { return trace_; }
  const std::optional<TraceWriter>& writer() const { return writer_; }
  /// Of the request's places, those that a launch before `until` has written, by place.
  std::vector<TraceEarlier> earlier() const;
  const std::string& problem() const { return problem_; }

  // What a grid tells.

  void begin(const GridRun& grid);
  void end(const GridResult& result);
  /// Whether steps of this block, by its number, are to be told.
  bool records(std::uint64_t block) const;
  void end_block(Block& block);
  void step(Warp& warp, std::int32_t pc, LaneMask here, LaneMask lanes, double cycle);
  void done(Warp& warp, std::int32_t pc, LaneMask lanes);
  void undone();
  void open(const BarrierOpening& event);

  // What the instruction of the step does to memory; recording/trace_accesses.cpp.

  void hear(const GlobalAccess& event);
  void hear(const SharedAccess& event);
  void hear(const OtherAccess& event);
  void hear(const TexelAccess& event);
  void hear(const AtomicTurn& event);
  void hear(const FragmentMoved& event);
  void hear(const MatrixRowsMoved& event);
  void hear(const CopiesBegun& event);

 private:
  using Register = std::tuple<std::uint32_t, const Frame*, VectorRegister>;  ///< of a warp

  bool full();
  void look_for_writer(const Warp& warp, const TraceAccess& access);
  /// That an access of the instruction belongs to; null when it is not to be recorded.
  TraceStep* open_step(const Inst& inst);
  template <class Address>
  void access(const Warp& warp, const Inst& inst, LaneMask lanes, TraceSpace space,
              const Address* addresses, std::uint32_t bytes, Access kind, bool refused);
  void push(TraceStep& step, TraceAccess access);
  /// Stores whose values stood in no register.
  void fill_in(const Warp& warp);
  std::uint32_t op_at(std::int32_t pc);
  std::uint32_t number_of(const FunctionCode& function);
  std::uint32_t row_of(const Warp& warp) const;  ///< TraceStep::warp
  TraceWait wait_of(Warp& warp, std::int32_t pc, double cycle);
  void note_findings();
  void note_writes(const TraceStep& step);
  void note_allocation(std::uint64_t address);
  void note_texels(const TexelAccess& event);

  TraceRequest request_;
  DeviceAddress watched_ = 0;
  std::uint32_t launches_ = 0;
  const GridRun* grid_ = nullptr;  ///< of the launch that is recorded, while it runs
  std::optional<Trace> trace_;
  std::optional<TraceWriter> writer_;
  std::map<std::uint64_t, TraceWriter> earlier_;
  std::string problem_;
  std::vector<std::uint64_t> numbers_;  ///< of the recorded blocks
  std::vector<std::int32_t> ops_;       ///< by instruction: in Trace::ops, or -1
  std::map<const FunctionCode*, std::uint32_t> functions_;  ///< in Trace::functions
  std::map<const std::vector<SourceType>*, std::int32_t>
      types_;                                      ///< where they begin in Trace::types
  std::vector<std::vector<std::uint8_t>> widths_;  ///< by number in Trace::ops: of what it writes
  const Frame* frame_ = nullptr;                   ///< of the step that runs
  std::uint64_t bytes_ = 0;                        ///< of what is recorded
  bool open_step_ = false;                         ///< the last step is not done
  bool recorded_ = false;                          ///< the step that runs is in the trace
  std::vector<std::size_t> unfilled_;              ///< accesses of the step that runs
  std::vector<TraceAccess> rows_;                  ///< of its matrices, as the lanes named them
  std::map<Register, std::uint32_t> writers_;      ///< the instruction that wrote a register last
  std::vector<TraceWait> fences_;                  ///< by row: what nothing of the warp passes
  struct Found {
    std::size_t step = 0;
    Finding finding;
  };
  std::vector<Found> found_;
  /// Bytes that recorded blocks wrote in global memory; and in shared, by recorded block.
  std::map<std::uint64_t, bool> global_writes_;
  std::vector<std::map<std::uint64_t, bool>> shared_writes_;
};

/// What recording/trace_code.cpp says of an instruction of the kernel; its function is not numbered yet.
TraceOp trace_op(const GridRun& grid, std::uint32_t pc);

/// A function of the kernel's code, with its variables where debug information names them. The numbers
/// of types are those of the function's source_types plus `first_type`. recording/trace_variables.cpp.
TraceFunction trace_function(const GridRun& grid, const FunctionCode& function,
                             std::int32_t first_type);
/// Bytes of a lane of registers of a function; 0 is a predicate.
std::vector<std::uint8_t> widths_of(const FunctionCode& function,
                                    const std::vector<VectorRegister>& registers);
/// What `registers` of the warp's frame hold, TraceStep::written.
std::vector<std::uint64_t> values_of(const Warp& warp, const std::vector<VectorRegister>& registers,
                                     const std::vector<std::uint8_t>& widths, LaneMask lanes);

/// What a shuffle or vote gave the lanes; the sources of a shuffle must be asked for before it runs,
/// for it may overwrite them. recording/trace_lane_values.cpp.
std::vector<std::uint64_t> results_of(const Warp& warp, const Inst& inst, const TraceOp& op,
                                      LaneMask lanes);
std::vector<std::uint32_t> sources_of(const Warp& warp, const Inst& inst, LaneMask lanes);

// For the loop.

void record_step(Warp& warp, std::int32_t pc, LaneMask here, LaneMask lanes, double cycle);
void record_done(Warp& warp, std::int32_t pc, LaneMask lanes);
void record_undone(Warp& warp);

}  // namespace gridstride::sim
