// One command of the build in its sandbox: what it may see, where it writes, how much it may use.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/files.h"
#include "grader/compile/guard.h"
#include "grader/compile/outputs.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride {

/// What the command's compiler or linker may use.
ResourceLimits limits_of(const GuardedCommand& guarded);

class Invocation {
 public:
  /// Makes `command` ready to run as `guarded` says, in a scratch folder of its own that lives as
  /// long as this. `command` is the build's, or one made in its likeness; it may read `more` too.
  /// Throws std::runtime_error when there is no room for a scratch folder.
  Invocation(const GuardedCommand& guarded, std::vector<std::string> command,
             const std::vector<std::filesystem::path>& more = {});

  /// Runs it to its end. Throws SandboxError when it cannot be started.
  const ChildOutcome& run();
  bool succeeded() const { return outcome_.succeeded(); }
  const ChildOutcome& outcome() const { return outcome_; }
  /// What was said, and by which limit or signal it was ended if it was: fit to be shown, without
  /// the paths of the scratch folder and of the tree.
  std::string words() const;

  /// Of a compilation: the paths that compiler and preprocessors have opened (paths_of()), without
  /// those in the scratch folder.
  std::vector<std::filesystem::path> opened() const;

  const Outputs& outputs() const { return outputs_; }
  const std::filesystem::path& scratch() const { return scratch_.path(); }
  /// Removes all that was written into the scratch folder.
  void clear();

 private:
  TemporaryFolder scratch_;
  ChildOptions options_;
  Outputs outputs_;
  std::filesystem::path tree_, copies_;
  ChildOutcome outcome_;
};

}  // namespace gridstride
