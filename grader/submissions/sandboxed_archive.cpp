// The reader's process, and the file that its list comes back in.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "common/files.h"
#include "common/paths.h"
#include "common/unique_fd.h"
#include "grader/sandbox/sandbox.h"
#include "grader/submissions/entries.h"

namespace gridstride {
namespace fs = std::filesystem;

Entries entries_of_archive(const fs::path& archive, const Wanted& wanted) {
  const TemporaryFolder scratch("gridstride-archive-");
  const fs::path list = scratch.path() / "list";
  const UniqueFd out(::open(list.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!out) throw std::runtime_error("cannot write to " + scratch.path().string());
  const fs::path program = build_folder() / "bin/gridstride-archive";
  const fs::path whole = fs::absolute(archive).lexically_normal();
  ChildOptions options;
  options.command = {program.string(),
                     whole.string(),
                     std::to_string(wanted.most_entries),
                     std::to_string(wanted.most_bytes),
                     std::to_string(wanted.most_wanted_bytes),
                     wanted.archives ? "1" : "0"};
  options.command.insert(options.command.end(), wanted.names.begin(), wanted.names.end());
  options.readable = {program, whole};
  if (const fs::path libraries = build_folder() / "lib"; fs::is_directory(libraries))
    options.readable.push_back(libraries);
  options.inherit = {out.get()};
  options.environment = {{"LC_ALL", "C.UTF-8"}};
  options.limits.wall_seconds = 300;
  options.limits.cpu_seconds = 120;
  options.limits.memory_bytes = (std::uint64_t{1} << 30) + 2 * wanted.most_wanted_bytes;
  options.limits.file_bytes = wanted.most_wanted_bytes + (std::uint64_t{64} << 20);
  options.limits.processes = 8;
  options.limits.open_files = 64;
  options.system_calls = SystemCalls::few;
  options.policy = SandboxPolicy::required;
  const ChildOutcome outcome = run_child(options);
  if (!outcome.succeeded()) {
    Entries entries;
    entries.problems.push_back("The archive cannot be read: what reads it " +
                               outcome.describe(options.limits) + ".");
    return entries;
  }
  return unpacked(read_file(list, static_cast<std::size_t>(options.limits.file_bytes)));
}

}  // namespace gridstride
