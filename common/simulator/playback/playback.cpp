// Names of arrays, elements and values; replay.
#include "common/simulator/playback/playback.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "common/simulator/base/half.h"

namespace gridstride::sim {
namespace {

std::uint64_t pointer_of(const TraceParameter& parameter) {
  std::uint64_t value = 0;
  if (parameter.value.size() != sizeof value) return 0;
  std::memcpy(&value, parameter.value.data(), sizeof value);
  return value;
}

/// What the grader says of memory that it made (session.cpp): "… for the argument out)".
std::string argument_of(const std::string& title) {
  constexpr std::string_view words = " for the argument ";
  const std::size_t at = title.find(words);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + words.size();
  return title.substr(begin, title.find_first_of("),", begin) - begin);
}

const TraceAllocation* allocation_of(const Trace& trace, std::uint64_t place) {
  for (const TraceAllocation& one : trace.allocations) {
    if (place - one.begin <= one.bytes) return &one;  // one past the end is a pointer into it still
  }
  return nullptr;
}

}  // namespace

Playback::Playback(Trace trace, Watched watched)
    : trace_(std::move(trace)), watched_(std::move(watched)) {
  name_arrays();
  order_steps();
  if (watched_.hide_source) drop_source();
}

void Playback::drop_source() {
  watched_.sources.clear();
  for (TraceOp& op : trace_.ops) {
    // "@%p1 ld.shared.f32": what kind of step it is stays.
    const std::size_t guard = op.text.starts_with('@') ? op.text.find(' ') : 0;
    if (guard != std::string::npos)
      op.text.resize(std::min(op.text.size(), op.text.find(' ', guard + 1)));
  }
}

ElementType Playback::accessed_type(TraceSpace space, std::uint64_t begin,
                                    std::uint64_t bytes) const {
  for (const TraceStep& step : trace_.steps) {
    for (const TraceAccess& access : step.accesses) {
      if (access.space != space || access.places.front() - begin >= bytes) continue;
      const std::string& type = trace_.ops[step.op].type;
      const char kind = type.starts_with('f') ? 'f' : type.starts_with('s') ? 'i' : 'u';
      return {kind, access.bytes};
    }
  }
  return {'u', 4};
}

NamedArray Playback::typed(NamedArray array, const DeclaredName& declared) const {
  array.type = declared.type;
  if (array.type.bytes == 0) array.type = accessed_type(array.space, array.begin, array.bytes);
  if (declared.extents.size() > 1 &&
      std::ranges::count(declared.extents.begin() + 1, declared.extents.end(), 0u) == 0)
    array.extents.assign(declared.extents.begin() + 1, declared.extents.end());
  return array;
}

void Playback::name_arrays() {
  std::vector<DeclaredName> parameters;
  for (const auto& [file, text] : watched_.sources) {
    auto found = kernel_parameters(text, trace_.kernel);
    if (found.size() == trace_.parameters.size()) parameters = std::move(found);
  }
  std::vector<const TraceAllocation*> named;
  for (std::size_t i = 0; i < trace_.parameters.size(); ++i) {
    const std::uint64_t pointer = pointer_of(trace_.parameters[i]);
    const TraceAllocation* const allocation =
        pointer == 0 ? nullptr : allocation_of(trace_, pointer);
    if (!allocation || (!parameters.empty() && !parameters[i].is_pointer)) continue;
    NamedArray array;
    array.name = parameters.empty() ? "parameter " + std::to_string(i + 1) : parameters[i].name;
    array.argument = argument_of(allocation->title);
    array.begin = pointer;
    array.bytes = allocation->begin + allocation->bytes - pointer;
    const bool again =
        std::ranges::any_of(arrays_, [&](const NamedArray& one) { return one.begin == pointer; });
    if (!again)
      arrays_.push_back(
          typed(std::move(array), parameters.empty() ? DeclaredName{} : parameters[i]));
    named.push_back(allocation);
  }
  for (const TraceAllocation& allocation : trace_.allocations) {
    if (std::ranges::find(named, &allocation) != named.end()) continue;
    NamedArray array;
    // A pointer may stand within a parameter, so the contract's name is as good as the kernel's.
    array.argument = argument_of(allocation.title);
    array.name = !allocation.name.empty() ? short_name(allocation.name)
                 : array.argument.empty() ? allocation.title
                                          : array.argument;
    const bool taken =
        std::ranges::any_of(arrays_, [&](const NamedArray& one) { return one.name == array.name; });
    if (taken) array.name = allocation.name.empty() ? allocation.title : allocation.name;
    array.begin = allocation.begin;
    array.bytes = allocation.bytes;
    arrays_.push_back(typed(std::move(array), {}));
  }
  for (std::uint32_t block = 0; block < trace_.blocks.size(); ++block) {
    for (const TraceShared& variable : trace_.shared) {
      DeclaredName declared;
      for (const auto& [file, text] : watched_.sources) {
        if (declared.name.empty()) declared = shared_variable(text, variable.name);
      }
      NamedArray array{
          variable.name, {}, TraceSpace::shared, block, variable.offset, variable.bytes, {}, {}};
      arrays_.push_back(typed(std::move(array), declared));
    }
  }
}

const NamedArray* Playback::array_at(TraceSpace space, std::uint32_t block,
                                     std::uint64_t place) const {
  const NamedArray* best = nullptr;
  bool best_holds = false;
  for (const NamedArray& array : arrays_) {
    if (array.space != space || (space == TraceSpace::shared && array.block != block) ||
        array.begin > place)
      continue;
    const bool holds = place - array.begin < array.bytes;
    // A place that no array holds is counted from the one before it, as the program counts.
    if (!best || (holds && !best_holds) || (holds == best_holds && array.begin >= best->begin)) {
      best = &array;
      best_holds = holds;
    }
  }
  return space == TraceSpace::local ? nullptr : best;
}

std::string Playback::label(TraceSpace space, std::uint32_t block, std::uint64_t place) const {
  const NamedArray* const array = array_at(space, block, place);
  if (!array) return fmt::format("{} memory at {}", name_of(space), place);
  std::uint64_t index = (place - array->begin) / array->type.bytes;
  if (!array->extents.empty()) {
    std::string indices;
    for (auto extent = array->extents.rbegin(); extent != array->extents.rend(); ++extent) {
      indices = fmt::format("[{}]{}", index % *extent, indices);
      index /= *extent;
    }
    return fmt::format("{}[{}]{}", array->name, index, indices);
  }
  return array->elements() == 1 && index == 0 && array->space == TraceSpace::shared
             ? array->name
             : fmt::format("{}[{}]", array->name, index);
}

std::string Playback::label(const TraceAccess& access, std::uint32_t block) const {
  const NamedArray* const array = array_at(access.space, block, access.places.front());
  const bool one_dimension = array && array->extents.empty();
  const std::uint64_t lane_bytes = std::uint64_t{access.bytes} * access.count;
  bool same = true, run = true;
  for (std::size_t i = 1; i < access.places.size(); ++i) {
    same = same && access.places[i] == access.places[0];
    run = run && access.places[i] == access.places[0] + i * lane_bytes;
  }
  if (one_dimension && array->elements() > 1 &&
      (access.count > 1 || (run && access.places.size() > 1 && !same))) {
    const std::uint64_t first = (access.places.front() - array->begin) / array->type.bytes;
    const std::uint64_t bytes = same ? lane_bytes : run ? lane_bytes * access.places.size() : 0;
    if (bytes != 0)
      return fmt::format("{}[{}..{}]", array->name, first, first + bytes / array->type.bytes - 1);
  }
  std::string text;
  std::string before;
  std::size_t shown = 0;
  for (const std::uint64_t place : access.places) {
    const std::string one = label(access.space, block, place);
    if (one == before) continue;
    before = one;
    if (shown++ == 4) return text + ", …";
    text += (text.empty() ? "" : ", ") + one;
  }
  return text;
}

std::string Playback::beyond(TraceSpace space, std::uint32_t block, std::uint64_t place) const {
  const NamedArray* const array = array_at(space, block, place);
  if (!array || place - array->begin < array->bytes) return {};
  return fmt::format(" (beyond the end: {} has {} element{})", array->name, array->elements(),
                     array->elements() == 1 ? "" : "s");
}

std::string Playback::value_text(const NamedArray* array, std::uint64_t bits, std::uint32_t bytes,
                                 std::string_view ptx_type) const {
  char kind = ptx_type.starts_with('f') ? 'f' : ptx_type.starts_with('s') ? 'i' : 'u';
  if (array && array->type.kind != 'x') kind = array->type.kind;
  if (kind == 'f' && bytes == 4)
    return fmt::format("{:.7g}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (kind == 'f' && bytes == 8) return fmt::format("{:.12g}", std::bit_cast<double>(bits));
  if (kind == 'f' && bytes == 2)
    return fmt::format("{:.4g}", to_float(lanes::Half{static_cast<std::uint16_t>(bits)}));
  if (kind == 'i' && bytes <= 8) {
    const unsigned unused = 64 - 8 * bytes;
    return std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
  }
  return std::to_string(bits);
}

Playback::Element Playback::element(const std::string& text) const {
  const std::size_t open = text.find('[');
  const std::string name = text.substr(0, open);
  std::string known;
  for (const NamedArray& array : arrays_) {
    if (known.find(array.name) == std::string::npos)
      known += (known.empty() ? "" : ", ") + array.name;
    if ((array.name != name && array.argument != name) || array.block != 0) continue;
    std::vector<std::uint64_t> indices;
    for (std::size_t at = open; at < text.size() && text[at] == '[';) {
      std::uint64_t index = 0;
      const auto [rest, error] =
          std::from_chars(text.data() + at + 1, text.data() + text.size(), index);
      if (error != std::errc() || rest == text.data() + text.size() || *rest != ']')
        throw TraceError("'" + text + "' is no element: expected a number in brackets, as in " +
                         name + "[3]");
      indices.push_back(index);
      at = static_cast<std::size_t>(rest - text.data()) + 1;
    }
    std::uint64_t index = 0;
    if (indices.size() > array.extents.size() + 1)
      throw TraceError("'" + text + "' has more indices than " + name + " has dimensions");
    // One index counts all elements, whatever the shape.
    for (std::size_t i = 0; i < indices.size(); ++i)
      index =
          i == 0 || indices.size() == 1 ? indices[i] : index * array.extents[i - 1] + indices[i];
    if (index >= array.elements())
      throw TraceError(
          fmt::format("'{}' is beyond the end: {} has {} elements", text, name, array.elements()));
    return {array.space, 0, array.begin + index * array.type.bytes, array.type.bytes};
  }
  throw TraceError("there is no array '" + name + "' in this launch; there is " +
                   (known.empty() ? "none" : known));
}

std::optional<Playback::Element> Playback::wrong_element() const {
  if (watched_.wrong.empty() || watched_.wrong_argument < 0) return std::nullopt;
  const std::string name = watched_.wrong.substr(0, watched_.wrong.find('['));
  for (const NamedArray& array : arrays_) {
    if (array.space != TraceSpace::global || (array.name != name && array.argument != name))
      continue;
    const TraceAllocation* const allocation = allocation_of(trace_, array.begin);
    if (!allocation || array.begin != allocation->begin || watched_.wrong_byte >= array.bytes)
      continue;
    return Element{array.space, 0, array.begin + watched_.wrong_byte, array.type.bytes};
  }
  return std::nullopt;
}

std::size_t Playback::differing_bytes() const {
  std::map<std::tuple<TraceSpace, std::uint32_t, std::uint64_t>, std::uint8_t> image;
  for (const std::size_t at : order_) {
    const TraceStep& step = trace_.steps[at];
    for (const TraceAccess& access : step.accesses) {
      if (access.kind == TraceKind::load || access.space == TraceSpace::local) continue;
      const auto& values = access.kind == TraceKind::atomic ? access.after : access.values;
      const std::uint32_t block = access.space == TraceSpace::shared ? block_of(step) : 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t place =
            access.places[i / access.count] + (i % access.count) * access.bytes;
        for (std::uint32_t byte = 0; byte < access.bytes; ++byte)
          image[{access.space, block, place + byte}] =
              static_cast<std::uint8_t>(values[i] >> 8 * byte);
      }
    }
  }
  std::size_t differing = 0;
  for (const TraceEnd& end : trace_.end) {
    const auto found = image.find({end.space, end.block, end.place});
    differing += found == image.end() || found->second != end.value ? 1 : 0;
  }
  return differing;
}

std::string lanes_text(std::uint32_t lanes) {
  if (lanes == 0) return "no lane";
  std::string text;
  int count = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    unsigned last = lane;
    while (last + 1 < 32 && (lanes >> (last + 1) & 1)) ++last;
    if (count++ == 5) return "lanes " + text + ", …";
    text += (text.empty() ? "" : ", ") + std::to_string(lane);
    if (last > lane) text += "-" + std::to_string(last);
    lane = last;
  }
  return (std::has_single_bit(lanes) ? "lane " : "lanes ") + text;
}

std::string index_text(const Dim3& index, const Dim3& extent) {
  std::string text = std::to_string(index.x);
  if (extent.y > 1 || extent.z > 1) text += "," + std::to_string(index.y);
  if (extent.z > 1) text += "," + std::to_string(index.z);
  return text;
}

}  // namespace gridstride::sim
