// Pairs in their order, and below them both texts of each stage, what is alike marked in both.
#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/explain/html.h"
#include "common/text.h"
#include "grader/gradebook/export/page_frame.h"
#include "grader/similar/own_text.h"
#include "grader/similar/reports.h"
#include "grader/similar/tester.h"

namespace gridstride {
namespace {

using sim::element;

constexpr const char* style =
    "main { max-width: 96rem; }"
    ".sides { display: grid; gap: 1rem; margin: .5rem 0 1.5rem;"
    " grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); }"
    ".sides h4 { margin: 0 0 .25rem; overflow-wrap: anywhere; }"
    "summary { cursor: pointer; padding: .25rem 0; }"
    "table.source tr.alike td { background: rgba(var(--hot), .16); }"
    "table.source tr.given td { color: var(--soft); }"
    "table.source td.piece { font-weight: 600; color: rgb(var(--hot)); }";

std::string percent_of(std::optional<std::size_t> percent) {
  return percent ? in_percent(static_cast<double>(*percent)) : "–";
}

std::string head(const std::vector<std::pair<const char*, const char*>>& columns) {
  std::string html = "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>";
  for (const auto& [title, css_class] : columns)
    html += "<th scope=\"col\" class=\"" + std::string(css_class) + "\">" + sim::escaped(title) +
            "</th>";
  return html + "</tr></thead><tbody>";
}

constexpr const char* end_of_table = "</tbody></table></div>";

/// Which lines of a text are alike, by the number of the piece.
using Pieces = std::map<std::size_t, std::size_t>;

std::string side(const std::string& student, const std::string& text, const OwnText& own,
                 const Pieces& pieces) {
  std::string html = "<div>" + element("h4", student) +
                     "<div class=\"scroll\" tabindex=\"0\"><table class=\"source code\"><tbody>";
  std::istringstream lines(text), own_lines(own.text);
  std::size_t number = 0;
  for (std::string line, own_line; std::getline(lines, line);) {
    ++number;
    if (!std::getline(own_lines, own_line)) own_line.clear();
    const auto piece = pieces.find(number);
    const bool alike = piece != pieces.end() && !own_line.empty();
    html += alike ? "<tr class=\"alike\">" : own_line.empty() ? "<tr class=\"given\">" : "<tr>";
    html += element("td", std::to_string(number), "number") +
            element("td", alike ? std::to_string(piece->second) : "", "piece") +
            element("td", line, "text") + "</tr>";
  }
  return html + "</tbody></table></div></div>";
}

class Page {
 public:
  Page(const std::vector<LabOfClass>& labs, const StudentNames& names)
      : labs_(labs), names_(names) {}

  std::string make() {
    std::string html = element("h1", "How alike the texts of the class are");
    html += element("p",
                    "Compared is what the students have written: lines of the skeleton are left "
                    "out, and names, layout and comments make no difference. What is alike need "
                    "not be copied. It can be taught, taken from a hint, worked out together, or "
                    "the only short way to do it: then it is usual in the whole class. Look at "
                    "both texts, and talk to both students, before anything is concluded.");
    for (const LabOfClass& lab : labs_) html += card(lab);
    for (const LabOfClass& lab : labs_)
      for (std::size_t i = 0; i < lab.likeness.most_alike.size(); ++i) html += texts(lab, i);
    return page_of("How alike", html, style);
  }

 private:
  static std::string anchor(const LabOfClass& lab, std::size_t pair) {
    return lab.likeness.lab + "-" + std::to_string(pair + 1);
  }

  /// Whose texts are mostly the course's own, of stages where most are not.
  std::string unusual(const LabLikeness& lab) const {
    std::string html;
    for (const StageOverview& stage : lab.stages) {
      if (stage.mostly_in_solution.empty() || stage.usual_in_solution.value_or(0) >= mostly)
        continue;
      std::vector<std::string> names;
      for (const std::string& student : stage.mostly_in_solution)
        names.push_back(name_in(names_, student));
      html += "<li>" + sim::escaped(stage.name + ": " + listed(names)) + "</li>";
    }
    if (html.empty()) return html;
    return element("h3", "Mostly the course's own, where that is not usual") + "<ul>" + html +
           "</ul>";
  }

  std::string card(const LabOfClass& lab) const {
    const LabLikeness& all = lab.likeness;
    std::string html =
        "<section class=\"card\">" + element("h2", all.lab) +
        element("p",
                std::to_string(all.students) + " students, " + std::to_string(all.pairs) +
                    " pairs of them compared. " + "Usual is the median of all pairs.",
                "soft");
    html += head({{"stage", "text"},
                  {"texts", ""},
                  {"too short to tell", ""},
                  {"usually alike", ""},
                  {"usually in the course's own", ""},
                  {"of 90 % and more", ""}});
    for (const StageOverview& stage : all.stages)
      html +=
          "<tr>" + element("td", stage.name, "text") + element("td", std::to_string(stage.texts)) +
          element("td", std::to_string(stage.too_short)) + element("td", percent_of(stage.usual)) +
          element("td", percent_of(stage.usual_in_solution)) +
          element("td",
                  stage.usual_in_solution ? std::to_string(stage.mostly_in_solution.size()) : "–") +
          "</tr>";
    html +=
        std::string(end_of_table) + unusual(all) + element("h3", "Most alike") +
        element("p",
                "Those first that share most tokens beyond what is usual. A stage in which both "
                "texts are mostly the course's own counts for nothing there: the last hint "
                "shows that text, and so does `./lab solution`.",
                "soft");
    html += head({{"", ""},
                  {"alike", ""},
                  {"of tokens", ""},
                  {"student", "text"},
                  {"in the course's own", ""},
                  {"student", "text"},
                  {"in the course's own", ""},
                  {"most in", "text"}});
    for (std::size_t i = 0; i < all.most_alike.size(); ++i) {
      const SimilarPair& pair = all.most_alike[i];
      const StageLikeness& most = most_telling(pair, all);
      html += "<tr><td><a href=\"#" + sim::escaped(anchor(lab, i)) + "\">" + std::to_string(i + 1) +
              "</a></td>" + element("td", in_percent(pair.percent)) +
              element("td", std::to_string(pair.tokens)) +
              element("td", name_in(names_, pair.first), "text") +
              element("td", in_percent(pair.first_in_solution)) +
              element("td", name_in(names_, pair.second), "text") +
              element("td", in_percent(pair.second_in_solution)) +
              element("td", most.stage + " " + std::to_string(most.percent) + " %", "text") +
              "</tr>";
    }
    html += end_of_table;
    if (all.most_alike.empty()) html += element("p", "There are no two students to compare.");
    return html + "</section>";
  }

  std::string texts(const LabOfClass& lab, std::size_t number) const {
    const SimilarPair& pair = lab.likeness.most_alike[number];
    const std::string first = name_in(names_, pair.first), second = name_in(names_, pair.second);
    std::string html = "<section class=\"card\" id=\"" + sim::escaped(anchor(lab, number)) + "\">" +
                       element("h2", std::to_string(number + 1) + ". " + first + " and " + second) +
                       element("p",
                               lab.likeness.lab + ": " + in_percent(pair.percent) + " of " +
                                   std::to_string(pair.tokens) +
                                   " tokens are alike. Lines that are alike are marked, with the "
                                   "same number on both sides; the skeleton's are grey.",
                               "soft");
    const StageLikeness& most = most_telling(pair, lab.likeness);
    for (const StageLikeness& stage : pair.stages) {
      const auto of_class = std::ranges::find(lab.stages, stage.stage, &StageOfClass::name);
      const auto overview =
          std::ranges::find(lab.likeness.stages, stage.stage, &StageOverview::name);
      html += std::string("<details") + (&stage == &most ? " open" : "") + "><summary>" +
              sim::escaped(stage.stage + ": " + std::to_string(stage.percent) + " % of " +
                           std::to_string(stage.tokens) + " tokens, usual " +
                           percent_of(overview->usual)) +
              "</summary>" +
              sides(*of_class, first, of_class->texts.at(pair.first), second,
                    of_class->texts.at(pair.second)) +
              "</details>";
    }
    return html + "</section>";
  }

  std::string sides(const StageOfClass& stage, const std::string& first,
                    const std::string& first_text, const std::string& second,
                    const std::string& second_text) const {
    const OwnText own_first = own_text(stage.skeleton, first_text);
    const OwnText own_second = own_text(stage.skeleton, second_text);
    std::vector<AlikeLines> alike = tester_.alike(own_first.text, own_second.text);
    std::ranges::stable_sort(alike, {}, &AlikeLines::first_begin);
    Pieces in_first, in_second;
    for (std::size_t i = 0; i < alike.size(); ++i) {
      for (std::size_t line = alike[i].first_begin; line <= alike[i].first_end; ++line)
        in_first.emplace(line, i + 1);
      for (std::size_t line = alike[i].second_begin; line <= alike[i].second_end; ++line)
        in_second.emplace(line, i + 1);
    }
    return "<div class=\"sides\">" + side(first, first_text, own_first, in_first) +
           side(second, second_text, own_second, in_second) + "</div>";
  }

  const std::vector<LabOfClass>& labs_;
  const StudentNames& names_;
  SimilarityTester tester_;
};

}  // namespace

std::string similar_page(const std::vector<LabOfClass>& labs, const StudentNames& names) {
  return Page(labs, names).make();
}

}  // namespace gridstride
