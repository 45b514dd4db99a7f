// What a student is told: verdicts, messages, what is slow. Only their own record is looked at.
#include <cctype>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/simulator/explain/html.h"
#include "common/text.h"
#include "grader/gradebook/export/exports.h"
#include "grader/gradebook/export/page_frame.h"
#include "grader/report/see_it.h"
#include "grader/report/table.h"

namespace gridstride {
namespace {

using sim::element;

constexpr const char* own_style = "td.words { white-space: normal; min-width: 18rem; }";

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

std::string stage_card(const std::string& lab, const StageConfig& config,
                       const StageResult& stage) {
  const bool good = stage.verdict == Verdict::pass;
  std::string html = "<section class=\"card\"><h2>" + sim::escaped(stage.name) +
                     "<span class=\"verdict " + (good ? "good" : "bad") + "\">" +
                     sim::escaped(name_of(stage.verdict)) + "</span></h2>" +
                     element("p", config.title, "soft") + "<dl class=\"facts\">";
  const auto fact = [&html](const char* name, const std::string& value) {
    html += "<div>" + element("dt", name) + element("dd", value) + "</div>";
  };
  fact("points", plain_number(stage.score) + " of " + plain_number(stage.max_score));
  if (stage.cases.total > 0)
    fact("cases", std::to_string(stage.cases.passed) + " of " + std::to_string(stage.cases.total));
  if (stage.speedup) {
    fact("speedup", factor(stage.speedup->value));
    if (stage.speedup->required > 0) fact("required", factor(stage.speedup->required));
  }
  html += "</dl>";
  if (!stage.message.empty()) html += element("p", stage.message, "message");
  for (const Remark& remark : stage.remarks)
    if (remark.kind == Remark::Kind::warning)
      html += element("p",
                      remark.file + ":" + std::to_string(remark.line) + ": warning: " + remark.text,
                      "message soft");
  std::string limits;
  for (const LimitResult& limit : stage.limits)
    if (!limit.met)
      limits += "<li>" +
                sim::escaped(limit.counter + " is " + plain_number(limit.value) + ", at most " +
                             plain_number(limit.at_most) + " is allowed" +
                             (limit.where.empty() ? "" : "; most at " + limit.where)) +
                "</li>";
  if (!limits.empty()) html += "<ul>" + limits + "</ul>";
  if (stage.verdict == Verdict::slow || stage.verdict == Verdict::over_limit)
    html += element("p",
                    "`./lab explain " + lab + "/" + stage.name +
                        "` shows what each line costs; it needs no GPU.",
                    "soft");
  for (const std::string& command : commands_that_show(lab, stage))
    html += element("p", "`" + command + "` shows how.", "soft");
  return html + "</section>";
}

}  // namespace

std::string page_of(std::string_view title, std::string_view body, std::string_view style) {
  return sim::whole_page(title, own_style + std::string(style), body);
}

std::string url_path(std::string_view path) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string url;
  for (const char c : path) {
    if (is_plain(c) || c == '/' || c == '.') {
      url += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    url += '%';
    url += digits[byte >> 4];
    url += digits[byte & 15];
  }
  // "a:b" at the beginning would be a scheme.
  return url.starts_with('/') || url.starts_with('.') ? url : "./" + url;
}

std::map<std::string, std::string> feedback_names(const std::vector<StudentRecord>& students) {
  std::map<std::string, std::string> names;
  std::set<std::string> taken;
  for (const StudentRecord& record : students) {
    std::string stem;
    for (const char c : record.student.id) stem += is_plain(c) ? c : '_';
    if (stem.empty() || stem.front() == '-') stem.insert(stem.begin(), '_');
    const auto free = [&](const std::string& name) {
      std::string small = name;  // some file systems know no case
      for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      return taken.insert(small).second;
    };
    std::string name = stem;
    for (int number = 2; !free(name); ++number) name = stem + "-" + std::to_string(number);
    names[record.student.id] = name + ".html";
  }
  return names;
}

std::string feedback_page(const StudentRecord& record, const ClassMarks& marks) {
  const Student& student = record.student;
  const std::string who = student.name.empty() ? student.id : student.name;
  std::string html = element("h1", who);
  html += element("p", plain_number(score_of(record, marks.labs)) + " of " +
                           plain_number(max_score_of(marks.labs)) + " points, graded on " +
                           (marks.device == "gpu" ? "a GPU." : "the simulated GPU."));
  for (const std::string& words : record.remarks) html += element("p", words, "mistake");
  if (!record.ignored.empty())
    html += element(
        "p", "Ignored, for lab.toml names no such stage: " + listed(record.ignored) + ".", "soft");
  for (const LabConfig& lab : marks.labs) {
    const auto found = record.labs.find(lab.name);
    if (found == record.labs.end()) continue;
    html += element("h1", lab.name);
    if (!found->second.done) {
      html += element("p", "This lab is not graded yet.");
      continue;
    }
    html += element("p",
                    plain_number(found->second.result.score) + " of " +
                        plain_number(found->second.result.max_score) + " points. Version " +
                        found->second.version +
                        " of the course; handed in: " + record.submission.substr(0, 16) + ".",
                    "soft");
    for (const StageConfig& config : lab.stages)
      if (const StageResult* const stage = stage_of(record, lab.name, config.name))
        html += stage_card(lab.name, config, *stage);
  }
  return page_of(who, html);
}

}  // namespace gridstride
