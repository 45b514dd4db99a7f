// Markdown as far as hints use it: headings, paragraphs, fenced code.
#include "grader/course/hints.h"

#include <fmt/core.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/text.h"
#include "grader/course/lab_config.h"

namespace gridstride {
namespace {

class HintReader {
 public:
  explicit HintReader(std::string name) : name_(std::move(name)) {}

  std::vector<Hint> read(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      ++line_;
      take(line);
    }
    ++line_;
    if (is_code_) fail("expected ``` behind the code");
    end_part();
    end_hint();
    if (hints_.size() < hint_titles.size())
      fail(fmt::format("expected '# {}'", hint_titles[hints_.size()]));
    return std::move(hints_);
  }

 private:
  [[noreturn]] void fail(const std::string& words) const {
    throw ConfigError(fmt::format("{}:{}: {}", name_, line_, words));
  }

  void take(const std::string& line) {
    if (line.starts_with("```")) {
      if (!is_code_ && hints_.empty()) fail("expected '# The idea' first");
      end_part();
      is_code_ = !is_code_;
    } else if (!is_code_ && line.starts_with("# ")) {
      begin_hint(line.substr(2));
    } else if (!is_code_ && line.empty()) {
      end_part();
    } else if (hints_.empty()) {
      fail("expected '# The idea' first, found '" + clean_text(line) + "'");
    } else {
      // A paragraph's lines are one; code keeps its own.
      if (has_part_) part_ += is_code_ ? '\n' : ' ';
      part_ += line;
      has_part_ = true;
    }
  }

  void begin_hint(const std::string& title) {
    end_part();
    end_hint();
    if (hints_.size() == hint_titles.size()) fail("expected no fifth hint");
    if (title != hint_titles[hints_.size()])
      fail(fmt::format("expected '# {}', found '# {}'", hint_titles[hints_.size()],
                       clean_text(title)));
    hints_.push_back({title, {}});
  }

  void end_part() {
    if (has_part_) hints_.back().parts.push_back({std::exchange(part_, {}), is_code_});
    has_part_ = false;
  }

  void end_hint() const {
    if (!hints_.empty() && hints_.back().parts.empty())
      fail("expected something below '# " + hints_.back().title + "'");
  }

  std::string name_;
  int line_ = 0;
  std::vector<Hint> hints_;
  std::string part_;
  bool has_part_ = false, is_code_ = false;
};

}  // namespace

std::vector<Hint> load_hints(const std::filesystem::path& lab_folder, const std::string& stage) {
  const auto file = lab_folder / "hints" / (stage + ".md");
  std::error_code missing;
  if (!std::filesystem::exists(file, missing)) return {};
  const std::string name = "labs/" + lab_folder.filename().string() + "/hints/" + stage + ".md";
  return HintReader(name).read(read_file(file));
}

}  // namespace gridstride
