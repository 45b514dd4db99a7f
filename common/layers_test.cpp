// The order of folders: common/simulator/layers.txt and grader/layers.txt say it, and here it is held
// against the tree. Without this an include that runs up is only noticed when nothing can be taken
// apart any more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <istream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/files.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

constexpr std::size_t most_sources = 45, most_lines = 500;

struct Source {
  std::string path;  ///< from the root of the course, with slashes
  std::string text;
};

/// One line of a layers.txt.
struct Layer {
  std::string folder;  ///< below the tree
  std::string words;   ///< what lives there
};

/// Folders of one part of the course.
struct Tree {
  std::string root;           ///< such as "grader"
  std::vector<Layer> layers;  ///< from low to high
};

struct Include {
  std::string name;  ///< as it is written
  std::size_t line = 0;
};

std::vector<Layer> read_layers(const std::string& text) {
  std::vector<Layer> layers;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Layer layer;
    words >> layer.folder >> std::ws;
    std::getline(words, layer.words);
    layers.push_back(layer);
  }
  return layers;
}

std::string folder_of(const std::string& path) {
  return path.substr(0, std::min(path.rfind('/'), path.size()));
}

bool is_source(const std::string& path) {
  static const std::set<std::string> extensions = {".h", ".cpp", ".cu", ".cuh"};
  return extensions.contains(fs::path(path).extension()) &&
         path.find("/testdata/") == std::string::npos;
}

/// Tests and what helps them may include whatever they test.
bool is_test(const std::string& path) {
  for (const char* folder : {"/runtime/programs/", "/runtime/libraries/", "/judge/testlab/"})
    if (path.find(folder) != std::string::npos) return true;
  const std::string name = fs::path(path).filename(), stem = fs::path(path).stem();
  return stem.ends_with("_test") || stem.ends_with("_bench") || stem.ends_with("_fuzz") ||
         name.starts_with("test_") || name.find("_test_") != std::string::npos;
}

std::vector<Include> includes_of(const std::string& text) {
  const auto skip_blanks = [](std::string_view& rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  };
  std::vector<Include> includes;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::string_view rest = line;
    skip_blanks(rest);
    if (!rest.starts_with('#')) continue;
    rest.remove_prefix(1);
    skip_blanks(rest);
    if (!rest.starts_with("include")) continue;
    rest.remove_prefix(7);
    skip_blanks(rest);
    if (rest.empty() || (rest[0] != '"' && rest[0] != '<')) continue;
    const std::size_t end = rest.find_first_of("\">", 1);
    if (end != std::string_view::npos)
      includes.push_back({std::string(rest.substr(1, end - 1)), number});
  }
  return includes;
}

std::size_t lines_of(const std::string& text) {
  const bool open_end = !text.empty() && text.back() != '\n';
  return static_cast<std::size_t>(std::ranges::count(text, '\n')) + (open_end ? 1 : 0);
}

/// Where a folder stands: in which tree, and how high.
struct Place {
  std::size_t tree = 0, layer = 0;
};

class Rules {
 public:
  /// Trees from low to high: none includes a later one.
  explicit Rules(std::vector<Tree> trees) : trees_(std::move(trees)) {
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      const Tree& tree = trees_[t];
      for (std::size_t l = 0; l < tree.layers.size(); ++l)
        places_[tree.root + "/" + tree.layers[l].folder] = {t, l};
    }
  }

  /// What is wrong with `sources`, each with its names and the repair.
  std::vector<std::string> faults_in(const std::vector<Source>& sources) {
    faults_.clear();
    std::map<std::string, std::vector<std::string>> folders;  // production only
    for (const Source& source : sources) {
      if (!is_source(source.path) || !tree_of(source.path)) continue;
      check_length(source);
      if (is_test(source.path)) continue;
      folders[folder_of(source.path)].push_back(source.path);
      check_includes(source);
    }
    for (const auto& [folder, files] : folders) check_folder(folder, files);
    check_lists(folders);
    return faults_;
  }

 private:
  std::optional<std::size_t> tree_of(const std::string& path) const {
    for (std::size_t t = 0; t < trees_.size(); ++t)
      if (path.starts_with(trees_[t].root + "/")) return t;
    return std::nullopt;
  }
  std::string list_of(std::size_t tree) const { return trees_[tree].root + "/layers.txt"; }

  void check_length(const Source& source) {
    const std::size_t lines = lines_of(source.text);
    if (lines <= most_lines) return;
    faults_.push_back(source.path + " has " + std::to_string(lines) + " lines, and " +
                      std::to_string(most_lines) + " are the most. Repair: cut it by subject.");
  }

  void check_includes(const Source& source) {
    const std::string folder = folder_of(source.path);
    const auto from = places_.find(folder);
    for (const Include& include : includes_of(source.text)) {
      const bool whole = tree_of(include.name).has_value();
      const std::string target =
          whole ? include.name : (fs::path(folder) / include.name).lexically_normal().string();
      const std::string where =
          source.path + ":" + std::to_string(include.line) + " includes " + include.name;
      const auto tree = tree_of(target);
      if (!tree) continue;  // the system's, or common/
      if (*tree > *tree_of(source.path)) {
        faults_.push_back(where + ", but " + folder + " must not know " + folder_of(target) + ": " +
                          trees_[*tree_of(source.path)].root + " stands without " +
                          trees_[*tree].root + ". Repair: move " + source.path + " to " +
                          trees_[*tree].root + ", or what it needs to a lower folder.");
      }
      const auto to = places_.find(folder_of(target));
      if (from == places_.end() || to == places_.end()) continue;  // check_folder() names it
      if (to->second.tree != from->second.tree || to->second.layer <= from->second.layer) continue;
      faults_.push_back(where + ", but " + folder_of(target) + " stands above " + folder + " in " +
                        list_of(*tree) + ". Repair: move what is needed down to " + folder +
                        " or below it, or move this file up.");
    }
  }

  void check_folder(const std::string& folder, const std::vector<std::string>& files) {
    const std::string list = list_of(*tree_of(folder + "/"));
    if (!places_.contains(folder)) {
      faults_.push_back(folder + " has sources, such as " + files.front() + ", and no line in " +
                        list + ". Repair: write it there, above all that it includes.");
    }
    if (files.size() > most_sources) {
      faults_.push_back(folder + " has " + std::to_string(files.size()) + " sources, and " +
                        std::to_string(most_sources) +
                        " are the most. Repair: give a part of them a folder of its own, and a "
                        "line in " +
                        list + ".");
    }
  }

  void check_lists(const std::map<std::string, std::vector<std::string>>& folders) {
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      std::set<std::string> seen;
      for (const Layer& layer : trees_[t].layers) {
        const std::string folder = trees_[t].root + "/" + layer.folder;
        const auto say = [&](const std::string& what) {
          faults_.push_back(list_of(t) + ": " + layer.folder + what);
        };
        if (!folders.contains(folder)) say(" has no sources. Repair: take the line out.");
        if (layer.words.empty()) say(" stands without words. Repair: say what lives there.");
        if (!seen.insert(folder).second) say(" stands there twice. Repair: take one line out.");
      }
    }
  }

  std::vector<Tree> trees_;
  std::map<std::string, Place> places_;  ///< by folder, from the root of the course
  std::vector<std::string> faults_;
};

std::string one_a_line(const std::vector<std::string>& faults) {
  std::string text;
  for (const std::string& fault : faults) text += "\n  " + fault;
  return text;
}

// The tree.

const fs::path course = GRIDSTRIDE_SOURCE_DIR;

std::vector<Tree> trees_of_the_course() {
  std::vector<Tree> trees;
  for (const char* root : {"common/simulator", "grader"})
    trees.push_back({root, read_layers(read_file(course / root / "layers.txt"))});
  return trees;
}

TEST(Layers, HoldInTheWholeCourse) {
  const std::vector<Tree> trees = trees_of_the_course();
  std::vector<Source> sources;
  for (const Tree& tree : trees) {
    for (const auto& entry : fs::recursive_directory_iterator(course / tree.root)) {
      const std::string path = entry.path().lexically_relative(course).generic_string();
      if (entry.is_regular_file() && is_source(path))
        sources.push_back({path, read_file(entry.path())});
    }
  }
  std::ranges::sort(sources, {}, &Source::path);
  ASSERT_GT(sources.size(), 300u) << "not the course: " << course;
  const std::vector<std::string> faults = Rules(trees).faults_in(sources);
  EXPECT_TRUE(faults.empty()) << one_a_line(faults);
}

// The map for people: docs/architecture.md.

std::string architecture() { return read_file(course / "docs/architecture.md"); }

TEST(Layers, TheMapHasEveryFolderInTheSameWordsAndOrder) {
  const std::string map = architecture();
  std::size_t last = 0;
  for (const Tree& tree : trees_of_the_course()) {
    for (const Layer& layer : tree.layers) {
      const std::string row =
          "\n| `" + tree.root + "/" + layer.folder + "` | " + layer.words + " |\n";
      const std::size_t place = map.find(row);
      ASSERT_NE(place, std::string::npos) << "docs/architecture.md lacks this row:" << row;
      EXPECT_GT(place, last) << "docs/architecture.md has this row too early:" << row;
      last = place;
    }
  }
}

TEST(Layers, WhereToChangeWhatIsThere) {
  const std::string map = architecture();
  const std::size_t begin = map.find("\n## I want to change");
  ASSERT_NE(begin, std::string::npos);
  std::istringstream lines(map.substr(begin + 1));
  std::string line;
  std::getline(lines, line);
  std::size_t rows = 0;
  while (std::getline(lines, line) && !line.starts_with("## ")) {
    if (!line.starts_with("| ") || line == "| what | where |") continue;
    ++rows;
    std::size_t files = 0;
    for (std::size_t open = line.find("| `"); open != std::string::npos; ++files) {
      const std::size_t name = line.find('`', open) + 1, end = line.find('`', name);
      ASSERT_NE(end, std::string::npos) << line;
      EXPECT_TRUE(fs::is_regular_file(course / line.substr(name, end - name))) << line;
      open = line.find('`', end + 1);
    }
    EXPECT_GT(files, 0u) << "no file: " << line;
  }
  EXPECT_GE(rows, 15u);
}

// The rules.

const std::vector<Tree> example_trees = {{"common/simulator", {{"base", "low"}, {"exec", "high"}}},
                                         {"grader", {{"judge/cases", "low"}, {"judge", "high"}}}};

/// A file in every folder of the example, and `more`.
std::vector<std::string> faults_with(std::vector<Source> more) {
  for (const char* folder :
       {"common/simulator/base", "common/simulator/exec", "grader/judge/cases", "grader/judge"})
    more.push_back({std::string(folder) + "/file.h", "// Why.\n"});
  return Rules(example_trees).faults_in(more);
}

using Faults = std::vector<std::string>;

TEST(Layers, AnIncludeMayRunDownOrStay) {
  EXPECT_EQ(faults_with({{"common/simulator/exec/a.cpp",
                          "#include \"common/simulator/base/file.h\"\n"
                          "#include \"common/simulator/exec/file.h\"\n"
                          "#include \"common/text.h\"\n#include <vector>\n#include \"made.h\"\n"},
                         {"grader/judge/a.cpp",
                          "#include \"grader/judge/cases/file.h\"\n"
                          "#include \"common/simulator/exec/file.h\"\n"}}),
            Faults{});
}

TEST(Layers, AnIncludeThatRunsUpIsNamed) {
  EXPECT_EQ(faults_with({{"common/simulator/base/a.h",
                          "// Why.\n#include \"common/simulator/exec/file.h\"\n"}}),
            Faults{"common/simulator/base/a.h:2 includes common/simulator/exec/file.h, but "
                   "common/simulator/exec stands above common/simulator/base in "
                   "common/simulator/layers.txt. Repair: move what is needed down to "
                   "common/simulator/base or below it, or move this file up."});
  for (const char* spelt : {"  #  include <grader/judge/file.h>\n", "#include \"../file.h\"\n",
                            "#include\t\"grader/judge/file.h\""}) {
    const Faults faults = faults_with({{"grader/judge/cases/a.cpp", spelt}});
    ASSERT_EQ(faults.size(), 1u) << spelt;
    EXPECT_NE(faults[0].find("grader/judge stands above grader/judge/cases"), std::string::npos);
  }
}

TEST(Layers, TheSimulatorDoesNotKnowTheGrader) {
  EXPECT_EQ(
      faults_with({{"common/simulator/exec/a.h", "#include \"grader/judge/file.h\"\n"}}),
      Faults{"common/simulator/exec/a.h:1 includes grader/judge/file.h, but common/simulator/exec "
             "must not know grader/judge: common/simulator stands without grader. Repair: move "
             "common/simulator/exec/a.h to grader, or what it needs to a lower folder."});
}

TEST(Layers, TestsMayIncludeWhatTheyNeed) {
  const std::string up = "#include \"common/simulator/exec/file.h\"\n";
  for (const char* name : {"base/a_test.cpp", "base/a_bench.cpp", "base/a_fuzz.cpp",
                           "base/test_grid.h", "base/ops_test_rows.h", "base/testdata/a.cpp"})
    EXPECT_EQ(faults_with({{std::string("common/simulator/") + name, up}}), Faults{}) << name;
}

TEST(Layers, AFolderHasNoMoreThanOneCanKeepApart) {
  std::vector<Source> sources;
  while (sources.size() < most_sources - 1)
    sources.push_back({"grader/judge/" + std::to_string(sources.size()) + ".cpp", ""});
  for (const char* test : {"a_test.cpp", "b_test.cpp"})
    sources.push_back({std::string("grader/judge/") + test, ""});
  EXPECT_EQ(faults_with(sources), Faults{});
  sources.push_back({"grader/judge/one_more.h", ""});
  EXPECT_EQ(faults_with(sources),
            Faults{"grader/judge has 46 sources, and 45 are the most. Repair: give a part of them "
                   "a folder of its own, and a line in grader/layers.txt."});
}

TEST(Layers, AFileThatIsTooLongIsNamed) {
  std::string lines;
  for (std::size_t i = 0; i < most_lines; ++i) lines += "x\n";
  EXPECT_EQ(faults_with({{"grader/judge/a_test.cpp", lines}}), Faults{});
  EXPECT_EQ(faults_with({{"grader/judge/testdata/a.cu", lines + "x"}}), Faults{});
  EXPECT_EQ(faults_with({{"grader/judge/a_test.cpp", lines + "x"}}),
            Faults{"grader/judge/a_test.cpp has 501 lines, and 500 are the most. Repair: cut it "
                   "by subject."});
}

TEST(Layers, TheListsAndTheFoldersAreTheSame) {
  EXPECT_EQ(faults_with({{"grader/attic/a.h", ""}}),
            Faults{"grader/attic has sources, such as grader/attic/a.h, and no line in "
                   "grader/layers.txt. Repair: write it there, above all that it includes."});
  EXPECT_EQ(Rules({{"grader", {{"judge", "high"}, {"gone", "where"}, {"judge", ""}}}})
                .faults_in({{"grader/judge/a.h", ""}}),
            (Faults{"grader/layers.txt: gone has no sources. Repair: take the line out.",
                    "grader/layers.txt: judge stands without words. Repair: say what lives there.",
                    "grader/layers.txt: judge stands there twice. Repair: take one line out."}));
}

}  // namespace
}  // namespace gridstride
