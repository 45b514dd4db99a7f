// See the header.
#include "common/simulator/debugger/types.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace gridstride::sim {
namespace {

using Kind = TraceType::Kind;

std::string scalar_name(const ElementType& element) {
  const std::string sign = element.kind == 'u' ? "unsigned " : "";
  switch (element.bytes) {
    case 1:
      return element.kind == 'i' ? "signed char" : "unsigned char";
    case 2:
      return element.kind == 'f' ? "half" : sign + "short";
    case 4:
      return element.kind == 'f' ? "float" : sign + "int";
    case 8:
      return element.kind == 'f' ? "double" : sign + "long";
    default:
      return std::to_string(element.bytes) + " bytes";
  }
}

}  // namespace

const TraceType& Types::operator[](std::int32_t type) const {
  static const TraceType unknown{.name = "?", .members = {}};
  const bool known = type >= 0 && static_cast<std::size_t>(type) < types_.size();
  return known ? types_[static_cast<std::size_t>(type)] : unknown;
}

std::int32_t Types::add(TraceType type) {
  types_.push_back(std::move(type));
  return static_cast<std::int32_t>(types_.size()) - 1;
}

std::int32_t Types::scalar(Kind kind, std::uint64_t bytes, const std::string& name) {
  const auto found = std::ranges::find_if(types_, [&](const TraceType& one) {
    return one.kind == kind && one.bytes == bytes && one.name == name;
  });
  if (found != types_.end()) return static_cast<std::int32_t>(found - types_.begin());
  return add({.name = name, .kind = kind, .bytes = bytes, .members = {}});
}

std::int32_t Types::array(std::int32_t element, std::uint64_t count) {
  const TraceType of = (*this)[element];
  std::string name = of.name;  // its own extents stand behind the new one
  const std::size_t bracket = std::min(name.find('['), name.size());
  name.insert(bracket, "[" + std::to_string(count) + "]");
  return add({.name = name,
              .kind = Kind::array,
              .bytes = of.bytes * count,
              .element = element,
              .count = count,
              .members = {}});
}

std::int32_t Types::of(const NamedArray& named) {
  const ElementType& element = named.type;
  const bool shown =
      element.bytes == 1 || element.bytes == 2 || element.bytes == 4 || element.bytes == 8;
  const Kind kind = !shown                ? Kind::other
                    : element.kind == 'f' ? Kind::floating
                    : element.kind == 'i' ? Kind::signed_integer
                                          : Kind::unsigned_integer;
  std::int32_t type = scalar(kind, element.bytes, scalar_name(element));
  std::uint64_t count = named.elements();
  if (count == 1 && named.extents.empty() && named.space == TraceSpace::shared) return type;
  for (auto extent = named.extents.rbegin(); extent != named.extents.rend(); ++extent) {
    type = array(type, *extent);
    count /= *extent;
  }
  return array(type, count);
}

bool is_number(const TraceType& type) {
  switch (type.kind) {
    case Kind::signed_integer:
    case Kind::unsigned_integer:
    case Kind::boolean:
    case Kind::character:
    case Kind::pointer:
      return type.bytes >= 1 && type.bytes <= 8;
    case Kind::floating:
      return type.bytes == 2 || type.bytes == 4 || type.bytes == 8;
    default:
      return false;
  }
}

}  // namespace gridstride::sim
