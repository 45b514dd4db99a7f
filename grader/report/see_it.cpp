// What they show is chosen by lab trace itself: the launch and the blocks of the mistake (judge/trace_stage.h).
#include "grader/report/see_it.h"

#include <string>
#include <string_view>
#include <vector>

#include "common/text.h"

namespace gridstride {

std::string shell_word(const std::string& text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  if (text.find_first_of("\"$`\\!") == std::string::npos) return '"' + text + '"';
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::vector<std::string> commands_that_show(const std::string& lab, const StageResult& stage) {
  const bool shows = stage.verdict == Verdict::wrong || stage.verdict == Verdict::crash ||
                     stage.verdict == Verdict::timeout;
  // Without a case no call was wrong: it is what the file says or includes.
  if (!shows || stage.failed_case.empty() || stage.case_too_large) return {};
  const std::string what = clean_text(lab) + "/" + clean_text(stage.name) + " --case " +
                           shell_word(clean_text(stage.failed_case));
  return {"./lab trace " + what + " --html steps.html", "./lab debug " + what};
}

}  // namespace gridstride
