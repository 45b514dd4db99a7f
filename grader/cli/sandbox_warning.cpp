// A grader warns too when it is started by hand; from here it is told that there is no sandbox.
#include "grader/cli/sandbox_warning.h"

#include <cstdio>
#include <string>
#include <vector>

#include "common/terminal.h"
#include "common/text.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride::cli {

void warn_without_sandbox() {
  static bool said = false;
  const SandboxStatus& status = sandbox_status();
  if (status.available || said) return;
  said = true;
  const std::string text = "Warning: no sandbox, because " + status.reason +
                           ". What is graded can do what you can do: grade only your own code.\n"
                           "To mend it: " +
                           status.repair + "\n";
  for (const std::string& line : wrap(clean_text(text), style_of(stderr).width))
    std::fprintf(stderr, "%s\n", line.c_str());
}

std::vector<std::string> sandbox_options() {
  if (sandbox_status().available) return {};
  return {"--sandbox", "off"};
}

}  // namespace gridstride::cli
