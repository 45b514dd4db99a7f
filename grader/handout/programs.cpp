// binutils and ldd know the format; both come with every compiler.
#include "grader/handout/programs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/subprocess.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

/// How the names of libraries begin that are not brought along. A newer C++ library than the one that
/// the programs were built with will do, and a student's stage may need it.
constexpr std::array<std::string_view, 11> of_every_machine = {
    "linux-vdso.so",  "/lib64/ld-linux", "libc.so.",     "libm.so.",      "libdl.so.",  "librt.so.",
    "libpthread.so.", "libstdc++.so.",   "libgcc_s.so.", "libcudart.so.", "libcuda.so."};

/// "2.36" → {2, 36}.
std::vector<int> numbers_of(const std::string& version) {
  std::vector<int> numbers;
  std::istringstream parts(version);
  for (std::string part; std::getline(parts, part, '.');)
    numbers.push_back(std::atoi(part.c_str()));
  return numbers;
}

}  // namespace

void copy_stripped(const fs::path& program, const fs::path& to) {
  fs::create_directories(to.parent_path());
  const bool is_object = program.extension() == ".o";
  Subprocess strip;
  strip.command = {"strip", is_object ? "--strip-debug" : "--strip-unneeded", "-o", to.string(),
                   program.string()};
  if (!run_process(strip).succeeded())
    throw std::runtime_error("strip failed on " + program.string() + ": see above.");
}

std::vector<fs::path> libraries_of(const fs::path& program) {
  std::vector<fs::path> libraries;
  std::istringstream lines(output_of({"ldd", program.string()}));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, arrow, path;
    words >> name >> arrow >> path;
    if (std::ranges::any_of(of_every_machine,
                            [&name](std::string_view known) { return name.starts_with(known); }))
      continue;
    const fs::path library = path;
    if (library.is_relative())
      throw std::runtime_error(
          program.string() + " needs " + name +
          ", which is not found. Repair: `./lab doctor` says what is missing.");
    libraries.push_back(library);
  }
  return libraries;
}

std::string needed_glibc(const std::vector<fs::path>& programs) {
  std::string newest = "2.0";
  for (const fs::path& program : programs) {
    const std::string said = output_of({"readelf", "--wide", "--version-info", program.string()});
    constexpr std::string_view name = "Name: GLIBC_";
    for (std::size_t at = said.find(name); at != std::string::npos; at = said.find(name, at)) {
      at += name.size();
      const std::string version = said.substr(at, said.find_first_not_of("0123456789.", at) - at);
      if (numbers_of(newest) < numbers_of(version)) newest = version;
    }
  }
  return newest;
}

}  // namespace gridstride
