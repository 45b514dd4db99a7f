// The class on one page: no script, nothing loaded.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/simulator/explain/html.h"
#include "common/text.h"
#include "grader/gradebook/export/exports.h"
#include "grader/gradebook/export/page_frame.h"
#include "grader/report/table.h"

namespace gridstride {
namespace {

using sim::element;

/// On a narrow screen a message stands below what it is about, where else it would be out of sight.
constexpr const char* narrow_style =
    "@media (max-width: 40rem) {"
    " table.mistakes thead { display: none; }"
    " table.mistakes tr { display: grid; grid-template-columns: 2.5rem 1fr auto; }"
    " table.mistakes td.words { grid-column: 2 / -1; white-space: normal; padding-bottom: 0.6rem; }"
    " }";

std::string bar(std::size_t count, std::size_t most) {
  const double width =
      most == 0 ? 0 : 100.0 * static_cast<double>(count) / static_cast<double>(most);
  return "<td class=\"bar\"><span style=\"width: " + plain_number(width, 1) + "%\"></span></td>";
}

/// Rows "label, count, bar".
std::string histogram(const std::vector<std::pair<std::string, std::size_t>>& bins,
                      const std::string& what) {
  std::size_t most = 0;
  for (const auto& [label, count] : bins) most = std::max(most, count);
  std::string html = "<div class=\"scroll\" tabindex=\"0\"><table class=\"bars\"><thead><tr>" +
                     std::string("<th class=\"text\" scope=\"col\">") + sim::escaped(what) +
                     "</th><th scope=\"col\">students</th><th></th></tr></thead><tbody>";
  for (const auto& [label, count] : bins)
    html += "<tr>" + element("td", label, "text") + element("td", std::to_string(count)) +
            (count == 0 ? "<td class=\"bar\"></td>" : bar(count, most)) + "</tr>";
  return html + "</tbody></table></div>";
}

std::string points_card(const ClassMarks& marks) {
  constexpr std::size_t bins = 10;
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (std::size_t i = 0; i < bins; ++i)
    counts.push_back(
        {std::to_string(10 * i) +
             (i + 1 == bins ? " to 100 %" : " to " + std::to_string(10 * i + 9) + " %"),
         0});
  const double most = max_score_of(marks.labs);
  double sum = 0;
  std::vector<double> scores;
  for (const StudentRecord& record : marks.students) {
    if (!is_graded(record, marks.labs)) continue;
    const double share = most == 0 ? 0 : score_of(record, marks.labs) / most;
    ++counts[std::min(bins - 1, static_cast<std::size_t>(std::floor(share * bins)))].second;
    scores.push_back(score_of(record, marks.labs));
    sum += scores.back();
  }
  std::ranges::sort(scores);
  std::string words = std::to_string(scores.size()) + " students are graded.";
  if (!scores.empty())
    words += " Mean " + plain_number(sum / static_cast<double>(scores.size()), 1) + ", median " +
             plain_number(scores[scores.size() / 2], 1) + " of " + plain_number(most) + " points.";
  return "<section class=\"card\">" + element("h2", "Points") + element("p", words) +
         histogram(counts, "points") + "</section>";
}

/// A bin for each doubling of what is required: what counts is the ratio.
std::string speedups_of(const LabConfig& lab, const StageConfig& stage, const ClassMarks& marks) {
  constexpr std::array<const char*, 6> labels = {"less than a quarter of it", "a quarter to a half",
                                                 "a half up to it",           "up to twice",
                                                 "up to four times",          "more"};
  std::array<std::size_t, labels.size()> counts{};
  std::vector<double> speedups;
  double required = 0;
  for (const StudentRecord& record : marks.students) {
    const StageResult* const result = stage_of(record, lab.name, stage.name);
    if (result == nullptr || !result->speedup) continue;
    required = result->speedup->required;
    speedups.push_back(result->speedup->value);
    if (required <= 0) continue;
    const double steps = std::log2(std::max(result->speedup->value, 1e-12) / required);
    const auto bin = std::clamp(static_cast<int>(std::floor(steps)) + 3, 0, 5);
    ++counts[static_cast<std::size_t>(bin)];
  }
  if (speedups.empty() || required <= 0) return {};
  std::ranges::sort(speedups);
  std::vector<std::pair<std::string, std::size_t>> bins;
  for (std::size_t i = 0; i < labels.size(); ++i) bins.emplace_back(labels[i], counts[i]);
  return element("h3", stage.name) +
         element("p",
                 "Required: " + factor(required) + ". Of " + std::to_string(speedups.size()) +
                     " timed: slowest " + factor(speedups.front()) + ", median " +
                     factor(speedups[speedups.size() / 2]) + ", fastest " +
                     factor(speedups.back()) + ".",
                 "soft") +
         histogram(bins, "speedup against what is required");
}

std::string speedups_card(const ClassMarks& marks) {
  std::string html;
  for (const LabConfig& lab : marks.labs) {
    std::string stages;
    for (const StageConfig& stage : lab.stages) stages += speedups_of(lab, stage, marks);
    if (!stages.empty())
      html += "<section class=\"card\">" + element("h2", "Speedups, " + lab.name) + stages +
              "</section>";
  }
  return html;
}

/// Of a compiler's words, what is wrong; else the first line.
std::string telling_line(const std::string& message) {
  constexpr std::string_view error = ": error: ";
  const std::size_t compiler = message.find("The compiler says:");
  const std::size_t at =
      compiler == std::string::npos ? std::string::npos : message.find(error, compiler);
  const std::size_t begin = at == std::string::npos ? 0 : at + error.size();
  return message.substr(begin, message.find('\n', begin) - begin);
}

/// Behind the figure that begins at `at`: -12, 2.5e-07 or 0xa0000; `at` itself where none does.
std::size_t end_of_figure(std::string_view line, std::size_t at) {
  constexpr std::string_view digits = "0123456789";
  const auto behind = [&](std::size_t from, std::string_view set) {
    return std::min(line.find_first_not_of(set, from), line.size());
  };
  if (line.substr(at).starts_with("0x")) return behind(at + 2, "0123456789abcdef");
  const bool is_signed = line.substr(at).starts_with("-") && at > 0 &&
                         std::string_view(" (").find(line[at - 1]) != std::string_view::npos;
  const std::size_t first = is_signed ? at + 1 : at;
  std::size_t end = behind(first, digits);
  if (end == first) return at;
  while (line.substr(end).starts_with(".") && behind(end + 1, digits) > end + 1)
    end = behind(end + 1, digits);
  if (line.substr(end).starts_with("e-") || line.substr(end).starts_with("e+")) {
    const std::size_t exponent = behind(end + 2, digits);
    if (exponent > end + 2) end = exponent;
  }
  return end;
}

/// That line without its figures and quotations: messages of one kind come together.
std::string kind_of(const StageResult& stage) {
  const std::string line = telling_line(stage.message);
  std::string kind;
  bool in_quotes = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      in_quotes = !in_quotes;
      if (in_quotes) kind += "\"…\"";
    }
    if (in_quotes || c == '"') continue;
    const std::size_t end = end_of_figure(line, i);
    if (end == i) {
      kind += c;
      continue;
    }
    const bool in_name = line.compare(end, 1, "_") == 0;  // of a stage, 1_interleaved
    kind += in_name ? line.substr(i, end - i) : "#";
    i = end - 1;
  }
  return shorten(kind, 160);
}

/// How many have which verdict.
std::string stages_card(const ClassMarks& marks) {
  std::string html;
  for (const LabConfig& lab : marks.labs) {
    std::map<Verdict, std::map<std::string, std::size_t>> counts;
    for (const StudentRecord& record : marks.students)
      for (const StageConfig& config : lab.stages)
        if (const StageResult* const stage = stage_of(record, lab.name, config.name))
          ++counts[stage->verdict][config.name];
    html += "<section class=\"card\">" + element("h2", "Stages, " + lab.name) +
            "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>"
            "<th class=\"text\" scope=\"col\">stage</th>";
    for (const auto& [verdict, stages] : counts) html += element("th", name_of(verdict));
    html += "</tr></thead><tbody>";
    for (const StageConfig& config : lab.stages) {
      html += "<tr>" + element("td", config.name, "text");
      for (const auto& [verdict, stages] : counts) {
        const auto found = stages.find(config.name);
        html += element("td", found == stages.end() ? "" : std::to_string(found->second));
      }
      html += "</tr>";
    }
    html += "</tbody></table></div></section>";
  }
  return html;
}

std::string mistakes_card(const ClassMarks& marks) {
  struct Mistake {
    std::size_t count = 0;
    std::string lab, stage, verdict, words;
  };
  std::map<std::string, Mistake> mistakes;
  for (const LabConfig& lab : marks.labs) {
    for (const StudentRecord& record : marks.students) {
      for (const StageConfig& config : lab.stages) {
        const StageResult* const stage = stage_of(record, lab.name, config.name);
        if (stage == nullptr || stage->verdict == Verdict::pass || stage->verdict == Verdict::todo)
          continue;
        const std::string verdict = name_of(stage->verdict), words = kind_of(*stage);
        Mistake& one = mistakes[lab.name + "\n" + config.name + "\n" + verdict + "\n" + words];
        one = {one.count + 1, lab.name, config.name, verdict, words};
      }
    }
  }
  std::vector<Mistake> order;
  for (const auto& [key, one] : mistakes) order.push_back(one);
  std::ranges::stable_sort(order, std::ranges::greater(), &Mistake::count);
  if (order.size() > 25) order.resize(25);
  std::string html =
      "<section class=\"card\">" + element("h2", "What most students got wrong") +
      "<div class=\"scroll\" tabindex=\"0\"><table class=\"mistakes\"><thead><tr><th "
      "scope=\"col\">students</th>"
      "<th class=\"text\" scope=\"col\">stage</th><th class=\"text\" scope=\"col\">verdict</th>"
      "<th class=\"text\" scope=\"col\">message</th></tr></thead><tbody>";
  for (const Mistake& one : order)
    html += "<tr>" + element("td", std::to_string(one.count)) +
            element("td", one.lab + "/" + one.stage, "text") + element("td", one.verdict, "text") +
            element("td", one.words, "text words") + "</tr>";
  return html + "</tbody></table></div>" +
         (order.empty() ? element("p", "Nobody got anything wrong.") : std::string()) +
         "</section>";
}

std::string cell_of(const StageResult* stage) {
  if (stage == nullptr) return "<td class=\"text soft\">–</td>";
  const bool good = stage->verdict == Verdict::pass;
  const bool quiet = stage->verdict == Verdict::todo;
  return "<td class=\"text " +
         std::string(good    ? "good"
                     : quiet ? "soft"
                             : "bad") +
         "\">" + sim::escaped(name_of(stage->verdict)) + " " + plain_number(stage->score) + "</td>";
}

std::string students_card(const LabConfig& lab, const ClassMarks& marks,
                          const std::string& feedback) {
  const auto names = feedback_names(marks.students);
  std::string html = "<section class=\"card\">" + element("h2", "Students, " + lab.name) +
                     "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>"
                     "<th class=\"text\" scope=\"col\">student</th><th scope=\"col\">points</th>";
  for (const StageConfig& stage : lab.stages)
    html += "<th class=\"text\" scope=\"col\">" + sim::escaped(stage.name) + "</th>";
  html += "<th class=\"text\" scope=\"col\">remarks</th></tr></thead><tbody>";
  for (const StudentRecord& record : marks.students) {
    const Student& student = record.student;
    std::string who = sim::escaped(student.id);
    if (student.name != student.id && !student.name.empty())
      who += " " + sim::escaped(student.name);
    if (!feedback.empty())
      who = "<a href=\"" + url_path(feedback + "/" + names.at(student.id)) + "\">" + who + "</a>";
    const auto found = record.labs.find(lab.name);
    const bool done = found != record.labs.end() && found->second.done;
    html += "<tr><th class=\"text\" scope=\"row\">" + who + "</th>" +
            element("td", done ? plain_number(found->second.result.score) : "–");
    for (const StageConfig& stage : lab.stages)
      html += cell_of(stage_of(record, lab.name, stage.name));
    std::string remarks;
    for (const std::string& words : record.remarks) remarks += (remarks.empty() ? "" : " ") + words;
    html += element("td", remarks, "text words soft") + "</tr>";
  }
  return html + "</tbody></table></div></section>";
}

}  // namespace

std::string class_page(const ClassMarks& marks, const std::string& feedback) {
  std::vector<std::string> names;
  for (const LabConfig& lab : marks.labs) names.push_back(lab.name);
  std::string html = element("h1", "The class: " + listed(names)) +
                     element("p",
                             std::to_string(marks.students.size()) + " students. Graded on " +
                                 (marks.device == "gpu" ? "a GPU." : "the simulated GPU."),
                             "soft") +
                     points_card(marks) + stages_card(marks) + mistakes_card(marks) +
                     speedups_card(marks);
  for (const LabConfig& lab : marks.labs) html += students_card(lab, marks, feedback);
  return page_of("The class", html, narrow_style);
}

}  // namespace gridstride
