// Finds the toolkit's runtime and our own programs.
#include "grader/judge/runners/installation.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "common/paths.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

/// The toolkit of the build first; on another machine it may lie elsewhere.
std::vector<fs::path> cuda_folders() {
  std::vector<fs::path> candidates = {GRIDSTRIDE_CUDA_LIBRARIES, "/usr/local/cuda/lib64"};
  std::error_code ignored;
  std::vector<fs::path> versions;
  for (const auto& entry : fs::directory_iterator("/usr/local", ignored)) {
    if (entry.path().filename().string().starts_with("cuda-"))
      versions.push_back(entry.path() / "lib64");
  }
  std::ranges::sort(versions, std::greater<>());
  candidates.insert(candidates.end(), versions.begin(), versions.end());
  std::vector<fs::path> found;
  for (const fs::path& folder : candidates) {
    if (fs::exists(folder / "libcudart.so.13", ignored)) {
      found.push_back(folder);
      break;
    }
  }
  // Containers often name the driver's folder in the library path and nowhere else.
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) {
    std::istringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      if (!folder.empty() && folder.front() == '/' && fs::is_directory(folder, ignored))
        found.emplace_back(folder);
    }
  }
  return found;
}

}  // namespace

Installation Installation::find() {
  const fs::path build = build_folder();
  Installation installation;
  installation.runner = build / "bin/gridstride-runner";
  installation.device = build / "bin/gridstride-device";
  installation.gpu_device = build / "bin/gridstride-gpu-device";
  installation.simulated_cuda = build / "lib/sim";
  installation.cuda = cuda_folders();
  installation.stages = build / "stages";
  installation.tree = source_tree();
  return installation;
}

const fs::path& need(const fs::path& file, const std::string& target) {
  std::error_code ignored;
  if (!fs::exists(file, ignored))
    throw CannotGrade(file.filename().string() + " is not built. Repair: build the target " +
                      target + " (./lab grade does it).");
  return file;
}

}  // namespace gridstride
