#include "grader/batch/test_class.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "grader/course/lab_config.h"
#include "grader/submissions/test_archives.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

constexpr std::array<const char*, 24> first_names = {
    "ada",    "alan", "barbara",  "bjarne",  "claude", "donald", "dorothy",   "edsger",
    "emmy",   "evi",  "frances",  "grace",   "john",   "jan",    "katherine", "ken",
    "leslie", "lynn", "margaret", "niklaus", "radia",  "shafi",  "tony",      "zoë"};
/// Names that somebody has, and that a careless program stumbles over.
constexpr std::array<const char*, 8> odd_names = {
    "=cmd|' ⁄C calc'!A0", "d'arc jeanne", "-rf",      "李雷",
    "o\"brien; ls",       "$(reboot)",    "<b>bold<", "a name with spaces"};
constexpr std::array<const char*, 12> words = {"acc",   "block_total", "chunk", "elem",
                                               "half",  "item",        "local", "my",
                                               "piece", "stride",      "tmp",   "value"};

struct Wrong {
  std::string file, stage, verdict;
};

class Maker {
 public:
  Maker(fs::path folder, const TestClassOptions& options)
      : folder_(std::move(folder)),
        options_(options),
        lab_(load_lab_config(options.tree / "labs" / options.lab)),
        random_(options.seed) {
    if (fs::exists(folder_)) throw std::runtime_error(folder_.string() + " is there already.");
    fs::create_directories(folder_);
    read_wrong();
  }

  ExpectedVerdicts make() {
    // Of 20: 2 honest, 3 half done, 8 wrong or cheating, 2 skeletons, 5 broken; and so on. In a small class
    // 1 is honest: each takes as long as several others.
    const int honest = options_.students > 20 ? 2 : 1;
    for (int i = options_.first; i < options_.first + options_.students; ++i) {
      const std::string student = name_of_student(i);
      const int kind = i % 20;
      Files files;
      if (kind < honest) {
        files = solved(student, lab_.stages.size());
      } else if (kind < 5) {
        files = half_done(student);
      } else if (kind < 13) {
        files = wrong(student);
      } else if (kind < 15) {
        files = solved(student, 0);
      } else {
        broken(student, static_cast<std::size_t>(i / 20 * 5 + kind - 15));
        continue;
      }
      hand_in(student, files);
    }
    return std::move(expected_);
  }

 private:
  using Files = std::vector<std::pair<std::string, std::string>>;

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  std::string name_of_student(int i) {
    if (i % 20 == 7 && static_cast<std::size_t>(i / 20) < odd_names.size())
      return odd_names[static_cast<std::size_t>(i / 20)];
    return first_names[static_cast<std::size_t>(i) % first_names.size()] + std::string("-") +
           std::to_string(100 + i);
  }

  void read_wrong() {
    const fs::path home = options_.tree / "solutions" / lab_.name / "wrong";
    const toml::table table = toml::parse_file((home / "verdicts.toml").string());
    for (const toml::node& node : *table["kernel"].as_array()) {
      const toml::table& kernel = *node.as_table();
      const auto text = [&](const char* key) { return kernel[key].value_or(std::string()); };
      bool on_sim = false;
      for (const toml::node& device : *kernel["devices"].as_array())
        on_sim = on_sim || device.value_or(std::string()) == "sim";
      if (!on_sim || (options_.no_timeouts && text("verdict") == "timeout")) continue;
      wrong_.push_back({text("file"), text("stage"), text("verdict")});
    }
    std::ranges::shuffle(wrong_, random_);
  }

  std::string skeleton(const std::string& stage) const {
    return read_file(options_.tree / "labs" / lab_.name / (stage + ".cu"));
  }

  std::string solution(const StageConfig& stage) {
    const std::string text =
        read_file(options_.tree / "solutions" / lab_.name / (stage.name + ".cu"));
    return "// Handed in: " + std::to_string(random_()) + "\n" +
           with_other_names(text, stage.function, random_());
  }

  std::string wrong_text(const Wrong& wrong) {
    const fs::path home = options_.tree / "solutions" / lab_.name / "wrong";
    fs::path file = home / wrong.file;
    const TemporaryFolder scratch;
    if (!fs::exists(file)) {
      const fs::path patch = fs::path(file).replace_extension(".patch");
      file = scratch.path() / "kernel.cu";
      Subprocess make;
      make.command = {(options_.tree / "common/tools/wrong_kernel.sh").string(), "make",
                      patch.string(), file.string()};
      if (!run_process(make).succeeded()) throw std::runtime_error(patch.string() + " fails");
    }
    return "// " + std::to_string(random_()) + "\n" + read_file(file);
  }

  Files solved(const std::string& student, std::size_t count) {
    Files files;
    for (std::size_t i = 0; i < lab_.stages.size(); ++i) {
      const StageConfig& stage = lab_.stages[i];
      files.emplace_back(stage.name, i < count ? solution(stage) : skeleton(stage.name));
      expected_[student + "/" + stage.name] = i < count ? "pass" : "todo";
    }
    return files;
  }

  /// The first few stages; of the next one a line that does not compile, or nothing.
  Files half_done(const std::string& student) {
    const std::size_t count = 1 + draw(3);
    Files files = solved(student, count);
    if (count < files.size() && draw(2) == 0) {
      files[count].second += "\nint unfinished = ;  // " + student.substr(0, 3) + "\n";
      expected_[student + "/" + files[count].first] = "compile_error";
    } else {
      files.resize(count);
    }
    return files;
  }

  Files wrong(const std::string& student) {
    const Wrong& kernel = wrong_[next_wrong_++ % wrong_.size()];
    Files files = solved(student, 0);
    for (auto& [stage, text] : files) {
      if (stage != kernel.stage) continue;
      text = wrong_text(kernel);
      expected_[student + "/" + stage] = kernel.verdict;
    }
    return files;
  }

  /// As a folder, a folder with the lab's, a zip, a tar: in turn.
  void hand_in(const std::string& student, const Files& files) {
    const std::size_t form = form_++ % 4;
    if (form < 2) {
      const fs::path home = form == 0 ? folder_ / student : folder_ / student / lab_.name;
      fs::create_directories(home);
      for (const auto& [stage, text] : files) write_file(home / (stage + ".cu"), text);
      write_file(home / "notes.txt", "what I tried\n");
      return;
    }
    std::vector<TestEntry> entries;
    const std::string top = form == 2 ? "" : "homework/labs/" + lab_.name + "/";
    for (const auto& [stage, text] : files) entries.push_back({top + stage + ".cu", text});
    entries.push_back({"__MACOSX/._" + files.front().first + ".cu", "no stage"});
    write_archive(folder_ / (student + (form == 2 ? ".zip" : ".tar.gz")), entries);
  }

  void broken(const std::string& student, std::size_t kind) {
    using Kind = TestEntry::Kind;
    const std::string first = lab_.stages.front().name + ".cu";
    const std::string second = lab_.stages.at(1).name + ".cu";
    for (const StageConfig& stage : lab_.stages) expected_[student + "/" + stage.name] = "todo";
    std::string& first_verdict = expected_[student + "/" + lab_.stages.front().name];
    switch (kind % 10) {
      case 0:
        write_file(folder_ / (student + ".zip"), "this is no zip\n");
        return;
      case 1:  // leads out of the archive, and links
        write_archive(folder_ / (student + ".tar"), {{"../" + first, "int out = 1;\n"},
                                                     {"/etc/" + first, "int out = 2;\n"},
                                                     {second, "/etc/passwd", Kind::link}});
        expected_[student + "/" + lab_.stages.at(1).name] = "compile_error";
        return;
      case 2:
        write_bomb(folder_ / (student + ".tgz"), first, 40);
        return;
      case 3:
        fs::create_directories(folder_ / student);
        fs::create_symlink("/etc/passwd", folder_ / student / first);
        first_verdict = "compile_error";
        return;
      case 4:
        write_file(folder_ / (student + ".zip"), "");
        return;
      case 5: {  // cut off in the middle
        const fs::path file = folder_ / (student + ".tar.gz");
        write_archive(file, {{first, skeleton(lab_.stages.front().name)}});
        fs::resize_file(file, fs::file_size(file) / 2);
        return;
      }
      case 6:
        fs::create_directories(folder_ / student);
        return;
      case 7:  // twice: the folder is newer
        write_archive(folder_ / (student + ".zip"), {{first, "int old = ;\n"}});
        fs::last_write_time(folder_ / (student + ".zip"),
                            fs::file_time_type::clock::now() - std::chrono::hours(1));
        fs::create_directories(folder_ / student);
        write_file(folder_ / student / first, skeleton(lab_.stages.front().name));
        return;
      case 8:
        write_archive(folder_ / (student + ".tar"),
                      {{first, "", Kind::fifo}, {second, "", Kind::device}});
        first_verdict = expected_[student + "/" + lab_.stages.at(1).name] = "compile_error";
        return;
      default:
        write_archive(
            folder_ / (student + ".zip"),
            {{"build.ninja", "rule x\n"}, {first + "\n.cu", "x"}, {"Makefile", "all:\n"}});
        return;
    }
  }

  fs::path folder_;
  const TestClassOptions& options_;
  LabConfig lab_;
  std::mt19937_64 random_;
  std::vector<Wrong> wrong_;
  std::size_t next_wrong_ = 0, form_ = 0;
  ExpectedVerdicts expected_;
};

}  // namespace

std::string with_other_names(const std::string& text, const std::string& keep, std::uint64_t seed) {
  // What a type stands before is declared here. Names behind '.', '->' and '::' are somebody else's.
  static const std::regex declared(
      "(?:int|unsigned|float|double|bool|std::int64_t|std::uint32_t|float4)[*&]* (?:__restrict__ )?"
      "([a-z][a-z0-9_]{2,})\\b(?!\\()");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), declared), end; at != end; ++at)
    names.insert((*at)[1]);
  names.erase(keep);
  static const std::regex member("(?:[.]|->|::)([a-z][a-z0-9_]*)");
  for (std::sregex_iterator at(text.begin(), text.end(), member), end; at != end; ++at)
    names.erase((*at)[1]);
  std::map<std::string, std::string> other;
  std::mt19937_64 random(seed);
  for (const std::string& name : names)
    other[name] = words[random() % words.size()] + std::string("_") + name +
                  std::to_string(random() % 90 + 10);
  static const std::regex word("([.]|->|::)?\\b([A-Za-z_][A-Za-z0-9_]*)\\b");
  std::string out;
  auto copied = text.cbegin();
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) {
    const auto found = other.find((*at)[2]);
    if ((*at)[1].matched || found == other.end()) continue;
    out.append(copied, (*at)[2].first);
    out += found->second;
    copied = (*at)[2].second;
  }
  out.append(copied, text.cend());
  return out;
}

ExpectedVerdicts make_test_class(const fs::path& folder, const TestClassOptions& options) {
  return Maker(folder, options).make();
}

}  // namespace gridstride
