// What was recorded of a launch, as data: the code that ran, each step of each warp of the recorded
// blocks, what it read and wrote. Knows nothing of the machine; the recorder (exec/trace_recorder.h)
// fills it in, playback/ shows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/simulator/base/dim3.h"
#include "common/simulator/debug_info/debug_info.h"
#include "common/simulator/texture/array_layout.h"

namespace gridstride::sim {

/// What a step does that is shown in a way of its own.
enum class TraceKind : std::uint8_t {
  compute,
  load,
  store,
  atomic,
  shuffle,       ///< a lane takes another lane's value
  vote,          ///< vote, match, redux, elect, activemask: all lanes get what all lanes brought
  warp_barrier,  ///< __syncwarp()
  barrier,       ///< __syncthreads(), a named barrier; of what waits there
  arrive,        ///< a barrier that is not waited for
  branch,
  exit,
  copy,     ///< global memory is read and shared memory written: cp.async
  product,  ///< of matrices, of the whole warp: mma
};

/// Why an instruction issued no earlier, as the scoreboard (exec/scoreboard.h) has it.
enum class TraceWait : std::uint8_t {
  none,
  memory,      ///< global, constant or local memory
  shared,      ///< shared memory
  dependency,  ///< another instruction's result
  barrier,
  branch,  ///< the branch before was not decided
  pipe,    ///< an instruction a cycle, and those that keep their place
};

enum class TraceSpace : std::uint8_t { global, shared, local };

/// An instruction of the kernel's code. Only those that ran are kept.
struct TraceOp {
  std::string text;  ///< PTX: "ld.shared.f32 %f1, [%r5]"
  TraceKind kind = TraceKind::compute;
  std::string file;         ///< as the compiler recorded it; empty without -lineinfo
  std::uint32_t line = 0;   ///< 0 when unknown
  std::string type;         ///< of what it moves: "f32", "b32"; empty when it moves nothing
  std::uint32_t bytes = 0;  ///< of one element that it moves
  bool seen = true;         ///< false: on an mbarrier, whose state is not recorded
  /// Registers by number, those of its guard included. A number means the same within one function.
  std::vector<std::uint32_t> reads, writes;
  std::vector<std::uint32_t> address;  ///< those of `reads` that only say where
  std::vector<std::uint32_t> added;    ///< of a product: for each of `writes` what it adds to
  std::uint32_t function = 0;          ///< whose code it is: in Trace::functions
  std::uint32_t at = 0;                ///< which instruction of the function, from 0
};

/// Accesses of a warp's lanes in one memory space. An instruction that moves several pieces a lane, of a
/// matrix or of a texture, makes several.
struct TraceAccess {
  TraceSpace space = TraceSpace::global;
  TraceKind kind = TraceKind::load;  ///< load, store, atomic
  std::uint32_t lanes = 0;
  std::uint32_t bytes = 0;  ///< of one element
  std::uint32_t count = 1;  ///< elements of a lane
  /// Device addresses, offsets in the block's shared memory or in the thread's local memory; one
  /// for each of `lanes`, lowest first.
  std::vector<std::uint64_t> places;
  /// What was loaded; what a lane stores; what a lane's atomic found in its turn: the lanes of an atomic
  /// have theirs one after the other, lowest first. `count` for each lane. Empty when the access was
  /// refused.
  std::vector<std::uint64_t> values;
  std::vector<std::uint64_t> after;  ///< of atomics: what each lane's turn left there
  /// For each of `lanes` which lane gave the address (ldmatrix); empty: it was the lane itself.
  std::vector<std::uint32_t> givers{};
  /// Registers, by number, from and to which each element of a lane goes; empty: TraceOp knows.
  std::vector<std::uint32_t> registers{};
};

/// One instruction of one warp.
struct TraceStep {
  std::uint32_t op = 0;     ///< in Trace::ops
  std::uint32_t warp = 0;   ///< of all recorded blocks: block number * warps of a block + warp
  std::uint32_t here = 0;   ///< lanes that stand at the instruction
  std::uint32_t lanes = 0;  ///< those of them that do it: its predicate holds, or a branch is taken
  std::uint32_t depth = 0;  ///< of calls
  double cycle = 0;         ///< at which it issues, on the modelled multiprocessor, alone there
  TraceWait wait = TraceWait::none;
  std::uint32_t barrier = 0;  ///< number of a barrier
  std::uint32_t passes = 0;   ///< wavefronts of a shared access
  std::uint32_t sectors = 0;  ///< of a global access
  double arrives = 0;         ///< of asynchronous copies: the cycle at which their bytes are there
  std::vector<TraceAccess> accesses;
  /// Of shuffles and votes, for each of `lanes`: what it gets, and from which lane (shuffles).
  std::vector<std::uint64_t> results;
  std::vector<std::uint32_t> from;
  std::uint32_t local_base =
      0;  ///< of the function's local variables, in the thread's local memory
  /// With TraceRequest::registers: what the registers of TraceOp::writes hold afterwards. For each of
  /// those, the value of each of `lanes`, lowest first; else empty.
  std::vector<std::uint64_t> written;
};

/// A barrier opened for the warps of `warps` (bits, in their block), before step number `before`.
struct TraceOpening {
  std::uint32_t before = 0, block = 0, barrier = 0, warps = 0;
  double cycle = 0;
};

struct TraceParameter {
  std::uint64_t offset = 0, bytes = 0;
  std::vector<std::uint8_t> value;
};

/// Global memory that was touched: what a cudaMalloc gave, a variable.
struct TraceAllocation {
  std::uint64_t begin = 0, bytes = 0;
  std::string name;   ///< of a module's variable
  std::string title;  ///< "the 4096-byte allocation (the 2nd cudaMalloc)"
};

/// A CUDA array, or other memory that a kernel used as a texture or surface of several rows: which texel
/// lies where.
struct TraceTexels {
  std::uint64_t begin = 0, bytes = 0;
  std::uint32_t width = 1, height = 1, depth = 1;  ///< texels
  std::uint32_t channels = 1, channel_bytes = 1;
  char kind = 'u';       ///< 'f' floating point, 'i' signed, 'u' unsigned
  bool layered = false;  ///< `depth` counts layers
  ArrayLayout::Parts layout;
  std::vector<std::uint64_t> objects;  ///< handles that a kernel reads or writes it by

  std::uint64_t elements() const { return std::uint64_t{width} * height * depth * channels; }
  /// Of a place inside: counted channel by channel, along x, then y, then z.
  std::uint64_t index_at(std::uint64_t place) const;
  std::uint64_t place_of(std::uint64_t index) const;
};

struct TraceShared {
  std::string name;
  std::uint32_t offset = 0, bytes = 0;
};

/// A mistake that was found in the recorded launch.
struct TraceFinding {
  std::string kind, message;
  std::string file;
  std::uint32_t line = 0, other_line = 0;
  std::int64_t step = -1;  ///< that completed it, or -1: no step of the recorded blocks
};

/// Who wrote a byte last.
struct TraceWriter {
  std::uint32_t launch = 0;  ///< of all launches, from 0
  std::string kernel;        ///< demangled
  Dim3 grid, block;          ///< its blocks, and which of them
  std::uint32_t thread = 0;  ///< in its block
};

/// An element of global memory that recorded blocks read before they wrote it, and who had written its
/// first byte in a launch before.
struct TraceEarlier {
  std::uint64_t place = 0;
  TraceWriter writer;
};

/// Memory as it was at the end, of places that the recorded blocks wrote.
struct TraceEnd {
  TraceSpace space = TraceSpace::global;
  std::uint32_t block = 0;  ///< of shared memory: of which recorded block
  std::uint64_t place = 0;
  std::uint8_t value = 0;
};

using TraceType = SourceType;

/// Where a variable is while the instructions `begin` <= TraceOp::at < `end` of its function are next.
struct TraceLocation {
  enum class Kind : std::uint8_t {
    reg,        ///< `place` is a register's number, as in TraceOp::writes
    local,      ///< bytes from TraceStep::local_base
    shared,     ///< bytes in the block's shared memory
    global,     ///< device address
    parameter,  ///< bytes in the kernel's parameters, as TraceParameter::offset
  };
  std::uint32_t begin = 0, end = 0;
  Kind kind = Kind::reg;
  std::uint64_t place = 0;
};

/// A variable of the source that debug information (nvcc -G) tells of.
struct TraceVariable {
  std::string name;
  std::int32_t type = -1;  ///< in Trace::types
  bool is_parameter = false;
  std::uint32_t line = 0;                ///< of its declaration
  std::uint32_t begin = 0, end = 0;      ///< instructions of the block of code that declares it
  std::vector<TraceLocation> locations;  ///< none: the compiler kept it nowhere
};

/// A kernel or a device function that was called.
struct TraceFunction {
  std::string name;                      ///< demangled
  std::vector<TraceVariable> variables;  ///< in the order of their declarations; empty without -G
};

struct Trace {
  std::string kernel;        ///< demangled
  std::uint32_t launch = 0;  ///< of all launches, from 0
  Dim3 grid, block;
  std::vector<Dim3> blocks;  ///< those recorded
  std::uint32_t shared_bytes = 0;
  double clock_hz = 0;
  std::vector<TraceParameter> parameters;
  std::vector<TraceShared> shared;
  std::vector<TraceAllocation> allocations;
  std::vector<TraceTexels> texels;
  std::vector<TraceFunction> functions;  ///< [0] is the kernel
  std::vector<TraceType> types;
  std::vector<TraceOp> ops;
  std::vector<TraceStep> steps;  ///< in the order in which the simulated GPU ran them
  std::vector<TraceOpening> openings;
  std::vector<TraceFinding> findings;
  std::vector<TraceEnd> end;
  std::vector<TraceEarlier> earlier;  ///< by place, as far as it was looked for
  bool cut = false;                   ///< the launch went on when the bounds were reached
  std::string reason;                 ///< why the launch ended with an error; empty when it did not

  std::uint32_t warps_in_block() const {
    return static_cast<std::uint32_t>((block.count() + 31) / 32);
  }
};

/// The text is no trace.
class TraceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// For the way between processes.
nlohmann::json to_json(const Trace& trace);
/// Throws TraceError.
Trace trace_of(const nlohmann::json& json);

/// Where recorded blocks read global memory that none of them had written: the first bytes of elements, each
/// once, lowest first, at most `most`.
std::vector<std::uint64_t> unexplained_reads(const Trace& trace, std::size_t most);
/// Who had written the element at this place before the recorded launch; null where that is not known.
const TraceWriter* earlier_writer(const Trace& trace, std::uint64_t place);

nlohmann::json to_json(const TraceEarlier& earlier);

const char* name_of(TraceKind kind);
const char* name_of(TraceWait wait);
const char* name_of(TraceSpace space);

/// What is to be recorded.
struct TraceRequest {
  static constexpr std::uint64_t default_steps = 20'000, default_bytes = std::uint64_t{16} << 20;

  std::string file;          ///< to be written, JSON
  std::string kernel;        ///< by its name or a part of it; empty: any
  std::int64_t launch = -1;  ///< of all launches, from 0; -1: the first of that kernel
  std::vector<Dim3> blocks;  ///< empty: the first
  std::uint64_t most_steps = default_steps;
  std::uint64_t most_bytes = default_bytes;  ///< of what is recorded, about
  bool registers = false;  ///< record what every instruction writes, for a debugger
  /// Record nothing, but say which launches there are and who wrote this last: the byte of an argument
  /// of a graded call.
  bool survey = false;
  std::int64_t argument = -1;
  std::uint64_t byte = 0;
  /// In a survey too: who wrote these bytes of device memory last, in launches before number `until`.
  std::vector<std::uint64_t> places;
  std::int64_t until = 0;
};

nlohmann::json to_json(const TraceRequest& request);
TraceRequest trace_request_of(const nlohmann::json& json);  ///< throws TraceError

}  // namespace gridstride::sim
