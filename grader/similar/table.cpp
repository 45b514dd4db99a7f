// The terminal's table, and JSON.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/text.h"
#include "grader/report/grid.h"
#include "grader/similar/reports.h"

namespace gridstride {
namespace {

using Json = nlohmann::ordered_json;

constexpr int schema = 1;

double usual_of(const std::string& stage, const LabLikeness& lab) {
  const auto found = std::ranges::find(lab.stages, stage, &StageOverview::name);
  return found == lab.stages.end() ? 0.0 : static_cast<double>(found->usual.value_or(0));
}

template <class Number>
std::optional<double> real(std::optional<Number> number) {
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

template <class Number>
Json or_null(std::optional<Number> number) {
  return number ? Json(*number) : Json();
}

double rounded(double percent) { return std::round(10 * percent) / 10; }

Json cleaned(const std::vector<std::string>& texts) {
  Json all = Json::array();
  for (const std::string& text : texts) all.push_back(clean_text(text));
  return all;
}

Json pair_to_json(const SimilarPair& pair, const StudentNames& names) {
  Json stages = Json::array();
  for (const StageLikeness& stage : pair.stages)
    stages.push_back(
        {{"name", clean_text(stage.stage)}, {"percent", stage.percent}, {"tokens", stage.tokens}});
  const auto share = [](std::optional<double> percent) {
    return percent ? Json(rounded(*percent)) : Json();
  };
  return {{"students", {clean_text(pair.first), clean_text(pair.second)}},
          {"names", {name_in(names, pair.first), name_in(names, pair.second)}},
          {"percent", rounded(pair.percent)},
          {"alike", pair.alike},
          {"tokens", pair.tokens},
          {"beyond_usual", rounded(pair.telling)},
          {"percent_in_solution", {share(pair.first_in_solution), share(pair.second_in_solution)}},
          {"stages", std::move(stages)}};
}

}  // namespace

std::string name_in(const StudentNames& names, const std::string& id) {
  const auto found = names.find(id);
  return found == names.end() ? id : found->second;
}

std::string in_percent(std::optional<double> percent) {
  return percent ? plain_number(*percent, 0) + " %" : "–";
}

const StageLikeness& most_telling(const SimilarPair& pair, const LabLikeness& lab) {
  return *std::ranges::max_element(pair.stages, {}, [&lab](const StageLikeness& stage) {
    return (static_cast<double>(stage.percent) - usual_of(stage.stage, lab)) *
           static_cast<double>(stage.tokens);
  });
}

std::string similar_table(const LabLikeness& lab, const StudentNames& names,
                          const TextStyle& style) {
  GridColumn stage{.title = "stage", .right = false}, texts{.title = "texts"},
      usual{.title = "usually alike"}, solution{.title = "in the course's own"},
      mostly{.title = "of 90 % and more", .rank = 1};
  for (const StageOverview& one : lab.stages) {
    stage.cells.push_back({one.name});
    texts.cells.push_back({std::to_string(one.texts)});
    usual.cells.push_back({in_percent(real(one.usual))});
    solution.cells.push_back({in_percent(real(one.usual_in_solution))});
    mostly.cells.push_back(
        {one.usual_in_solution ? std::to_string(one.mostly_in_solution.size()) : "-"});
  }
  std::string out = to_grid({stage, texts, usual, solution, mostly}, style) + "\n";
  if (lab.most_alike.empty()) return out + "  There are no two students to compare.\n";
  GridColumn alike{.title = "alike"}, tokens{.title = "tokens"},
      first{.title = "student", .right = false, .least = 24},
      second{.title = "student", .right = false, .least = 24},
      own{.title = "each in the course's own", .rank = 2, .right = false},
      most{.title = "most in", .rank = 1, .right = false};
  for (const SimilarPair& pair : lab.most_alike) {
    alike.cells.push_back({in_percent(pair.percent)});
    tokens.cells.push_back({std::to_string(pair.tokens)});
    first.cells.push_back({name_in(names, pair.first)});
    second.cells.push_back({name_in(names, pair.second)});
    own.cells.push_back(
        {pair.first_in_solution || pair.second_in_solution
             ? in_percent(pair.first_in_solution) + ", " + in_percent(pair.second_in_solution)
             : "-"});
    const StageLikeness& telling = most_telling(pair, lab);
    most.cells.push_back({telling.stage + " " + std::to_string(telling.percent) + " %"});
  }
  return out + to_grid({alike, tokens, first, second, most, own}, style);
}

std::string to_similar_json(const std::vector<LabOfClass>& labs, const StudentNames& names) {
  Json all = Json::array();
  for (const auto& [lab, texts] : labs) {
    Json stages = Json::array(), pairs = Json::array();
    for (const StageOverview& stage : lab.stages)
      stages.push_back({{"name", clean_text(stage.name)},
                        {"texts", stage.texts},
                        {"too_short", stage.too_short},
                        {"usual_percent", or_null(stage.usual)},
                        {"usual_percent_in_solution", or_null(stage.usual_in_solution)},
                        {"mostly_in_solution", cleaned(stage.mostly_in_solution)}});
    for (const SimilarPair& pair : lab.most_alike) pairs.push_back(pair_to_json(pair, names));
    all.push_back({{"name", lab.lab},
                   {"students", lab.students},
                   {"pairs", lab.pairs},
                   {"stages", std::move(stages)},
                   {"most_alike", std::move(pairs)}});
  }
  const Json document = {{"schema", schema}, {"labs", std::move(all)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gridstride
