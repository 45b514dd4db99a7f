// Only strings are changed: whatever options clangd needs are the list's.
#include "grader/handout/editor_list.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "grader/handout/editor.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

constexpr const char* toolkit_option = "--cuda-path=";

void change_strings(nlohmann::ordered_json& value,
                    const std::function<void(std::string&)>& change) {
  if (value.is_string()) return change(value.get_ref<std::string&>());
  if (!value.is_structured()) return;
  for (auto& member : value) change_strings(member, change);
}

void replace(std::string& text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  if (at != std::string::npos) text.replace(at, what.size(), by);
}

}  // namespace

std::string movable_editor_commands(const std::string& list, const fs::path& tree,
                                    const std::vector<std::string>& labs) {
  auto kept = nlohmann::ordered_json::array();
  for (const auto& entry : nlohmann::ordered_json::parse(list)) {
    const fs::path folder = fs::path(entry.at("file").get<std::string>()).parent_path();
    for (const std::string& lab : labs) {
      if (folder == tree / "labs" / lab) kept.push_back(entry);
    }
  }
  change_strings(kept, [&tree](std::string& text) {
    if (text.starts_with(toolkit_option)) {
      text = std::string(toolkit_option) + toolkit_placeholder;
    } else {
      replace(text, tree.string(), tree_placeholder);
    }
  });
  return kept.dump(1) + "\n";
}

}  // namespace gridstride
