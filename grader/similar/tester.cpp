// sim_c++ is given files and prints lines; what it prints is told apart from anything else it might say.
#include "grader/similar/tester.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

constexpr const char* program_name = "sim_c++";
/// Tokens that must be alike in one piece: a line or two. Shorter pieces are the same in most kernels.
constexpr const char* shortest_piece = "12";

/// The texts as files, which the program names in what it prints.
class Files {
 public:
  explicit Files(const std::vector<std::string>& texts) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      names_.push_back((folder_.path() / std::to_string(i)).string());
      write_file(names_.back(), texts[i]);
    }
  }
  const std::vector<std::string>& names() const { return names_; }
  /// What stands before a number in a file's name.
  std::string before_number() const { return (folder_.path() / "").string(); }

 private:
  TemporaryFolder folder_{"sim-"};
  std::vector<std::string> names_;
};

/// Takes a printed line apart: words that must stand there, and numbers between them.
class Line {
 public:
  explicit Line(std::string_view line) : rest_(line) {}
  Line& words(std::string_view expected) {
    fits_ = fits_ && rest_.starts_with(expected);
    if (fits_) rest_.remove_prefix(expected.size());
    return *this;
  }
  Line& number(std::size_t& value) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    fits_ = fits_ && error == std::errc();
    if (fits_) rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return *this;
  }
  Line& blanks() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    return *this;
  }
  bool fits() const { return fits_; }

 private:
  std::string_view rest_;
  bool fits_ = true;
};

/// Each line that it prints, told to `on_line`.
void run(std::vector<std::string> command, const Files& files,
         const std::function<void(std::string_view)>& on_line) {
  command.insert(command.end(), files.names().begin(), files.names().end());
  Subprocess process;
  process.command = std::move(command);
  process.on_line = on_line;
  if (!run_process(process).succeeded())
    throw std::runtime_error(std::string(program_name) + " has failed: what it said stands above.");
}

}  // namespace

SimilarityTester::SimilarityTester() : program_(find_program(program_name)) {
  if (program_.empty())
    throw std::runtime_error(
        "Texts are compared by Dick Grune's similarity tester, and there is no " +
        std::string(program_name) +
        " here. Repair: apt-get install similarity-tester (Debian, Ubuntu); elsewhere build it "
        "from "
        "https://dickgrune.com/Programs/similarity_tester.");
}

Shares SimilarityTester::compare(const std::vector<std::string>& texts) const {
  Shares shares(texts.size());
  if (texts.size() < 2) return shares;
  const Files files(texts);
  const std::string folder = files.before_number();
  // -ae: each file against each other one, alone; -p -t 1: as percentages, from 1 on.
  run({program_.string(), "-aepsT", "-t", "1", "-r", shortest_piece}, files,
      [&](std::string_view line) {
        std::size_t text = 0, other = 0, percent = 0;
        Line parts(line);
        parts.words(folder).number(text).words(" consists for ").number(percent);
        parts.words(" % of ").words(folder).number(other).words(" material");
        if (parts.fits() && text < texts.size() && other < texts.size())
          shares.of(text, other) = static_cast<std::uint8_t>(std::min<std::size_t>(percent, 100));
      });
  return shares;
}

std::vector<AlikeLines> SimilarityTester::alike(const std::string& first,
                                                const std::string& second) const {
  const Files files({first, second});
  std::vector<AlikeLines> all;
  // -en: the second searched for pieces of the first, told by their lines.
  run({program_.string(), "-ensT", "-r", shortest_piece}, files, [&](std::string_view line) {
    AlikeLines lines;
    Line parts(line);
    parts.words(files.names()[0] + ": line ").number(lines.first_begin).words("-");
    parts.number(lines.first_end).blanks().words("|" + files.names()[1] + ": line ");
    parts.number(lines.second_begin).words("-").number(lines.second_end);
    if (parts.fits()) all.push_back(lines);
  });
  return all;
}

}  // namespace gridstride
