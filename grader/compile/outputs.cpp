// Options are changed in place; lists of dependencies name their target, and get its name back.
#include "grader/compile/outputs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/files.h"
#include "grader/compile/dependencies.h"
#include "grader/compile/room.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

constexpr const char* header_list_name = "out.d";

/// The argument after `flag`; null when `flag` is absent.
std::string* argument_after(std::vector<std::string>& command, std::string_view flag) {
  const auto found = std::find(command.begin(), command.end(), flag);
  return found == command.end() || found + 1 == command.end() ? nullptr : &*(found + 1);
}

/// A copy that ends early is told of as an input/output error; what the disk takes says more.
[[noreturn]] void cannot_write(const fs::path& file, std::uint64_t bytes,
                               const std::string& reason) {
  const std::string lack = lack_of_room(fs::absolute(file).parent_path(), bytes);
  if (!lack.empty()) throw std::runtime_error(lack);
  throw std::runtime_error("cannot write " + file.string() + ": " + reason +
                           ". Repair: see that the build folder is yours to write to; then run the "
                           "command again.");
}

}  // namespace

Outputs::Outputs(std::vector<std::string>& command, const fs::path& scratch) : scratch_(scratch) {
  std::string* const product = argument_after(command, "-o");
  if (product == nullptr) throw std::runtime_error("the command to guard has no -o");
  redirect(*product, "out", true);
  if (std::string* const headers = argument_after(command, "-MF"); headers != nullptr)
    redirect(*headers, header_list_name, true);
  redirect_linker_list(command);
}

void Outputs::redirect(std::string& path, const char* name, bool always) {
  files_.push_back({scratch_ / name, path, always});
  path = (scratch_ / name).string();
}

/// "-Wl,--dependency-file=X", "-Wl,--dependency-file,X", "-Xlinker=--dependency-file=X",
/// "-Xlinker --dependency-file -Xlinker X" and what else there is between them. A device link takes
/// the option and writes nothing.
void Outputs::redirect_linker_list(std::vector<std::string>& command) {
  constexpr std::string_view option = "--dependency-file";
  for (std::size_t i = 0; i < command.size(); ++i) {
    std::size_t at = command[i].find(option);
    if (at == std::string::npos) continue;
    at += option.size();
    if (at == command[i].size()) {  // the path is the next word
      if (++i < command.size() && command[i] == "-Xlinker") ++i;
      if (i >= command.size()) return;
      at = 0;
      for (const std::string_view prefix : {"-Wl,", "-Xlinker="}) {
        if (command[i].starts_with(prefix)) at = prefix.size();
      }
    } else if (command[i][at] == '=' || command[i][at] == ',') {
      ++at;
    } else {
      continue;  // another option that starts alike
    }
    std::string& argument = command[i];
    const std::size_t end = std::min(argument.find(',', at), argument.size());
    std::string path = argument.substr(at, end - at);
    redirect(path, "link.d", false);
    argument.replace(at, end - at, path);
  }
}

fs::path Outputs::header_list() const {
  for (const File& file : files_) {
    if (file.written.filename() == header_list_name) return file.written;
  }
  return {};
}

void Outputs::rewrite_header_list(const std::vector<fs::path>& files) const {
  const fs::path list = header_list();
  std::error_code error;
  if (list.empty() || !fs::exists(list, error)) return;
  const std::string written = read_file(list);
  std::ofstream(list) << dependency_rule(target_of(written), files);
}

fs::path Outputs::folder() const { return fs::absolute(files_.front().wanted).parent_path(); }

void Outputs::deliver() const {
  const fs::path& target = files_.front().wanted;
  for (auto file = files_.rbegin(); file != files_.rend(); ++file) {  // the product last
    std::error_code error;
    if (!fs::exists(file->written, error)) {
      if (!file->always) continue;
      throw std::runtime_error("the compiler says that it succeeded, but it did not write " +
                               file->wanted.string() +
                               ". Repair: `./lab doctor` looks at the toolkit; install it again.");
    }
    if (file->written != product()) {
      std::string list = read_file(file->written);
      if (const std::size_t at = list.find(product().string()); at != std::string::npos) {
        list.replace(at, product().string().size(), target.string());
        std::ofstream(file->written) << list;
      }
    }
    const fs::path draft = file->wanted.string() + ".part";
    fs::create_directories(fs::absolute(file->wanted).parent_path(), error);
    if (!error) fs::copy_file(file->written, draft, fs::copy_options::overwrite_existing, error);
    if (!error) fs::rename(draft, file->wanted, error);
    if (error) {
      std::error_code ignored;
      fs::remove(draft, ignored);
      cannot_write(file->wanted, fs::file_size(file->written), error.message());
    }
  }
}

}  // namespace gridstride
