// Names of the few kinds, for the gradebook.
#include "grader/submissions/submission.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace gridstride {
namespace {

constexpr std::array<const char*, 5> platforms = {"folder", "moodle", "canvas", "gradescope",
                                                  "classroom"};
constexpr std::array<const char*, 5> kinds = {"plain", "link", "folder", "fifo", "too_large"};

template <class Value, std::size_t count>
std::optional<Value> value_named(const std::array<const char*, count>& names,
                                 const std::string& name) {
  for (std::size_t i = 0; i < count; ++i)
    if (name == names[i]) return static_cast<Value>(i);
  return std::nullopt;
}

}  // namespace

const char* name_of(Platform platform) { return platforms[static_cast<std::size_t>(platform)]; }

std::optional<Platform> platform_named(const std::string& name) {
  return value_named<Platform>(platforms, name);
}

const char* name_of(StageFile::Kind kind) { return kinds[static_cast<std::size_t>(kind)]; }

std::optional<StageFile::Kind> kind_named(const std::string& name) {
  return value_named<StageFile::Kind>(kinds, name);
}

}  // namespace gridstride
