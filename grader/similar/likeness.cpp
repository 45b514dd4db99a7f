// Stage by stage a table of shares, then a sum for each pair. Of a few thousand students there are
// millions of pairs, so that only the tables and the best pairs are kept.
#include "grader/similar/likeness.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "grader/similar/own_text.h"
#include "grader/similar/tester.h"

namespace gridstride {
namespace {

constexpr std::size_t nobody = static_cast<std::size_t>(-1);

/// How many there are of each percentage.
class Percentages {
 public:
  void add(std::size_t percent) {
    ++counts_[std::min<std::size_t>(percent, 100)];
    ++all_;
  }
  /// The lower one of two in the middle; none of none.
  std::optional<std::size_t> median() const {
    std::size_t below = 0;
    for (std::size_t percent = 0; percent < counts_.size(); ++percent) {
      below += counts_[percent];
      if (all_ > 0 && 2 * below >= all_) return percent;
    }
    return std::nullopt;
  }

 private:
  std::array<std::size_t, 101> counts_{};
  std::size_t all_ = 0;
};

/// One stage's texts compared. A text that several have stands here once.
class ComparedStage {
 public:
  ComparedStage(const StageOfClass& stage, const std::vector<std::string>& students,
                const SimilarityTester& tester)
      : name_(stage.name), text_of_(students.size(), nobody), shares_(0) {
    overview_.name = stage.name;
    for (std::size_t i = 0; i < students.size(); ++i)
      if (const auto found = stage.texts.find(students[i]); found != stage.texts.end())
        text_of_[i] = take(own_text(stage.skeleton, found->second));
    if (!stage.solution.empty()) {
      const OwnText own = own_text(stage.skeleton, stage.solution);
      if (own.tokens >= least_tokens) solution_ = place_of(own);
    }
    shares_ = tester.compare(texts_);
    look_over(students);
  }

  const std::string& name() const { return name_; }
  const StageOverview& overview() const { return overview_; }

  /// None where one of the two has not written enough of it.
  std::optional<StageLikeness> pair(std::size_t first, std::size_t second) const {
    const std::size_t a = text_of_[first], b = text_of_[second];
    if (a == nobody || b == nobody) return std::nullopt;
    return StageLikeness{name_, percent(a, b), std::min(tokens_[a], tokens_[b])};
  }
  /// Whether both texts are mostly the course's own.
  bool both_are_the_solution(std::size_t first, std::size_t second) const {
    return solution_ != nobody && share(text_of_[first], solution_) >= mostly &&
           share(text_of_[second], solution_) >= mostly;
  }
  /// The student's tokens, and how many of them stand in the course's own solution.
  std::pair<double, double> in_solution(std::size_t student) const {
    const std::size_t text = text_of_[student];
    if (text == nobody || solution_ == nobody) return {0, 0};
    const auto tokens = static_cast<double>(tokens_[text]);
    return {tokens, tokens * static_cast<double>(share(text, solution_)) / 100};
  }

 private:
  std::size_t take(const OwnText& own) {
    if (own.tokens == 0) return nobody;  // the skeleton as it was
    if (own.tokens < least_tokens) {
      ++overview_.too_short;
      return nobody;
    }
    ++overview_.texts;
    return place_of(own);
  }
  std::size_t place_of(const OwnText& own) {
    const auto [at, is_new] = places_.try_emplace(own.text, texts_.size());
    if (is_new) {
      texts_.push_back(own.text);
      tokens_.push_back(own.tokens);
    }
    return at->second;
  }
  std::size_t share(std::size_t text, std::size_t other) const {
    return text == other ? 100 : shares_.of(text, other);
  }
  /// Of the shorter one, that stands in the longer one.
  std::size_t percent(std::size_t a, std::size_t b) const {
    if (tokens_[a] == tokens_[b]) return std::max(share(a, b), share(b, a));
    return tokens_[a] < tokens_[b] ? share(a, b) : share(b, a);
  }
  void look_over(const std::vector<std::string>& students) {
    Percentages pairs, solution;
    for (std::size_t i = 0; i < text_of_.size(); ++i) {
      if (text_of_[i] == nobody) continue;
      for (std::size_t j = i + 1; j < text_of_.size(); ++j)
        if (text_of_[j] != nobody) pairs.add(percent(text_of_[i], text_of_[j]));
      if (solution_ == nobody) continue;
      const std::size_t there = share(text_of_[i], solution_);
      solution.add(there);
      if (there >= mostly) overview_.mostly_in_solution.push_back(students[i]);
    }
    if (overview_.texts >= 3) overview_.usual = pairs.median();
    overview_.usual_in_solution = solution.median();
  }

  std::string name_;
  std::vector<std::size_t> text_of_;  ///< by student
  std::size_t solution_ = nobody;
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> texts_;
  std::vector<std::size_t> tokens_;
  Shares shares_;
  StageOverview overview_;
};

/// One pair's sums over all stages.
struct Sums {
  std::size_t first = 0, second = 0;
  double alike = 0, tokens = 0, telling = 0;
  double percent() const { return 100 * alike / tokens; }
};

bool comes_before(const Sums& a, const Sums& b) {
  return std::tuple(-a.telling, -a.percent(), a.first, a.second) <
         std::tuple(-b.telling, -b.percent(), b.first, b.second);
}

Sums sums_of(const std::vector<ComparedStage>& stages, std::size_t first, std::size_t second) {
  Sums sums{.first = first, .second = second};
  for (const ComparedStage& stage : stages) {
    const auto pair = stage.pair(first, second);
    if (!pair) continue;
    const auto percent = static_cast<double>(pair->percent);
    const auto tokens = static_cast<double>(pair->tokens);
    const auto usual = static_cast<double>(stage.overview().usual.value_or(0));
    sums.tokens += tokens;
    sums.alike += tokens * percent / 100;
    if (!stage.both_are_the_solution(first, second))
      sums.telling += tokens * std::max(0.0, percent - usual) / 100;
  }
  return sums;
}

/// The `most` best pairs, best first; counts all that have something to compare.
std::vector<Sums> best_pairs(const std::vector<ComparedStage>& stages, std::size_t students,
                             std::size_t most, std::size_t& count) {
  std::vector<Sums> best;  // a heap whose front is the last of them
  for (std::size_t first = 0; first < students; ++first) {
    for (std::size_t second = first + 1; second < students; ++second) {
      const Sums sums = sums_of(stages, first, second);
      if (sums.tokens <= 0) continue;
      ++count;
      best.push_back(sums);
      std::ranges::push_heap(best, comes_before);
      if (best.size() <= most) continue;
      std::ranges::pop_heap(best, comes_before);
      best.pop_back();
    }
  }
  std::ranges::sort_heap(best, comes_before);
  return best;
}

std::optional<double> in_solution(const std::vector<ComparedStage>& stages, std::size_t student) {
  double tokens = 0, there = 0;
  for (const ComparedStage& stage : stages) {
    const auto [own, alike] = stage.in_solution(student);
    tokens += own;
    there += alike;
  }
  if (tokens <= 0) return std::nullopt;
  return 100 * there / tokens;
}

}  // namespace

LabLikeness compare_class(const std::string& lab, const std::vector<StageOfClass>& stages,
                          std::size_t most,
                          const std::function<void(const std::string&)>& on_stage) {
  const SimilarityTester tester;
  std::map<std::string, std::size_t> names;
  for (const StageOfClass& stage : stages)
    for (const auto& [student, text] : stage.texts) names.emplace(student, 0);
  std::vector<std::string> students;
  for (const auto& [name, unused] : names) students.push_back(name);

  std::vector<ComparedStage> compared;
  LabLikeness result;
  result.lab = lab;
  result.students = students.size();
  for (const StageOfClass& stage : stages) {
    on_stage(stage.name);
    result.stages.push_back(compared.emplace_back(stage, students, tester).overview());
  }
  for (const Sums& sums : best_pairs(compared, students.size(), most, result.pairs)) {
    SimilarPair& pair = result.most_alike.emplace_back();
    pair.first = students[sums.first];
    pair.second = students[sums.second];
    pair.percent = sums.percent();
    pair.alike = static_cast<std::size_t>(std::lround(sums.alike));
    pair.tokens = static_cast<std::size_t>(std::lround(sums.tokens));
    pair.telling = sums.telling;
    for (const ComparedStage& stage : compared)
      if (const auto one = stage.pair(sums.first, sums.second)) pair.stages.push_back(*one);
    pair.first_in_solution = in_solution(compared, sums.first);
    pair.second_in_solution = in_solution(compared, sums.second);
  }
  return result;
}

}  // namespace gridstride
