// Small files, written whole; one for each fact, so that nothing needs to be parsed.
#include "grader/cli/progress/state.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include "common/files.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

bool make_writable_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return !error && ::access(folder.c_str(), W_OK) == 0;
}

fs::path user_state() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
    return fs::path(state) / "gridstride";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return fs::path(home) / ".local/state/gridstride";
  return {};
}

/// A path as the name of one folder.
std::string flattened(const fs::path& path) {
  std::string name = path.string().substr(1);
  for (char& c : name) {
    if (c == '/') c = '%';
  }
  return name;
}

fs::path hint_file(const fs::path& state, const std::string& stage) {
  return state / "hints" / stage;
}

}  // namespace

fs::path state_folder(const fs::path& tree) {
  if (make_writable_folder(tree / ".lab")) return tree / ".lab";
  const fs::path user = user_state();
  if (!user.empty() && make_writable_folder(user / flattened(fs::absolute(tree))))
    return user / flattened(fs::absolute(tree));
  throw std::runtime_error("There is nowhere to remember things: neither " +
                           (tree / ".lab").string() + " nor " +
                           (user.empty() ? "$HOME/.local/state" : user.string()) +
                           " can be written to. Repair: name a folder of yours in XDG_STATE_HOME.");
}

int hints_shown(const fs::path& state, const std::string& stage) {
  const fs::path file = hint_file(state, stage);
  if (!fs::exists(file)) return 0;
  return std::atoi(read_file(file).c_str());  // a damaged file starts anew
}

void remember_hints(const fs::path& state, const std::string& stage, int count) {
  const fs::path file = hint_file(state, stage);
  fs::create_directories(file.parent_path());
  write_file(file, std::to_string(count) + "\n");
}

}  // namespace gridstride::cli
