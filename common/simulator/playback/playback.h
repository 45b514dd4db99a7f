// A recorded launch with names, in the order in which it is shown: what text and JSON are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/simulator/playback/source_names.h"
#include "common/simulator/trace/trace.h"

namespace gridstride::sim {

/// What to show, and whose words stand around it. All texts may hold anything.
struct Watched {
  std::string title;             ///< "reduction/3_sequential", or the program
  std::string verdict, message;  ///< of a stage; else empty
  std::string input;             ///< "case n=33, the smallest that is wrong"
  /// The first wrong element: "out[37]" by the contract's names, its argument's number; else empty.
  std::string wrong, expected, got;
  std::uint64_t wrong_byte = 0;  ///< in its argument
  std::int64_t wrong_argument = -1;
  std::vector<std::string> launches;  ///< of the call, in order: "sum_sections <<<4, 256>>>"
  std::map<std::string, std::string> sources;  ///< text of the files that may be shown, by name
  bool hide_source =
      false;  ///< `sources` give names and then go, and so do operands of instructions
};

/// An array of the source, or one of texels, whose elements are its channels. Global ones by parameters and variables, shared ones for each recorded block.
struct NamedArray {
  std::string name;
  std::string argument;  ///< of a graded call, where the grader made it; else empty
  TraceSpace space = TraceSpace::global;
  std::uint32_t block = 0;  ///< of shared ones: which recorded block
  std::uint64_t begin = 0, bytes = 0;
  ElementType type;                    ///< bytes is never 0
  std::vector<std::uint32_t> extents;  ///< but the first; empty: one-dimensional
  std::optional<TraceTexels> texels{};
  std::uint64_t elements() const { return texels ? texels->elements() : bytes / type.bytes; }
  std::uint64_t index_at(std::uint64_t place) const {
    return texels ? texels->index_at(place) : (place - begin) / type.bytes;
  }
  std::uint64_t place_of(std::uint64_t index) const {
    return texels ? texels->place_of(index) : begin + index * type.bytes;
  }
  /// "sums[3]", "tile[1][2..5]", "image(3, 5)": the elements from `first` to `last`.
  std::string label(std::uint64_t first, std::uint64_t last) const;
};

/// One lane's access.
struct LaneAccess {
  std::size_t step = 0;  ///< in the order in which it is shown
  std::uint32_t lane = 0;
  TraceSpace space{};
  TraceKind kind{};
  std::uint64_t place = 0;
  std::uint32_t bytes = 0;
  std::uint64_t value = 0;
};

/// Where a value comes from: who stored it, and the loads that it was made of. Of an atomic those are
/// what its lane brought, and what it found in its turn.
struct Source {
  LaneAccess store;
  std::vector<LaneAccess> from;
  /// A product of matrices that it went through. What went into one of its elements cannot be followed;
  /// `brought` is what the same lane loaded of its operands.
  struct Product {
    std::size_t step = 0;
    std::vector<LaneAccess> brought;
  };
  std::vector<Product> products;
  bool filled = false;  ///< by an asynchronous copy, with a 0 that stood nowhere
};

class Playback {
 public:
  /// `watched.sources` names things.
  Playback(Trace trace, Watched watched);

  const Trace& trace() const { return trace_; }
  const Watched& watched() const { return watched_; }
  const std::vector<NamedArray>& arrays() const { return arrays_; }
  /// Steps in the order of their cycles, as far as that leaves every access the memory that it found:
  /// indices of Trace::steps.
  const std::vector<std::size_t>& order() const { return order_; }
  const TraceStep& step(std::size_t shown) const { return trace_.steps[order_[shown]]; }
  const TraceOp& op(std::size_t shown) const { return trace_.ops[step(shown).op]; }
  std::uint32_t block_of(const TraceStep& step) const {
    return step.warp / trace_.warps_in_block();
  }
  /// Where a step of Trace::steps is shown.
  std::size_t shown(std::size_t recorded) const { return place_[recorded]; }

  /// The array that a place belongs to, or the nearest one before it; null when there is none.
  const NamedArray* array_at(TraceSpace space, std::uint32_t block, std::uint64_t place) const;
  /// "sums[3]", "tile[1][2]", "in[100]"; "local memory at 8" of what has no name.
  std::string label(TraceSpace space, std::uint32_t block, std::uint64_t place) const;
  /// "sums[0..31]", or several of them.
  std::string label(const TraceAccess& access, std::uint32_t block) const;
  /// " (beyond the end: in has 100 elements)", or empty.
  std::string beyond(TraceSpace space, std::uint32_t block, std::uint64_t place) const;
  std::string value_text(const NamedArray* array, std::uint64_t bits, std::uint32_t bytes,
                         std::string_view ptx_type) const;

  /// The element that a name means, "sums[3]" or "tile[1][2]". Throws TraceError with what there is.
  struct Element {
    TraceSpace space{};
    std::uint32_t block = 0;
    std::uint64_t place = 0;
    std::uint32_t bytes = 0;
  };
  Element element(const std::string& text) const;
  /// The first wrong element, where the recorded launch has a parameter that points there.
  std::optional<Element> wrong_element() const;
  /// Who wrote it last before a step, and from what; nothing when no recorded step did. `turn`: the
  /// turns of lanes below it in an atomic of that step count too.
  std::optional<Source> source_of(const Element& element, std::size_t before,
                                  std::uint32_t turn = 0) const;
  /// Of what an access found: each of those who wrote a part of it; `all`: no part of it is nobody's.
  struct Sources {
    std::vector<Source> found;
    bool all = true;
  };
  Sources sources_of(const LaneAccess& read) const;

  /// Bytes at the end that are not what the recorded writes left there; 0 in a trace that is whole.
  std::size_t differing_bytes() const;

  /// Steps in which the earlier and the later access of a race were made, or the one of another
  /// finding; -1 where that was not recorded.
  struct Accused {
    std::int64_t step = -1, other = -1;
    std::vector<std::uint32_t> lanes, other_lanes;
  };
  Accused accused(const TraceFinding& finding) const;

 private:
  void name_arrays();
  void name_texels(const std::vector<DeclaredName>& parameters);
  void order_steps();
  void drop_source();
  NamedArray typed(NamedArray array, const DeclaredName& declared) const;
  ElementType accessed_type(TraceSpace space, std::uint64_t begin, std::uint64_t bytes) const;

  Trace trace_;
  Watched watched_;
  std::vector<NamedArray> arrays_;
  std::vector<std::size_t> order_, place_;
};

/// "lanes 0-15, 20".
std::string lanes_text(std::uint32_t lanes);
/// "2,1" of a block of two dimensions.
std::string index_text(const Dim3& index, const Dim3& extent);

/// As steps for a terminal.
struct TextOptions {
  std::optional<std::uint32_t> thread;  ///< of the first recorded block: only what that one does
  std::size_t most_lines = 4000;
};
std::string to_text(const Playback& playback, const TextOptions& options);
/// Who wrote the element, from what, and so on back to the inputs; origins.cpp.
std::string history_text(const Playback& playback, const Playback::Element& element);
/// Who had written an element before the recorded launch: "3 had written it: sweep, thread 5 of block 2; …".
std::string writer_text(const TraceWriter& writer);
/// What is shown above all steps: kernel, input, launches, findings; in lines of at most `width` columns.
std::string heading_text(const Playback& playback, std::size_t width = 100);
/// "scan.cu:12", and what stands there; of an instruction without a line "?" and nothing.
std::string place_text(const TraceOp& op);
std::string source_line(const Playback& playback, const TraceOp& op);

/// All of it, for programs.
nlohmann::json to_json(const Playback& playback);

}  // namespace gridstride::sim
