// Names and types that only the source knows: a kernel's parameters, the shape of shared arrays. The
// compiler's line information has no names, so they are read from the text as far as that is plain.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride::sim {

/// What an element is: 'f' floating point, 'i' signed, 'u' unsigned, 'x' not known.
struct ElementType {
  char kind = 'x';
  std::uint32_t bytes = 0;
};

struct DeclaredName {
  std::string name;
  ElementType type;
  std::vector<std::uint32_t> extents;  ///< of an array, as far as they are numbers; else 0
  bool is_pointer = false;
  bool is_object = false;  ///< a texture or surface
};

/// Of the type as written: "const float*", "std::uint32_t", "float4" (whose elements are floats).
ElementType element_type(std::string_view type);

/// "sum_sections" of "(anonymous namespace)::sum_sections(float const*, long)".
std::string short_name(const std::string& kernel);

/// The parameters of a kernel in its order; empty when the text does not hold it.
std::vector<DeclaredName> kernel_parameters(const std::string& source, const std::string& kernel);

/// The declaration of a shared variable; its name is empty when there is none.
DeclaredName shared_variable(const std::string& source, const std::string& name);

}  // namespace gridstride::sim
