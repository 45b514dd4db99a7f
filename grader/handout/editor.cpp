// Only strings are changed: whatever options clangd needs are the list's.
#include "grader/handout/editor.h"

#include <cstddef>
#include <exception>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/files.h"
#include "grader/handout/places.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

constexpr const char* tree_placeholder = "{tree}";
constexpr const char* toolkit_placeholder = "{toolkit}";
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

void write_editor_commands(const fs::path& tree, const fs::path& nvcc) {
  try {
    auto list = nlohmann::ordered_json::parse(read_file(tree / handed_out_build / editor_commands));
    const std::string toolkit = fs::canonical(nvcc).parent_path().parent_path().string();
    change_strings(list, [&](std::string& text) {
      replace(text, toolkit_placeholder, toolkit);
      replace(text, tree_placeholder, tree.string());
    });
    const std::string text = list.dump(1) + "\n";
    const fs::path target = tree / editor_commands;
    if (!fs::exists(target) || read_file(target) != text) write_file(target, text);
  } catch (const std::exception&) {
    return;  // as promised
  }
}

}  // namespace gridstride
