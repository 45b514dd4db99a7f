// A solution differs from its skeleton only where the skeleton says TODO.
//
// A skeleton's region begins at a line "// TODO(k): …" and ends at the line "// TODO(k) end". What
// stands outside of the regions must stand in the solution, byte for byte and in the same order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/files.h"
#include "grader/course/hints.h"

namespace {

namespace fs = std::filesystem;

/// The pieces of a skeleton before, between and behind its regions.
std::vector<std::string> fixed_pieces(const std::string& skeleton) {
  std::vector<std::string> pieces(1);
  std::istringstream lines(skeleton);
  std::string end;  // of the region that the line is in; empty outside
  for (std::string line; std::getline(lines, line);) {
    const std::size_t text = line.find_first_not_of(' ');
    const std::string words = text == std::string::npos ? "" : line.substr(text);
    if (!end.empty()) {
      if (words == end) end.clear();
    } else if (const std::string begin = "// TODO(" + std::to_string(pieces.size()) + ")";
               words.rfind(begin + ":", 0) == 0) {
      end = begin + " end";
      pieces.emplace_back();
    } else if (words.find("TODO") != std::string::npos) {
      throw std::runtime_error("expected '" + begin + ": …', found '" + words + "'");
    } else {
      pieces.back() += line + '\n';
    }
  }
  if (!end.empty()) throw std::runtime_error("no line '" + end + "'");
  return pieces;
}

/// The skeleton with `code` in the place of its regions, in their order.
std::string filled(const std::string& skeleton, const std::vector<std::string>& code) {
  const auto pieces = fixed_pieces(skeleton);
  std::string text = pieces.front();
  for (std::size_t i = 0; i < code.size(); ++i) text += code[i] + '\n' + pieces.at(i + 1);
  return text;
}

std::vector<std::string> code_of(const gridstride::Hint& hint) {
  std::vector<std::string> code;
  for (const gridstride::HintPart& part : hint.parts)
    if (part.is_code) code.push_back(part.text);
  return code;
}

std::vector<std::string> lines_of(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) all.push_back(line);
  }
  return all;
}

/// Empty when `solution` is the pieces with anything between them; else the line that is missing.
std::string first_missing(const std::vector<std::string>& pieces, const std::string& solution) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string& piece = pieces[i];
    std::size_t found = solution.find(piece, at);
    if (i == 0 && found != 0) found = std::string::npos;
    if (i + 1 == pieces.size() && found != std::string::npos)
      found = solution.size() - at >= piece.size() && solution.ends_with(piece)
                  ? solution.size() - piece.size()
                  : std::string::npos;
    if (found == std::string::npos)
      return "the text behind region " + std::to_string(i) + ":\n" + piece;
    at = found + piece.size();
  }
  return "";
}

struct Stage {
  fs::path skeleton, solution;
};
void PrintTo(const Stage& stage, std::ostream* out) { *out << stage.skeleton; }

std::vector<Stage> all_stages() {
  const fs::path tree = GRIDSTRIDE_SOURCE_DIR;
  std::vector<Stage> stages;
  for (const auto& lab : fs::directory_iterator(tree / "labs")) {
    if (!lab.is_directory()) continue;
    for (const auto& file : fs::directory_iterator(lab)) {
      const std::string name = file.path().filename();
      if (file.path().extension() == ".cu" && name.rfind("0_", 0) != 0)
        stages.push_back({file, tree / "solutions" / lab.path().filename() / name});
    }
  }
  std::sort(stages.begin(), stages.end(),
            [](const Stage& a, const Stage& b) { return a.skeleton < b.skeleton; });
  return stages;
}

class Skeleton : public testing::TestWithParam<Stage> {};

TEST_P(Skeleton, DiffersFromItsSolutionOnlyWhereItSaysTodo) {
  ASSERT_TRUE(fs::exists(GetParam().solution)) << GetParam().solution << " is missing";
  const auto pieces = fixed_pieces(gridstride::read_file(GetParam().skeleton));
  const std::string solution = gridstride::read_file(GetParam().solution);
  EXPECT_GT(pieces.size(), 1u) << "nothing to do";
  EXPECT_EQ(solution.find("TODO"), std::string::npos);
  EXPECT_EQ(first_missing(pieces, solution), "");
}

/// Put in the place of the TODOs, the last hint is the solution, which grading_test grades.
TEST_P(Skeleton, HasFourHintsOfWhichTheLastIsTheSolution) {
  const fs::path& skeleton = GetParam().skeleton;
  const auto hints = gridstride::load_hints(skeleton.parent_path(), skeleton.stem());
  ASSERT_EQ(hints.size(), 4u) << "there is no " << skeleton.parent_path() / "hints"
                              << " of the stage";
  const std::string text = gridstride::read_file(skeleton);
  const std::vector<std::string> whole = code_of(hints[3]);
  ASSERT_EQ(whole.size() + 1, fixed_pieces(text).size()) << "one piece of code for each TODO";
  EXPECT_EQ(filled(text, whole), gridstride::read_file(GetParam().solution));
  // The line before it is one of its lines, as it stands there.
  EXPECT_FALSE(code_of(hints[2]).empty());
  const auto all = lines_of(whole);
  for (const std::string& line : lines_of(code_of(hints[2])))
    EXPECT_NE(std::find(all.begin(), all.end(), line), all.end()) << line;
}

INSTANTIATE_TEST_SUITE_P(Stages, Skeleton, testing::ValuesIn(all_stages()), [](const auto& each) {
  std::string name = each.param.skeleton.parent_path().filename().string() + "_" +
                     each.param.skeleton.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');  // the only characters GoogleTest takes
  return name;
});

TEST(FixedPieces, AreWhatStandsOutsideOfRegions) {
  EXPECT_EQ(fixed_pieces("a\n  // TODO(1): x\n  b\n  // TODO(1) end\nc\n"),
            (std::vector<std::string>{"a\n", "c\n"}));
  EXPECT_THROW(fixed_pieces("// TODO(1): x\n"), std::runtime_error);
  EXPECT_THROW(fixed_pieces("// TODO(2): x\n// TODO(2) end\n"), std::runtime_error);
}

TEST(Filled, HasCodeInThePlaceOfRegions) {
  EXPECT_EQ(filled("a\n  // TODO(1): x\n  b\n  // TODO(1) end\nc\n", {"  d"}), "a\n  d\nc\n");
}

TEST(FirstMissing, NoticesEachChangeOutsideOfRegions) {
  const std::vector<std::string> pieces = {"a\n", "b\n", "c\n"};
  EXPECT_EQ(first_missing(pieces, "a\nx\nb\nc\n"), "");
  EXPECT_NE(first_missing(pieces, "x\na\nb\nc\n"), "");
  EXPECT_NE(first_missing(pieces, "a\nc\n"), "");
  EXPECT_NE(first_missing(pieces, "a\nb\nc\nx\n"), "");
  EXPECT_NE(first_missing(pieces, "a\nc\nb\n"), "");
}

}  // namespace
