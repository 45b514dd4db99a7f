// Names and kinds are looked at before anything is unpacked, and the files once more afterwards.
#include "grader/handout/unpack.h"

#include <signal.h>

#include <cstdint>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "common/text.h"
#include "grader/handout/places.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 30;

[[noreturn]] void refuse(const fs::path& archive, const std::string& reason) {
  throw std::runtime_error(archive.filename().string() + " is not taken: " + reason +
                           ". Nothing has been changed.");
}

void need_program(const std::string& name) {
  if (find_program(name).empty())
    throw std::runtime_error("There is no " + name +
                             " to unpack with. Repair: install it; its "
                             "package has that name too.");
}

/// What it prints; false where it fails.
bool succeeds(const std::vector<std::string>& command, std::string* said = nullptr) {
  Subprocess process;
  process.command = command;
  process.environment = {{"LC_ALL", "C"}, {"TAR_OPTIONS", ""}};
  process.hide_errors = true;
  process.on_line = [said](std::string_view line) {
    if (said != nullptr) *said += std::string(line) + "\n";
  };
  return run_process(process).succeeded();
}

/// zstd's own words tell what stopped it, but for the limit, whose signal ends it.
std::string why_not_unpacked(int exit_code, const std::string& said, const fs::path& folder) {
  const auto has = [&said](const char* words) { return said.find(words) != std::string::npos; };
  if (exit_code == 128 + SIGXFSZ || has("File too large")) return "it is larger than 1 GiB";
  if (has("No space left") || has("quota exceeded"))
    return "there is no room in " + folder.string() + " to unpack it";
  return "it is damaged, or no archive of zstd";
}

const char* kind_of(char letter) {
  switch (letter) {
    case 'l':
      return "a link";
    case 'h':
      return "a hard link";
    case 'p':
      return "a FIFO";
    default:
      return "a device or another special file";
  }
}

void check_names(const fs::path& archive, const fs::path& tar) {
  std::string kinds, names;
  if (!succeeds({"tar", "--list", "--verbose", "--absolute-names", "--quoting-style=escape",
                 "--file", tar.string()},
                &kinds) ||
      !succeeds(
          {"tar", "--list", "--absolute-names", "--quoting-style=escape", "--file", tar.string()},
          &names))
    refuse(archive, "it is damaged, or no tar archive");
  std::istringstream kind_lines(kinds), name_lines(names);
  std::string kind;
  for (std::string name; std::getline(name_lines, name) && std::getline(kind_lines, kind);) {
    const std::string shown = in_quotes(name, 80);
    const fs::path path = name;
    if (path.is_absolute()) refuse(archive, "it has the absolute name " + shown);
    for (const fs::path& part : path) {
      if (part == "..") refuse(archive, "it names " + shown + ", which leads out of its folder");
    }
    if (kind[0] != '-' && kind[0] != 'd')
      refuse(archive, shown + " in it is " + kind_of(kind[0]) + ", and a handout has plain files");
    if (path.begin() == path.end() || *path.begin() != handout_top)
      refuse(archive, shown + " is outside the folder " + handout_top + "/, so it is no handout");
  }
}

/// What has come of it: names that two readers of archives understand differently end here.
void check_files(const fs::path& archive, const fs::path& top) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(top)) {
    const fs::file_status status = entry.symlink_status();
    if (!fs::is_directory(status) && !fs::is_regular_file(status))
      refuse(archive, "it holds something that is no plain file");
    if (fs::is_regular_file(status)) bytes += entry.file_size();
  }
  if (bytes > most_bytes) refuse(archive, "it is larger than 1 GiB");
}

/// What an update goes by: each text twice, where students have it and as it was packed.
void check_texts(const fs::path& archive, const fs::path& top) {
  const fs::path texts = top / handed_out_texts;
  for (const auto& entry : fs::recursive_directory_iterator(texts)) {
    if (!entry.is_regular_file()) continue;
    const fs::path name = entry.path().lexically_relative(texts);
    const std::string shown = in_quotes(name.string(), 80);
    for (const char* place : {handed_out_build, handout_manifest, ".git", ".lab"}) {
      if (*name.begin() == place) refuse(archive, "it has the text " + shown + ", which is none");
    }
    const fs::path twin = top / name;
    if (!fs::is_regular_file(twin) || read_file(twin) != read_file(entry.path()))
      refuse(archive, "it is damaged: " + shown + " is not as it was packed");
  }
}

}  // namespace

fs::path unpack(const fs::path& archive, const fs::path& folder) {
  need_program("zstd");
  need_program("tar");
  if (fs::is_directory(archive))
    throw std::runtime_error(archive.string() + " is a folder: name the archive, course.tar.zst.");
  if (!fs::is_regular_file(archive))
    throw std::runtime_error("There is no file " + archive.string() + ".");
  const fs::path tar = folder / "handout.tar";
  const std::string blocks = std::to_string(most_bytes / 512);
  std::string said;
  Subprocess zstd;
  zstd.command = {"/bin/sh",
                  "-c",
                  "ulimit -f " + blocks + " && exec zstd \"$@\" 2>&1",
                  "sh",
                  "-q",
                  "-d",
                  "--long=27",
                  "-o",
                  tar.string(),
                  fs::absolute(archive).string()};
  zstd.environment = {{"LC_ALL", "C"}};
  zstd.on_line = [&said](std::string_view line) { said += std::string(line) + "\n"; };
  if (const SubprocessResult ended = run_process(zstd); !ended.succeeded())
    refuse(archive, why_not_unpacked(ended.exit_code, said, folder.parent_path()));
  check_names(archive, tar);
  if (!succeeds({"tar", "--extract", "--no-same-owner", "--no-same-permissions", "--directory",
                 folder.string(), "--file", tar.string()}))
    refuse(archive, "it cannot be unpacked; there may be no room");
  fs::remove(tar);
  const fs::path top = folder / handout_top;
  check_files(archive, top);
  for (const fs::path& name :
       {fs::path(handout_manifest), fs::path(handed_out_build) / "bin/gridstride",
        fs::path(handed_out_texts) / "lab"}) {
    if (!fs::exists(top / name))
      refuse(archive, "it has no " + name.string() + ", so it is no handout");
  }
  check_texts(archive, top);
  return top;
}

}  // namespace gridstride
