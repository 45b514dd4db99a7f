// Contents and names; times and places do not count.
#include "grader/batch/course_version.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "grader/gradebook/sha256.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;

/// A folder's headers and numbers, by name; a lab's stages are the students'. None where there is no folder.
std::vector<fs::path> fixed_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".toml" || extension == ".h" || extension == ".cuh" ||
        entry.path().filename() == "0_baseline.cu")
      files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::string course_version(const std::string& lab, const fs::path& tree, const fs::path& build,
                           const fs::path& nvcc) {
  Sha256 hash;
  const auto add = [&hash](const fs::path& file) {
    hash.add_part(file.filename().string());
    hash.add_part(read_file(fs::canonical(file), most_bytes));
  };
  for (const std::string& program :
       {"grade-" + lab, std::string("gridstride-runner"), std::string("gridstride-device")})
    add(build / "bin" / program);
  std::error_code missing;  // where there is no GPU it was not built
  if (fs::exists(build / "bin/gridstride-gpu-device", missing))
    add(build / "bin/gridstride-gpu-device");
  add(build / "lib/sim/libcudart.so.13");
  for (const fs::path& folder : {tree / "labs" / lab, tree / "thresholds"})
    for (const fs::path& file : fixed_files(folder)) add(file);
  add(tree / "common/contract.h");
  hash.add_part(output_of({nvcc.string(), "--version"}));
  return hash.digits().substr(0, 16);
}

}  // namespace gridstride
