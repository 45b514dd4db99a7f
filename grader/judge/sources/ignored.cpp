// Names only: nothing is opened, whatever it is.
#include "grader/judge/sources/ignored.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "common/text.h"

namespace gridstride {
namespace fs = std::filesystem;

std::vector<std::string> ignored_files(const fs::path& folder, const LabConfig& lab,
                                       bool courses_own) {
  constexpr std::size_t most_looked_at = 100'000, most_kept = 100;
  const auto is_known = [&](const std::string& name) {
    if (courses_own && (!name.ends_with(".cu") || name == "0_baseline.cu")) return true;
    return name.ends_with(".cu") && lab.stage(name.substr(0, name.size() - 3)) != nullptr;
  };
  std::vector<std::string> names;
  std::error_code error;
  std::size_t looked_at = 0;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (++looked_at > most_looked_at) break;
    if (const std::string name = entry->path().filename().string(); !is_known(name))
      names.push_back(escaped(name));
  }
  std::ranges::sort(names);
  if (names.size() > most_kept) names.resize(most_kept);
  return names;
}

}  // namespace gridstride
