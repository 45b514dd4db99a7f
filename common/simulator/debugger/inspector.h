// What a thread's frames and variables hold at a moment of the recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/simulator/debugger/memory_replay.h"
#include "common/simulator/debugger/source_steps.h"
#include "common/simulator/debugger/types.h"

namespace gridstride::sim {

/// A thread when the steps before `position` are done.
struct Moment {
  std::size_t position = 0;
  Focus focus;
  friend bool operator==(const Moment&, const Moment&) = default;
};

/// One function that is being run, of a thread.
struct StackFrame {
  std::size_t step = 0;               ///< its next one; of a caller, the call
  std::optional<std::size_t> caller;  ///< the call that made it
  std::uint32_t depth = 0;
  std::uint32_t function = 0;  ///< in Trace::functions
  std::string name;            ///< without its namespace and parameters
  CodeLine line;
};

/// A thing with a name and a type: an object in memory, bytes, or nothing and why.
struct Value {
  std::string name;
  std::int32_t type = -1;  ///< in Types
  std::optional<MemoryPlace> where{};
  std::vector<std::uint8_t> bytes{};
  std::string missing{};  ///< "optimized out": then there is neither
};

/// A number that an expression can go on with.
struct Number {
  bool is_floating = false;
  double floating = 0;
  std::int64_t integer = 0;
  double value() const { return is_floating ? floating : static_cast<double>(integer); }
  bool truth() const { return is_floating ? floating != 0 : integer != 0; }
};

/// `playback` and `steps` must outlive it.
class Inspector {
 public:
  Inspector(const Playback& playback, const SourceSteps& steps);

  /// From the innermost on. Of a thread that has ended the last it was in; none if it never ran.
  std::vector<StackFrame> frames(const Moment& moment) const;

  std::vector<Value> parameters(const StackFrame& frame, const Moment& moment) const;
  /// Those in scope. An inner one comes after the outer one that it hides, which is left out.
  std::vector<Value> locals(const StackFrame& frame, const Moment& moment) const;
  /// Arrays and variables of the focused thread's block.
  std::vector<Value> shared(const Moment& moment) const;
  std::vector<Value> globals() const;
  /// threadIdx, blockIdx, blockDim or gridDim; nothing of another name.
  std::optional<Value> built_in(const std::string& name, const Moment& moment) const;
  /// The variable, array or built-in of that name; nothing when there is none.
  std::optional<Value> named(const std::string& name, const StackFrame* frame,
                             const Moment& moment) const;

  /// Elements, members, or the one thing that a pointer points to.
  std::uint64_t children(const Value& value, const Moment& moment) const;
  Value child(const Value& value, std::uint64_t index, const Moment& moment) const;
  /// What a pointer points to, `offset` elements behind it; `missing` says why there is none.
  Value target(const Value& pointer, std::int64_t offset, const Moment& moment) const;

  const TraceType& type(const Value& value) const { return types_[value.type]; }
  /// Bytes from one element of a pointer or an array to the next; 0 where that is not known.
  std::uint64_t stride(const Value& value) const { return types_[type(value).element].bytes; }
  /// Nothing where it is no number, or not known.
  std::optional<Number> number(const Value& value, const Moment& moment) const;
  /// "1.5", "{1, 2, ?}", "in + 3 (0x…)", "not yet written". Of an array at most so many elements.
  std::string text(const Value& value, const Moment& moment, std::size_t most_elements = 200) const;

  /// A value of that number, of type long or double.
  Value made_of(const Number& number, std::string name) const;

  /// "block (1,0,0) thread (5,0,0)" is where: of a thread its indices.
  Dim3 block_of(Focus thread) const;
  Dim3 thread_of(Focus thread) const;

 private:
  Value value_of(const TraceVariable& variable, const StackFrame& frame,
                 const Moment& moment) const;
  /// A kernel's argument, by its place among the parameters.
  bool take_argument(const TraceVariable& variable, const StackFrame& frame, Value& value) const;
  /// What was given to the kernel at that offset of its parameters.
  bool take_argument_at(std::uint64_t offset, Value& value) const;
  std::optional<std::uint64_t> register_of(std::uint32_t number, const StackFrame& frame,
                                           const Moment& moment) const;
  std::uint64_t written_by(std::size_t step, std::uint32_t number, std::uint32_t lane) const;
  /// Where a function is entered: what its first instructions take over from the caller.
  std::optional<std::uint64_t> passed_in(std::uint32_t number, const StackFrame& frame,
                                         const Moment& moment) const;
  MemoryPlace place_of(std::uint64_t address, const Moment& moment) const;
  RecordedBytes read(const Value& value, std::uint64_t bytes, const Moment& moment) const;
  std::string scalar_text(const TraceType& type, const RecordedBytes& bytes,
                          const Moment& moment) const;
  std::string text_of(std::int32_t type, const RecordedBytes& bytes, const Moment& moment,
                      std::size_t& left) const;
  std::string pointer_text(std::uint64_t address, const Moment& moment) const;
  /// A reference stands for what it refers to.
  Value followed(Value value, const Moment& moment) const;
  std::uint64_t register_key(std::uint32_t warp, std::uint32_t function, std::uint32_t reg) const;

  const Playback& playback_;
  const SourceSteps& steps_;
  MemoryReplay memory_;
  Types types_;
  std::int32_t long_ = -1, double_ = -1, dim3_ = -1;
  std::vector<std::int32_t> array_types_;  ///< for each of Playback::arrays()
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> writes_;
};

/// "(3,0,0)".
std::string text_of(const Dim3& index);

}  // namespace gridstride::sim
