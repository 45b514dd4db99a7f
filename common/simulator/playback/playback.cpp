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

/// Of "image(3, 5)", whose coordinates begin at `open`: the texel's first channel.
std::uint64_t texel_index(const TraceTexels& texels, const std::string& text, std::size_t open) {
  const std::uint64_t extents[] = {texels.width, texels.height, texels.depth};
  std::uint64_t at[3] = {0, 0, 0};
  std::size_t axis = 0;
  const char* from = text.data() + open + 1;
  const char* const end = text.data() + text.size();
  for (bool more = true; more; ++axis) {
    while (from != end && *from == ' ') ++from;
    const auto [rest, error] = std::from_chars(from, end, at[axis]);
    if (error != std::errc() || rest == end)
      throw TraceError("'" + text + "' is no texel: expected its coordinates, as in (3, 5)");
    if (at[axis] >= extents[axis])
      throw TraceError(fmt::format("'{}' is outside: there are {} x {} x {} texels", text,
                                   texels.width, texels.height, texels.depth));
    more = *rest == ',' && axis < 2;
    from = rest + 1;
  }
  return ((at[2] * texels.height + at[1]) * texels.width + at[0]) * texels.channels;
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
    const bool is_texels = std::ranges::any_of(
        trace_.texels, [&](const TraceTexels& one) { return one.begin == allocation.begin; });
    if (is_texels || std::ranges::find(named, &allocation) != named.end()) continue;
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
  name_texels(parameters);
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

/// By the parameter that brings the object; one that stands within another parameter has a number.
void Playback::name_texels(const std::vector<DeclaredName>& parameters) {
  std::size_t number = 0;
  for (const TraceTexels& texels : trace_.texels) {
    NamedArray array;
    array.name = fmt::format("texels{}", ++number);
    for (std::size_t i = parameters.size(); i-- > 0;) {
      const std::uint64_t object = pointer_of(trace_.parameters[i]);
      if (parameters[i].is_object && std::ranges::count(texels.objects, object) != 0)
        array.name = parameters[i].name;
    }
    array.begin = texels.begin;
    array.bytes = texels.bytes;
    array.type = {texels.kind, texels.channel_bytes};
    if (texels.depth > 1) array.extents = {texels.height};
    if (texels.height > 1) array.extents.push_back(texels.width * texels.channels);
    array.texels = texels;
    arrays_.push_back(std::move(array));
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

std::string NamedArray::label(std::uint64_t first, std::uint64_t last) const {
  const auto range = [](std::uint64_t from, std::uint64_t to) {
    return from == to ? std::to_string(from) : fmt::format("{}..{}", from, to);
  };
  if (texels) {
    const std::uint64_t from = first / texels->channels, to = last / texels->channels;
    const std::uint64_t row = from / texels->width;
    if (to / texels->width != row) return label(first, first) + " to " + label(last, last);
    std::string text = name + '(' + range(from % texels->width, to % texels->width);
    if (texels->height > 1) text += fmt::format(", {}", row % texels->height);
    if (texels->depth > 1)
      text += fmt::format(", {}{}", texels->layered ? "layer " : "", row / texels->height);
    text += ')';
    // One channel of several.
    if (texels->channels > 1 && first == last)
      text += std::string(".") + "xyzw"[first % texels->channels];
    return text;
  }
  if (extents.empty()) return fmt::format("{}[{}]", name, range(first, last));
  if (first / extents.back() != last / extents.back())
    return label(first, first) + " to " + label(last, last);
  std::string indices = fmt::format("[{}]", range(first % extents.back(), last % extents.back()));
  std::uint64_t index = first / extents.back();
  for (auto extent = extents.rbegin() + 1; extent != extents.rend(); ++extent) {
    indices = fmt::format("[{}]{}", index % *extent, indices);
    index /= *extent;
  }
  return fmt::format("{}[{}]{}", name, index, indices);
}

std::string Playback::label(TraceSpace space, std::uint32_t block, std::uint64_t place) const {
  const NamedArray* const array = array_at(space, block, place);
  if (!array) return fmt::format("{} memory at {}", name_of(space), place);
  const std::uint64_t index = array->index_at(place);
  const bool alone = array->elements() == 1 && index == 0 && array->extents.empty() &&
                     array->space == TraceSpace::shared;
  return alone ? array->name : array->label(index, index);
}

/// What one lane accesses is one range; so are neighbours of neighbouring lanes.
std::string Playback::label(const TraceAccess& access, std::uint32_t block) const {
  constexpr std::size_t most = 4;
  struct Range {
    const NamedArray* array = nullptr;
    std::uint64_t first = 0, last = 0;
    bool operator==(const Range&) const = default;
  };
  std::vector<Range> ranges;
  const std::uint64_t lane_bytes = std::uint64_t{access.bytes} * access.count;
  for (const std::uint64_t place : access.places) {
    Range range{array_at(access.space, block, place), place, place};
    if (range.array) {
      range.first = range.array->index_at(place);
      range.last =
          range.first + std::max<std::uint64_t>(lane_bytes / range.array->type.bytes, 1) - 1;
    }
    Range* const before = ranges.empty() ? nullptr : &ranges.back();
    if (before && range == *before) continue;
    const bool next =
        before && range.array && before->array == range.array && range.first == before->last + 1;
    if (next) {
      before->last = range.last;
    } else {
      ranges.push_back(range);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (i == most) return text + ", …";
    const Range& one = ranges[i];
    text +=
        (i == 0 ? "" : ", ") +
        (!one.array || one.first == one.last
             ? label(access.space, block, one.array ? one.array->place_of(one.first) : one.first)
             : one.array->label(one.first, one.last));
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
  if (array && bytes > array->type.bytes && bytes % array->type.bytes == 0) {
    const std::uint32_t size = array->type.bytes;
    std::string parts;
    for (std::uint32_t at = 0; at < bytes; at += size) {
      const std::uint64_t part = at < sizeof bits ? bits >> 8 * at : 0;
      const std::uint64_t kept = size >= sizeof bits ? part : part & ((1ull << 8 * size) - 1);
      parts += (at == 0 ? "" : " ") + value_text(array, kept, size, ptx_type);
    }
    return parts;
  }
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
  const std::size_t open = text.find_first_of("[(");
  const std::string name = text.substr(0, open);
  std::string known;
  for (const NamedArray& array : arrays_) {
    if (known.find(array.name) == std::string::npos)
      known += (known.empty() ? "" : ", ") + array.name;
    if ((array.name != name && array.argument != name) || array.block != 0) continue;
    std::vector<std::uint64_t> indices;
    if (array.texels && open != std::string::npos && text[open] == '(') {
      const std::uint64_t index = texel_index(*array.texels, text, open);
      return {array.space, 0, array.place_of(index), array.type.bytes};
    }
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
    return {array.space, 0, array.place_of(index), array.type.bytes};
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
