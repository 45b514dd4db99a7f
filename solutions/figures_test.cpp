// The book's figures are what the solutions do: each is drawn anew and compared with what stands beside its page,
// byte by byte, and so are the words about it. And nothing of a solution's text is in them, for students get them.
#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

const fs::path tree = GRIDSTRIDE_SOURCE_DIR;
constexpr const char* repair =
    "Repair: cmake --build --preset ci --target figures, then look at "
    "what has changed";

/// Folders of pages that may have figures.
std::vector<fs::path> homes() {
  std::vector<fs::path> all = {"docs/foundations"};
  for (const auto& entry : fs::directory_iterator(tree / "labs"))
    if (entry.is_directory()) all.push_back(fs::path("labs") / entry.path().filename());
  std::ranges::sort(all);
  return all;
}

std::vector<fs::path> files_in(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// "labs/reduction/figures/strided.toml", of all.
std::vector<std::string> specs() {
  std::vector<std::string> all;
  for (const fs::path& home : homes())
    for (const fs::path& file : files_in(tree / home / "figures", ".toml"))
      all.push_back(file.lexically_relative(tree).string());
  return all;
}

class Figures : public testing::TestWithParam<std::string> {
 protected:
  const fs::path spec_ = tree / GetParam(), home_ = spec_.parent_path().parent_path();
  const std::string svg_ = spec_.stem().string() + ".svg";
};

TEST_P(Figures, AreWhatTheCodeDoes) {
  // A copy of the folder, so that the program writes there what it would write here.
  const TemporaryFolder folder;
  const fs::path figures = folder.path() / "figures";
  fs::create_directory(figures);
  fs::copy_file(spec_, figures / spec_.filename());
  for (const fs::path& page : files_in(home_, ".md"))
    fs::copy_file(page, folder.path() / page.filename());
  Subprocess program;
  program.command = {GRIDSTRIDE_PROGRAM, "trace", "--no-build", "--figure",
                     (figures / spec_.filename()).string()};
  std::string output;
  program.on_line = [&](std::string_view line) { output += std::string(line) + "\n"; };
  program.merge_errors = true;
  ASSERT_EQ(run_process(program).exit_code, 0) << output;
  ASSERT_TRUE(fs::exists(spec_.parent_path() / svg_)) << svg_ << " is missing. " << repair;
  EXPECT_TRUE(read_file(figures / svg_) == read_file(spec_.parent_path() / svg_))
      << GetParam() << ": the figure is no longer what the code does. " << repair;
  for (const fs::path& page : files_in(home_, ".md"))
    EXPECT_TRUE(read_file(folder.path() / page.filename()) == read_file(page))
        << page << ": alt text or caption of " << svg_ << " is another one now. " << repair;
}

TEST_P(Figures, AreShownWithWords) {
  const std::regex shown("!\\[[^\\]]{20,}\\]\\(figures/" + svg_ + "\\)\n\n\\*[^*]{20,}\\*\n");
  int pages = 0;
  for (const fs::path& page : files_in(home_, ".md")) {
    const std::string text = read_file(page);
    pages += std::regex_search(text, shown) ? 1 : 0;
  }
  EXPECT_EQ(pages, 1) << "Repair: write ![](figures/" << svg_ << ") in a page in " << home_
                      << ", give " << GetParam()
                      << " an 'alt' and a 'caption', and make the target figures";
}

TEST_P(Figures, FitAPage) {
  const std::string svg = read_file(spec_.parent_path() / svg_);
  std::smatch width;
  ASSERT_TRUE(std::regex_search(svg, width, std::regex(" width=\"([0-9.]+)\" role=")));
  EXPECT_LE(std::stod(width[1]), 730) << "letters would shrink";
}

/// What is handed out shows no source, and is of its own lab, which the build has made ready.
TEST_P(Figures, OfALabHideTheSource) {
  if (!GetParam().starts_with("labs/")) return;
  const toml::table spec = toml::parse(read_file(spec_));
  EXPECT_EQ(spec["source"].value_or(true), false) << "Repair: source = false";
  const std::string lab = home_.filename().string();
  const std::string of = spec["of"].value_or(std::string());
  EXPECT_TRUE(of.starts_with(lab + "/")) << of;
  const std::string svg = read_file(spec_.parent_path() / svg_);
  for (const fs::path& solution : files_in(tree / "solutions" / lab, ".cu")) {
    std::istringstream lines(read_file(solution));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t begin = line.find_first_not_of(' ');
      constexpr std::size_t telling = 12;
      if (begin == std::string::npos || line.size() - begin < telling) continue;
      EXPECT_EQ(svg.find(line.substr(begin)), std::string::npos) << solution << ": " << line;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Book, Figures, testing::ValuesIn(specs()), [](const auto& spec) {
  std::string name = spec.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

/// A figure of one's own stage does not take the place of the book's.
TEST(FiguresOfTheBook, StayWhenAnotherStageIsDrawn) {
  const fs::path book = tree / "labs/reduction/figures/strided.svg";
  const auto before = fs::last_write_time(book);
  const TemporaryFolder folder;
  Subprocess program;
  program.command = {"env",
                     "--chdir",
                     folder.path().string(),
                     GRIDSTRIDE_PROGRAM,
                     "trace",
                     "reduction/3",
                     "--solutions",
                     "--no-build",
                     "--figure",
                     (tree / "labs/reduction/figures/strided.toml").string()};
  std::string output;
  program.on_line = [&](std::string_view line) { output += std::string(line) + "\n"; };
  program.merge_errors = true;
  EXPECT_EQ(run_process(program).exit_code, 2) << output;
  EXPECT_NE(output.find("strided.toml:12:8:"), std::string::npos) << output;
  program.command[5] = "reduction/2";
  EXPECT_EQ(run_process(program).exit_code, 0) << output;
  EXPECT_TRUE(read_file(folder.path() / "strided.svg") == read_file(book));
  EXPECT_EQ(fs::last_write_time(book), before);
}

/// A page for students of a stage that they still have to write.
TEST(FiguresOfTheBook, TraceCanHideASolution) {
  const TemporaryFolder folder;
  const auto all_of = [&](const std::vector<std::string>& more) {
    Subprocess program;
    program.command = {GRIDSTRIDE_PROGRAM,
                       "trace",
                       "reduction/2",
                       "--solutions",
                       "--no-build",
                       "--size",
                       "64",
                       "--text",
                       "--html",
                       (folder.path() / "page.html").string(),
                       "--json",
                       (folder.path() / "steps.json").string()};
    program.command.insert(program.command.end(), more.begin(), more.end());
    std::string output;
    program.on_line = [&](std::string_view line) { output += std::string(line) + "\n"; };
    program.merge_errors = true;
    EXPECT_EQ(run_process(program).exit_code, 0) << output;
    constexpr std::size_t largest = std::size_t{1} << 28;
    return output + read_file(folder.path() / "page.html", largest) +
           read_file(folder.path() / "steps.json", largest);
  };
  const std::string shown = all_of({}), hidden = all_of({"--hide-source"});
  std::istringstream lines(read_file(tree / "solutions/reduction/2_strided.cu"));
  int seen = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    constexpr std::size_t telling = 20;
    if (begin == std::string::npos || line.size() - begin < telling) continue;
    seen += shown.find(line.substr(begin)) != std::string::npos ? 1 : 0;
    EXPECT_EQ(hidden.find(line.substr(begin)), std::string::npos) << line;
  }
  EXPECT_GT(seen, 10) << "without the option they are there";
  EXPECT_NE(hidden.find("sums["), std::string::npos) << "the array keeps its name";
}

TEST(FiguresOfTheBook, ThatAreShownExist) {
  const std::regex shown(R"(\]\((figures/[^)]+)\))");
  std::size_t found = 0;
  for (const fs::path& home : homes()) {
    std::set<fs::path> drawn;
    for (const fs::path& spec : files_in(tree / home / "figures", ".toml"))
      drawn.insert(fs::path("figures") / (spec.stem().string() + ".svg"));
    for (const fs::path& page : files_in(tree / home, ".md")) {
      const std::string text = read_file(page);
      for (auto at = std::sregex_iterator(text.begin(), text.end(), shown);
           at != std::sregex_iterator(); ++at, ++found)
        EXPECT_TRUE(drawn.contains((*at)[1].str())) << page << " shows " << (*at)[1];
    }
    for (const fs::path& svg : files_in(tree / home / "figures", ".svg"))
      EXPECT_TRUE(drawn.contains(fs::path("figures") / svg.filename()))
          << svg << " is drawn by nothing: remove it";
  }
  EXPECT_GE(found, specs().size());
  EXPECT_GE(found, 8u);
}

}  // namespace
}  // namespace gridstride
