// What debug information says of a program's variables, as data: names, types, where each one is while
// which instruction is next. dwarf.h reads it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gridstride::sim {

/// A type of the source. Kinds are those of DWARF, as far as CUDA C++ has them.
struct SourceType {
  enum class Kind : std::uint8_t {
    other,  ///< shown as bytes
    signed_integer,
    unsigned_integer,
    floating,
    boolean,
    character,
    pointer,  ///< also a reference
    array,
    structure,
  };
  struct Member {
    std::string name;
    std::uint64_t offset = 0;  ///< bytes
    std::int32_t type = -1;    ///< a number in the list that holds this type
  };
  std::string name;  ///< "float", "const float*", "float[4]"
  Kind kind = Kind::other;
  std::uint64_t bytes = 0;
  std::int32_t element = -1;    ///< of pointers and arrays: a number in the list; -1: unknown, void
  std::uint64_t count = 0;      ///< elements of an array
  std::vector<Member> members;  ///< of structures and unions, inherited ones first
};

/// Where a variable is while the instructions `begin` <= number < `end` of its function are next.
struct DebugLocation {
  std::uint32_t begin = 0, end = 0;
  bool is_register = false;
  std::string name;          ///< "%r1", or the symbol whose memory holds it
  std::uint64_t offset = 0;  ///< bytes from the symbol
};

struct DebugVariable {
  std::string name;
  std::int32_t type = -1;  ///< in DebugInfo::types; -1: unknown
  bool is_parameter = false;
  std::uint32_t line = 0;                ///< of its declaration
  std::uint32_t begin = 0, end = 0;      ///< instructions of the block that declares it
  std::vector<DebugLocation> locations;  ///< none: the compiler kept it nowhere
};

/// Instructions of a function that was inlined, and where it was called.
struct InlinedRange {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t file = 0, line = 0;  ///< of the call; files as .file numbers them
};

struct DebugFunction {
  std::uint32_t function = 0;  ///< as addresses have it, see DebugSections
  std::vector<DebugVariable> variables;
  std::vector<InlinedRange> inlined;  ///< each behind those that it lies in
};

struct DebugInfo {
  std::vector<SourceType> types;
  std::vector<DebugFunction> functions;  ///< those with code
};

}  // namespace gridstride::sim
