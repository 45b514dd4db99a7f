// Names as people type them.
#include "grader/course/course.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/text.h"
#include "grader/course/lab_path.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

struct Name {
  std::string lab, stage;
};

Name parse(const std::string& argument, const std::vector<std::string>& labs,
           const fs::path& tree) {
  if (const auto path = lab_path(argument, labs, tree)) return {path->lab, path->stage()};
  const std::string text = LabPath{"", fs::path(argument).lexically_normal().string()}.stage();
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return {text, ""};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

bool begins_with_digit(const std::string& word) {
  return !word.empty() && word[0] >= '0' && word[0] <= '9';
}

/// "reduction 1" names what "reduction/1" does: no lab begins with a digit, and each stage does.
std::vector<Name> parse_all(const std::vector<std::string>& arguments,
                            const std::vector<std::string>& labs, const fs::path& tree) {
  std::vector<Name> names;
  bool bare_lab = false;  // the last name is a lab's, and no stage of it has followed
  for (const std::string& argument : arguments) {
    const bool stage_alone = begins_with_digit(argument) && !names.empty() &&
                             argument.find('/') == std::string::npos &&
                             std::ranges::find(labs, argument) == labs.end();
    Name name = stage_alone ? Name{names.back().lab, LabPath{"", argument}.stage()}
                            : parse(argument, labs, tree);
    if (stage_alone && bare_lab) names.pop_back();
    bare_lab = name.stage.empty();
    names.push_back(std::move(name));
  }
  return names;
}

std::string did_you_mean(const std::string& nearest, const std::vector<std::string>& all) {
  if (!nearest.empty()) return "Did you mean '" + nearest + "'?";
  return "There is " + listed(all) + ".";
}

/// What can be meant as nothing but a file.
bool looks_like_file(const std::string& word) {
  return word.starts_with('/') || word.starts_with('.') || word.starts_with("labs/") ||
         word.starts_with("solutions/") || word.ends_with(".cu");
}

[[noreturn]] void unknown_file(const std::string& word) {
  std::error_code ignored;
  const std::string shown = escaped(word);
  throw UnknownName(fs::exists(word, ignored)
                        ? shown + " is no stage: it lies in no folder of a lab of this course."
                        : "There is no file " + shown + ".");
}

[[noreturn]] void unknown_lab(const std::string& name, const std::vector<std::string>& labs,
                              const fs::path& tree) {
  const std::string start = "There is no lab '" + clean_text(name) + "'. ";
  // Perhaps it is a stage, named without its lab.
  for (const std::string& lab : labs) {
    std::error_code ignored;
    if (fs::exists(tree / "labs" / lab / (name + ".cu"), ignored))
      throw UnknownName(start + "Did you mean '" + lab + "/" + name + "'?");
  }
  if (begins_with_digit(name))
    throw UnknownName(start + "A stage's number stands behind its lab: " + labs.front() + "/" +
                      clean_text(name) + ".");
  throw UnknownName(start + did_you_mean(nearest_name(name, labs), labs));
}

/// The number that a stage's name begins with; -1 where there is none.
int number_of(const std::string& stage) {
  int number = -1;
  std::from_chars(stage.data(), stage.data() + stage.size(), number);
  return number;
}

/// The stage whose number is nearest, where `name` begins with one.
std::string nearest_number(const std::string& name, const std::vector<std::string>& stages) {
  if (!begins_with_digit(name) || stages.empty()) return "";
  return *std::ranges::min_element(stages, {}, [&](const std::string& stage) {
    return std::abs(number_of(stage) - number_of(name));
  });
}

[[noreturn]] void unknown_stage(const std::string& name, const LabConfig& lab) {
  if (name == "0_baseline" || name == "0")
    throw UnknownName(
        "0_baseline is given: it is what speedups are measured against, and has no "
        "grade.");
  std::vector<std::string> stages;
  for (const StageConfig& stage : lab.stages) stages.push_back(stage.name);
  std::string nearest = nearest_name(name, stages);
  if (nearest.empty()) nearest = nearest_number(name, stages);
  throw UnknownName("The lab '" + lab.name + "' has no stage '" + clean_text(name) + "'. " +
                    did_you_mean(nearest.empty() ? "" : lab.name + "/" + nearest, stages));
}

/// The stages of `lab` that `word` can mean: the one of that name, else those of that number, else
/// those that begin with it.
std::vector<std::string> meant_by(const std::string& word, const LabConfig& lab) {
  if (lab.stage(word) != nullptr) return {word};
  const bool number = word.find_first_not_of("0123456789") == std::string::npos;
  std::vector<std::string> meant;
  for (const StageConfig& stage : lab.stages) {
    if (stage.name.starts_with(number ? word + "_" : word)) meant.push_back(stage.name);
  }
  return meant;
}

std::string stage_called(const std::string& word, const LabConfig& lab) {
  const std::vector<std::string> meant = meant_by(word, lab);
  if (meant.empty()) unknown_stage(word, lab);
  if (meant.size() > 1)
    throw UnknownName("'" + clean_text(word) + "' can be several stages of the lab '" + lab.name +
                      "': " + listed(meant) + ".");
  return meant.front();
}

}  // namespace

std::vector<std::string> lab_names(const fs::path& build) {
  std::istringstream lines(read_file(build / "labs.txt"));
  std::vector<std::string> names;
  for (std::string name; std::getline(lines, name);) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

std::vector<Selection> select(const std::vector<std::string>& arguments,
                              const std::vector<std::string>& labs, const fs::path& tree) {
  std::set<std::string> whole;
  std::map<std::string, std::set<std::string>> parts;
  for (const std::string& argument : arguments) {
    if (looks_like_file(argument) && !begins_with_digit(argument) &&
        !lab_path(argument, labs, tree))
      unknown_file(argument);
  }
  for (const Name& name : parse_all(arguments, labs, tree)) {
    if (std::find(labs.begin(), labs.end(), name.lab) == labs.end())
      unknown_lab(name.lab, labs, tree);
    if (name.stage.empty()) {
      whole.insert(name.lab);
    } else {
      parts[name.lab].insert(name.stage);
    }
  }
  std::vector<Selection> selections;
  for (const std::string& name : labs) {
    if (!arguments.empty() && whole.count(name) == 0 && parts.count(name) == 0) continue;
    Selection selection{load_lab_config(tree / "labs" / name), {}};
    std::set<std::string> stages;
    for (const std::string& word : parts[name]) stages.insert(stage_called(word, selection.lab));
    if (whole.count(name) == 0) {
      for (const StageConfig& stage : selection.lab.stages) {
        if (stages.count(stage.name) != 0) selection.stages.push_back(stage.name);
      }
    }
    selections.push_back(std::move(selection));
  }
  return selections;
}

Selection select_stage(const std::vector<std::string>& arguments,
                       const std::vector<std::string>& labs, const fs::path& tree) {
  auto selections = select(arguments, labs, tree);
  if (selections.size() != 1 || selections.front().stages.size() > 1)
    throw UnknownName("One stage at a time, for example " + labs.front() + "/1.");
  Selection selection = std::move(selections.front());
  if (selection.stages.empty()) {
    std::vector<std::string> names;
    for (const std::string& stage : stage_names(selection))
      names.push_back(selection.lab.name + "/" + stage);
    throw UnknownName("'" + selection.lab.name +
                      "' is a whole lab. Name one of its stages: " + listed(names) + ".");
  }
  return selection;
}

std::vector<std::string> stage_names(const Selection& selection) {
  if (!selection.stages.empty()) return selection.stages;
  std::vector<std::string> all;
  for (const StageConfig& stage : selection.lab.stages) all.push_back(stage.name);
  return all;
}

std::string short_name(const LabConfig& lab, const std::string& stage) {
  const std::string number = stage.substr(0, stage.find('_'));
  return lab.name + "/" + (meant_by(number, lab).size() == 1 ? number : stage);
}

}  // namespace gridstride
