// Names as people type them.
#include "grader/course/course.h"

#include <algorithm>
#include <cstddef>
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

namespace gridstride {
namespace fs = std::filesystem;
namespace {

struct Name {
  std::string lab, stage;
};

Name parse(const std::string& argument) {
  std::string text = fs::path(argument).lexically_normal().string();
  for (const char* folder : {"labs/", "solutions/"}) {
    if (text.rfind(folder, 0) == 0) text.erase(0, std::string(folder).size());
  }
  if (text.size() > 3 && text.ends_with(".cu")) text.erase(text.size() - 3);
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return {text, ""};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

std::string did_you_mean(const std::string& nearest, const std::vector<std::string>& all) {
  if (!nearest.empty()) return "Did you mean '" + nearest + "'?";
  return "There is " + listed(all) + ".";
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
  throw UnknownName(start + did_you_mean(nearest_name(name, labs), labs));
}

[[noreturn]] void unknown_stage(const std::string& name, const LabConfig& lab) {
  if (name == "0_baseline")
    throw UnknownName(
        "0_baseline is given: it is what speedups are measured against, and has no "
        "grade.");
  std::vector<std::string> stages;
  for (const StageConfig& stage : lab.stages) stages.push_back(stage.name);
  const std::string nearest = nearest_name(name, stages);
  throw UnknownName("The lab '" + lab.name + "' has no stage '" + clean_text(name) + "'. " +
                    did_you_mean(nearest.empty() ? "" : lab.name + "/" + nearest, stages));
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
    const Name name = parse(argument);
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
    for (const std::string& stage : parts[name]) {
      if (selection.lab.stage(stage) == nullptr) unknown_stage(stage, selection.lab);
    }
    if (whole.count(name) == 0) {
      for (const StageConfig& stage : selection.lab.stages) {
        if (parts[name].count(stage.name) != 0) selection.stages.push_back(stage.name);
      }
    }
    selections.push_back(std::move(selection));
  }
  return selections;
}

Selection select_stage(const std::string& argument, const std::vector<std::string>& labs,
                       const fs::path& tree) {
  auto selections = select({argument}, labs, tree);
  Selection selection = std::move(selections.front());
  if (selection.stages.empty()) {
    std::vector<std::string> names;
    for (const StageConfig& stage : selection.lab.stages)
      names.push_back(selection.lab.name + "/" + stage.name);
    throw UnknownName("'" + clean_text(argument) +
                      "' is a whole lab. Name one of its stages: " + listed(names) + ".");
  }
  return selection;
}

}  // namespace gridstride
