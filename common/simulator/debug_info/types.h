// From debugging information entries to types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/simulator/debug_info/debug_info.h"
#include "common/simulator/debug_info/entries.h"

namespace gridstride::sim {

/// Collects the types that variables name, each once. `entries` must outlive it.
class TypeTable {
 public:
  explicit TypeTable(const Entries& entries) : entries_(entries) {}

  /// The number in finish() of the type that stands at an offset; -1 where none does.
  std::int32_t number_of(std::uint64_t offset);
  std::vector<SourceType> finish();

 private:
  void fill(std::int32_t number, const Entry& entry);
  void fill_array(std::int32_t number, const Entry& entry);
  void fill_structure(std::int32_t number, const Entry& entry);
  std::int32_t add(SourceType type);
  SourceType& at(std::int32_t number) { return types_[static_cast<std::size_t>(number)]; }
  const std::string& name(std::int32_t number);

  const Entries& entries_;
  std::vector<SourceType> types_;
  std::unordered_map<std::uint64_t, std::int32_t> numbers_;
  /// Types that are another one under a name of their own, in the order in which they were met.
  std::vector<std::pair<std::int32_t, std::int32_t>> aliases_;
  /// Names that are made of another type's, which may not have its own yet: of what, "const ", "*".
  struct Name {
    std::int32_t of = -1;
    std::string before, after;
  };
  std::unordered_map<std::int32_t, Name> names_;
  int depth_ = 0;
};

}  // namespace gridstride::sim
