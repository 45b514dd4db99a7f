// An allow-list decides what is handed out: what nobody thought of stays at home.
#include "grader/handout/pack.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "grader/course/lab_config.h"
#include "grader/handout/editor_list.h"
#include "grader/handout/places.h"
#include "grader/handout/programs.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

/// What students read and write. A lab's *.hpp and grader.cpp are the judge's, which comes ready.
constexpr std::array<std::string_view, 9> text_extensions = {".md", ".h",   ".cuh", ".cu", ".toml",
                                                             ".py", ".svg", ".png", ".gif"};

/// Beside docs/ and the labs.
constexpr std::array<std::string_view, 15> texts = {"lab",
                                                    "LICENSE",
                                                    ".vscode/extensions/gridstride/package.json",
                                                    ".vscode/launch.json",
                                                    ".vscode/tasks.json",
                                                    ".clangd",
                                                    "common/clangd/cuda_builtins.h",
                                                    "common/contract.h",
                                                    "common/example.h",
                                                    "common/glibc_overlay/bits/mathcalls.h",
                                                    "common/tools/host_compiler.sh",
                                                    "common/tools/packages.sh",
                                                    "common/tools/packages.txt",
                                                    "common/tools/toolkit.sh",
                                                    "common/tools/toolkit.txt"};

constexpr std::size_t largest_archive = std::size_t{1}
                                        << 30;  // bytes; `lab update` takes no larger one

/// Any date would do: files that are from 1970 look broken.
constexpr const char* time_of_all = "--mtime=2000-01-01 00:00:00Z";

bool is_text(const fs::path& file) {
  return std::ranges::find(text_extensions, file.extension().string()) != text_extensions.end();
}

/// What a figure is drawn of is a solution, so only the figure goes along.
bool draws_figure(const fs::path& file) {
  return file.extension() == ".toml" && file.parent_path().filename() == "figures";
}

class Layout {
 public:
  Layout(const HandoutSource& source, const fs::path& folder)
      : source_(source), top_(folder / handout_top), ready_(top_ / handed_out_build) {}

  void make() {
    add_texts();
    for (const std::string& lab : source_.labs) add_lab(lab);
    fs::copy_file(source_.tree / "grader/handout/students_readme.md", top_ / "README.md");
    write_file(top_ / ".gitignore", "/ready/\n/.lab/\n/compile_commands.json\n/steps.html\n");
    add_programs();
    add_licences();
    add_editor_commands();
    keep_texts();
  }

 private:
  void add(const fs::path& name) const {
    fs::create_directories((top_ / name).parent_path());
    fs::copy_file(source_.tree / name, top_ / name);
  }

  /// The texts in a folder of the tree and below it.
  void add_folder(const fs::path& name) const {
    for (const auto& entry : fs::recursive_directory_iterator(source_.tree / name)) {
      if (entry.is_regular_file() && !entry.is_symlink() && is_text(entry.path()) &&
          !draws_figure(entry.path()))
        add(entry.path().lexically_relative(source_.tree));
    }
  }

  void add_texts() const {
    for (const std::string_view name : texts) add(name);
    add_folder("docs");
    if (fs::is_directory(source_.tree / "thresholds")) add_folder("thresholds");
  }

  void add_lab(const std::string& lab) const {
    const fs::path home = fs::path("labs") / lab;
    const LabConfig config = load_lab_config(source_.tree / home);
    std::set<std::string> stages = {"0_baseline.cu"};
    for (const StageConfig& stage : config.stages) {
      check_skeleton(home / (stage.name + ".cu"));
      stages.insert(stage.name + ".cu");
    }
    for (const auto& entry : fs::directory_iterator(source_.tree / home)) {
      const fs::path name = home / entry.path().filename();
      if (entry.is_symlink()) continue;
      if (entry.is_directory()) {
        add_folder(name);
      } else if (is_text(name) &&
                 (name.extension() != ".cu" || stages.contains(name.filename().string()))) {
        add(name);
      }
    }
    add_object(lab);
  }

  /// Somebody who solves the labs in the tree that he hands out must not hand out that.
  void check_skeleton(const fs::path& name) const {
    if (read_file(source_.tree / name).find("TODO") == std::string::npos)
      throw std::runtime_error(name.string() +
                               " has no TODO, so it is no skeleton. Repair: `./lab reset " +
                               name.parent_path().filename().string() + "/" + name.stem().string() +
                               "` gives it back as it was.");
  }

  const fs::path& built(const fs::path& file) const {
    if (!fs::exists(file))
      throw std::runtime_error(file.string() +
                               " is not built. Repair: run ./lab handout without --no-build.");
    return file;
  }

  void add_object(const std::string& lab) const {
    copy_stripped(built(source_.build / "labs/CMakeFiles" / ("contract-" + lab + ".dir") / lab /
                        "contract.cpp.o"),
                  ready_ / "contracts" / (lab + ".o"));
  }

  void add_programs() const {
    std::vector<std::string> names = handout_programs();
    for (const std::string& lab : source_.labs) names.push_back("grade-" + lab);
    std::set<fs::path> libraries;
    for (const std::string& name : names) {
      const fs::path program = built(source_.build / "bin" / name);
      copy_stripped(program, ready_ / "bin" / name);
      for (const fs::path& library : libraries_of(program)) libraries.insert(library);
    }
    for (const fs::path& library : libraries)
      copy_stripped(fs::canonical(library), ready_ / "lib" / library.filename());
    const fs::path runtime = "lib/sim/libcudart.so.13";
    copy_stripped(built(source_.build / runtime), ready_ / runtime);
    std::string lines;
    for (const std::string& lab : source_.labs) lines += lab + "\n";
    write_file(ready_ / "labs.txt", lines);
    const nlohmann::ordered_json manifest = {{"labs", source_.labs}, {"glibc", glibc()}};
    write_file(top_ / handout_manifest, manifest.dump(2) + "\n");
  }

  /// Of the libraries that the programs hold or bring along: who hands them on hands these on too. Where
  /// they are not Debian's packages, nobody here knows where they are.
  void add_licences() const {
    const fs::path licences = ready_ / "licences";
    fs::create_directories(licences);
    fs::copy_file(source_.tree / "third_party/chart.js/LICENSE.md", licences / "chart.js");
    std::istringstream rows(read_file(source_.tree / "common/tools/packages.txt"));
    for (std::string row; std::getline(rows, row);) {
      std::istringstream words(row);
      std::string gives, package;
      if (!(words >> gives >> package) || !gives.starts_with("header:")) continue;
      std::error_code missing;
      fs::copy_file(fs::path("/usr/share/doc") / package / "copyright", licences / package,
                    missing);
    }
  }

  void add_editor_commands() const {
    const fs::path list = source_.tree / editor_commands;
    if (fs::exists(list))
      write_file(ready_ / editor_commands,
                 movable_editor_commands(read_file(list), source_.tree, source_.labs));
  }

  std::string glibc() const {
    std::vector<fs::path> files;
    for (const char* folder : {"bin", "lib"}) {
      for (const auto& entry : fs::recursive_directory_iterator(ready_ / folder)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
      }
    }
    return needed_glibc(files);
  }

  void keep_texts() const {
    const fs::path kept = top_ / handed_out_texts;
    std::vector<fs::path> names;
    for (const auto& entry : fs::recursive_directory_iterator(top_)) {
      const fs::path name = entry.path().lexically_relative(top_);
      if (entry.is_regular_file() && *name.begin() != handed_out_build) names.push_back(name);
    }
    for (const fs::path& name : names) {
      if (name == handout_manifest) continue;
      fs::create_directories((kept / name).parent_path());
      fs::copy_file(top_ / name, kept / name);
    }
  }

  const HandoutSource& source_;
  fs::path top_, ready_;
};

void run(const std::vector<std::string>& command) {
  if (find_program(command[0]).empty())
    throw std::runtime_error("There is no " + command[0] +
                             ". Repair: install it; its package has " + "that name too.");
  Subprocess process;
  process.command = command;
  process.environment = {{"LC_ALL", "C"}, {"TAR_OPTIONS", ""}};
  if (!run_process(process).succeeded())
    throw std::runtime_error(command[0] + " failed: see above.");
}

}  // namespace

std::vector<std::string> handout_programs() {
  return {"gridstride",      "gridstride-tools",      "gridstride-runner",    "gridstride-device",
          "gridstride-link", "gridstride-supervisor", "gridstride-gpu-device"};
}

void lay_out(const HandoutSource& source, const fs::path& folder) { Layout(source, folder).make(); }

void pack(const fs::path& folder, const fs::path& archive) {
  const TemporaryFolder scratch;
  const fs::path tar = scratch.path() / "handout.tar";
  run({"tar", "--create", "--format=ustar", "--sort=name", time_of_all, "--owner=0", "--group=0",
       "--numeric-owner", "--mode=u=rwX,go=rX", "--directory", folder.string(), "--file",
       tar.string(), handout_top});
  const fs::path packed = scratch.path() / "handout.tar.zst";
  // One thread: what several make is another stream. Level 19 takes ten seconds to save an eighth.
  run({"zstd", "-q", "-9", "--long=27", "--single-thread", "--no-check", tar.string(), "-o",
       packed.string()});
  write_file(archive, read_file(packed, largest_archive));
}

}  // namespace gridstride
