// What a running grid tells those who check, count and record: block starts, accesses of a warp to
// memory, what became of the values, barriers that open.
//
// An event is that of a whole warp or block, and every observer (observers.h) hears it in turn. Who
// they are is known when the simulator is compiled: there is no virtual call and no list to walk.
#pragma once

#include <cstdint>
#include <vector>

#include "common/simulator/check/happens_before.h"
#include "common/simulator/program/instruction.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {

class Block;         // exec/block.h
struct TexelRegion;  // texture/texture_registry.h

/// What can be said about 32 addresses in one pass.
struct AddressShape {
  std::uint64_t low = 0, high = 0;  ///< the smallest and the largest
  bool uniform = false, contiguous = false, aligned = false;
};

/// Offsets of an access whose active lanes are 0 to `lanes` - 1, `stride` bytes apart; `lanes` is 0
/// when it is not of that form.
struct LaneLine {
  std::uint32_t lanes = 0;
  std::int32_t stride = 0;

  /// Whether accesses of `bytes` a lane follow one another without a gap.
  bool is_run(std::uint32_t bytes) const {
    return lanes != 0 && (stride == static_cast<std::int32_t>(bytes) || lanes == 1);
  }
};

/// An access that is allowed, before anything is loaded or stored. `addresses` has 32 entries; those
/// of inactive lanes are an active one's. `bytes` is what one lane accesses.
struct GlobalAccess {
  Warp& warp;
  const Inst& inst;
  LaneMask mask;
  const AddressShape& shape;
  const std::uint64_t* addresses;
  std::uint32_t bytes;
  Access access;
};

/// The same in shared memory. `joined`: Inst::flags says how it is counted.
struct SharedAccess {
  Warp& warp;
  const Inst& inst;
  LaneMask mask;
  const LaneLine& line;
  const std::uint32_t* offsets;
  std::uint32_t bytes;
  Access access;
  bool joined = false;
};

/// What most shared accesses are, by all lanes: to places that follow one another from `first` on, in
/// which case it `is_run`, or loads of one place.
struct SharedLine {
  Warp& warp;
  const Inst& inst;
  std::uint32_t first;
  bool is_run;
  std::uint32_t bytes;
  Access access;
};

/// The same said lane by lane, for those whom it does not suffice. `offsets` has room for 32.
inline SharedAccess expanded(const SharedLine& event, LaneLine& line, std::uint32_t* offsets) {
  const std::uint32_t stride = event.is_run ? event.bytes : 0;
  for (std::uint32_t lane = 0; lane < warp_size; ++lane)
    offsets[lane] = event.first + lane * stride;
  line = {warp_size, static_cast<std::int32_t>(stride)};
  return {event.warp, event.inst, full_mask, line, offsets, event.bytes, event.access, true};
}

/// An access to local or constant memory that is allowed; or, `refused`, one to any memory that is not
/// for some lane, which ends the grid. `addresses` are offsets of shared and local memory.
struct OtherAccess {
  Warp& warp;
  const Inst& inst;
  LaneMask mask;
  ptx::Space space;
  const std::uint64_t* addresses;
  std::uint32_t bytes;
  Access access;
  bool refused = false;
};

/// `lane` has read or written a texel, or an element of one, at `address` of `region`; `found`: what
/// a reduction found there; `unchanged`: a store found there what it stored.
struct TexelAccess {
  Warp& warp;
  const Inst& inst;
  std::uint32_t lane;
  const TexelRegion& region;
  std::uint64_t address;
  std::uint32_t bytes;
  Access access;
  std::uint64_t found = 0;
  bool unchanged = false;
};

/// Asynchronous copies of lanes of `mask` have moved `bytes` each to shared memory, one lane after the
/// other. `unchanged`: those that found there already what they brought. `offsets` has 32 entries.
struct SharedCopied {
  Warp& warp;
  const Inst& inst;
  LaneMask mask;
  const std::uint32_t* offsets;
  std::uint32_t bytes;
  LaneMask unchanged;
};

/// It is the turn of `lane` in an atomic whose access was told; `over`: it has had it.
struct AtomicTurn {
  Warp& warp;
  std::uint32_t lane;
  bool over;
};

/// The access that was told last moves `count` elements of each lane from or to registers[0] and so on,
/// and has been made: those of a fragment of a matrix.
struct FragmentMoved {
  Warp& warp;
  const VectorRegister* registers;
  std::uint32_t count;
};

/// The access that was told last was to rows, eight of 16 bytes for each 8 by 8 matrix. Of the one that
/// the lanes from `first_lane` on named, each lane holds two elements of 2 bytes in `at`, as mma has them.
struct MatrixRowsMoved {
  Warp& warp;
  VectorRegister at;
  std::uint32_t first_lane;
  bool transposed;
};

/// What the warp has begun to copy is there at this cycle.
struct CopiesBegun {
  Warp& warp;
  double ready;
};

/// A store has been made whose lanes may overlap.
struct GlobalStored {
  Warp& warp;
  const Inst& inst;
  LaneMask mask;
  const std::uint64_t* addresses;
};
struct SharedStored {
  Warp& warp;
  const Inst& inst;
  LaneMask mask;
  const std::uint32_t* offsets;
};

/// `block` has got its number; nothing of it has run.
struct BlockStart {
  Block& block;
};

/// A barrier of `block` opens for the warps of `waiting`; `everybody`: all that live, for whose
/// end it would have waited too.
struct BarrierOpening {
  Block& block;
  std::uint32_t waiting;
  bool everybody;
  const std::vector<HappensBefore::Arrival>& arrivals;  ///< of those that do not wait
};

}  // namespace gridstride::sim
