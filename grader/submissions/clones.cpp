// git clone, git archive, git log.
#include "grader/submissions/clones.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "common/text.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

/// Nothing of the user's settings, and no question that nobody answers.
const std::map<std::string, std::string> quiet = {
    {"GIT_TERMINAL_PROMPT", "0"},           {"GIT_CONFIG_NOSYSTEM", "1"}, {"GIT_CONFIG_COUNT", "1"},
    {"GIT_CONFIG_KEY_0", "safe.directory"}, {"GIT_CONFIG_VALUE_0", "*"},  {"LC_ALL", "C.UTF-8"}};

/// The last line that git says, where it fails; empty where it does not.
std::string failure_of(const std::vector<std::string>& command) {
  Subprocess git;
  git.command = command;
  git.environment = quiet;
  git.merge_errors = true;
  std::string last = "it says nothing";
  git.on_line = [&last](std::string_view line) {
    if (!line.empty()) last = line;
  };
  return run_process(git).succeeded() ? std::string() : shorten(clean_text(last), 200);
}

std::string first_line(const std::string& text) {
  return clean_text(text.substr(0, text.find('\n')));
}

}  // namespace

std::string last_commit_of(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  ChildOptions git;
  git.command = {find_program("git").string(), "-C", whole.string(), "log", "-1", "--format=%cI"};
  if (git.command.front().empty()) return {};
  git.environment = quiet;
  git.readable = {whole};
  git.limits.processes = 16;
  git.limits.memory_bytes = std::uint64_t{1} << 30;
  git.system_calls = SystemCalls::few;
  git.policy = SandboxPolicy::required;
  const ChildOutcome outcome = run_child(git);
  return outcome.succeeded() ? first_line(outcome.output) : std::string();
}

bool is_repository_url(const std::string& text) {
  if (text.find("://") != std::string::npos) return true;
  const std::size_t at = text.find('@'), colon = text.find(':');
  return at != std::string::npos && colon != std::string::npos && at < colon &&
         text.find('/') > colon;
}

Cloned clone(const std::string& url, const Wanted& wanted) {
  Cloned cloned;
  const TemporaryFolder scratch("gridstride-clone-");
  const std::string repository = (scratch.path() / "clone.git").string();
  const std::string archive = (scratch.path() / "clone.tar").string();
  std::string failure = failure_of({"git", "clone", "--quiet", "--bare", "--depth", "1",
                                    "--no-tags", "--template=", "--", url, repository});
  if (failure.empty())
    failure = failure_of(
        {"git", "--git-dir", repository, "archive", "--format=tar", "--output", archive, "HEAD"});
  if (!failure.empty()) {
    cloned.entries.problems.push_back("It cannot be cloned. git says: " + in_quotes(failure));
    return cloned;
  }
  cloned.entries = entries_of_archive(archive, wanted);
  cloned.commit =
      first_line(output_of({"git", "--git-dir", repository, "log", "-1", "--format=%cI"}));
  return cloned;
}

}  // namespace gridstride
