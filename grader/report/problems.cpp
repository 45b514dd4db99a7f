// One pass over the results; what each form needs escaped differs.
#include "grader/report/problems.h"

#include <charconv>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text.h"

namespace gridstride {
namespace {

/// Cleaned, and without a line feed.
std::string one_line(std::string_view text) {
  std::string line = clean_text(text);
  for (char& c : line) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return line;
}

/// The first line of the message that says something beside the TODO, which is told by itself.
std::string first_words(const StageResult& stage) {
  const bool has_todo = !stage.remarks.empty() && stage.remarks[0].kind == Remark::Kind::todo;
  const std::string todo =
      has_todo ? stage.remarks[0].file + ":" + std::to_string(stage.remarks[0].line) + " " : "";
  std::istringstream lines(stage.message);
  std::string words;
  for (std::string line; std::getline(lines, line) && words.empty();) {
    const bool about_todo = has_todo && line.starts_with(todo);
    if (!about_todo && line.find_first_not_of(' ') != std::string::npos) words = line;
  }
  std::string verdict = name_of(stage.verdict);
  return words.empty() ? verdict : verdict + ": " + words;
}

/// "3_sequential.cu:21" taken apart; false where it names no line.
bool read_place(const std::string& where, Problem& problem) {
  const std::size_t colon = where.rfind(':');
  if (colon == std::string::npos) return false;
  int line = 0;
  std::from_chars(where.data() + colon + 1, where.data() + where.size(), line);
  if (line <= 0) return false;
  problem.file = where.substr(0, colon);
  problem.line = line;
  return true;
}

/// The student's to mend.
bool is_theirs(Verdict verdict) {
  return verdict != Verdict::inconclusive && verdict != Verdict::unsupported_here &&
         verdict != Verdict::infrastructure;
}

class List {
 public:
  explicit List(const LabResult& lab) : lab_(lab) {}

  void add(const StageResult& stage) {
    const bool untouched = stage.verdict == Verdict::todo;
    bool has_error = false;
    for (const Remark& remark : stage.remarks) {
      const bool todo = remark.kind == Remark::Kind::todo;
      if (untouched && !todo) continue;
      Problem problem = of(stage, todo ? "still to do: " + remark.text : remark.text);
      problem.error = !todo && remark.kind != Remark::Kind::warning;
      problem.file = one_line(remark.file);
      problem.line = remark.line;
      problem.column = remark.column;
      has_error |= problem.error;
      all.push_back(std::move(problem));
    }
    for (const LimitResult& limit : stage.limits) {
      Problem problem = of(stage, limit.counter + " is " + plain_number(limit.value) +
                                      ", at most " + plain_number(limit.at_most) + " allowed");
      if (limit.met || !read_place(one_line(limit.where), problem)) continue;
      has_error = true;
      all.push_back(std::move(problem));
    }
    if (stage.verdict == Verdict::pass || untouched || has_error) return;
    all.push_back(of(stage, first_words(stage)));
    all.back().error = is_theirs(stage.verdict);
  }

  std::vector<Problem> all;

 private:
  Problem of(const StageResult& stage, const std::string& text) const {
    Problem problem;
    problem.lab = one_line(lab_.name);
    problem.stage = one_line(stage.name);
    problem.file = problem.stage + ".cu";
    problem.text = one_line(text);
    return problem;
  }

  const LabResult& lab_;
};

/// As GitHub's runner wants it; in a property also what separates properties.
std::string for_github(const std::string& text, bool property) {
  std::string escaped;
  for (const char c : text) {
    if (c == '%') {
      escaped += "%25";
    } else if (property && c == ':') {
      escaped += "%3A";
    } else if (property && c == ',') {
      escaped += "%2C";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

std::vector<Problem> problems_of(const Results& results) {
  std::vector<Problem> problems;
  for (const LabResult& lab : results.labs) {
    List list(lab);
    for (const StageResult& stage : lab.stages) list.add(stage);
    problems.insert(problems.end(), list.all.begin(), list.all.end());
  }
  return problems;
}

std::string to_gcc(const std::vector<Problem>& problems, const PathOf& path_of) {
  std::string out;
  for (const Problem& problem : problems) {
    const int column = problem.column > 0 ? problem.column : 1;
    out += one_line(path_of(problem)) + ":" + std::to_string(problem.line) + ":" +
           std::to_string(column) + (problem.error ? ": error: " : ": warning: ") + problem.text +
           "\n";
  }
  return out;
}

std::string to_github(const std::vector<Problem>& problems, const PathOf& path_of) {
  std::string out;
  for (const Problem& problem : problems) {
    out += problem.error ? "::error" : "::warning";
    out += " file=" + for_github(one_line(path_of(problem)), true) +
           ",line=" + std::to_string(problem.line);
    if (problem.column > 0) out += ",col=" + std::to_string(problem.column);
    out += ",title=" + for_github(problem.lab + "/" + problem.stage, true) +
           "::" + for_github(problem.text, false) + "\n";
  }
  return out;
}

}  // namespace gridstride
