// pugixml writes the document; common/text.h sees to it that there is nothing XML cannot hold.
#include "grader/report/junit.h"

#include <fmt/core.h>

#include <cstddef>
#include <pugixml.hpp>
#include <sstream>
#include <string>
#include <string_view>

#include "common/text.h"

namespace gridstride {
namespace {

/// The text stands for itself: pugixml escapes it, and what XML cannot hold is cleaned away.
void add_attribute(pugi::xml_node node, const char* name, std::string_view text) {
  node.append_attribute(name) = clean_text(text).c_str();
}

void add_text(pugi::xml_node node, std::string_view text) {
  node.append_child(pugi::node_pcdata).set_value(clean_text(text).c_str());
}

bool is_error(Verdict verdict) {
  return verdict == Verdict::inconclusive || verdict == Verdict::infrastructure;
}

struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  void add(const LabResult& lab) {
    for (const StageResult& stage : lab.stages) {
      ++tests;
      if (stage.verdict == Verdict::pass) continue;
      if (stage.verdict == Verdict::unsupported_here) {
        ++skipped;
        continue;
      }
      ++(is_error(stage.verdict) ? errors : failures);
    }
  }
};

void add_counts(pugi::xml_node node, const Counts& counts) {
  node.append_attribute("tests") = counts.tests;
  node.append_attribute("failures") = counts.failures;
  node.append_attribute("errors") = counts.errors;
  if (counts.skipped > 0) node.append_attribute("skipped") = counts.skipped;
}

void add_stage(pugi::xml_node suite, const LabResult& lab, const StageResult& stage) {
  pugi::xml_node test = suite.append_child("testcase");
  add_attribute(test, "classname", lab.name);
  add_attribute(test, "name", stage.name);
  add_attribute(test, "time", plain_number(stage.seconds ? stage.seconds->student : 0, 9));
  if (stage.verdict == Verdict::unsupported_here) {
    add_attribute(test.append_child("skipped"), "message", stage.message);
  } else if (stage.verdict != Verdict::pass) {
    pugi::xml_node element = test.append_child(is_error(stage.verdict) ? "error" : "failure");
    const std::string verdict = name_of(stage.verdict);
    const std::string first_line = stage.message.substr(0, stage.message.find('\n'));
    add_attribute(element, "type", verdict);
    add_attribute(element, "message", first_line.empty() ? verdict : verdict + ": " + first_line);
    add_text(element, stage.message);
  }
  std::string out =
      fmt::format("{} of {} points, {} of {} cases", plain_number(stage.score),
                  plain_number(stage.max_score), stage.cases.passed, stage.cases.total);
  if (stage.speedup)
    out += fmt::format(", speedup {} (required {}{})", plain_number(stage.speedup->value),
                       plain_number(stage.speedup->required),
                       stage.speedup->estimated ? ", estimated" : "");
  add_text(test.append_child("system-out"), out);
}

}  // namespace

std::string to_junit(const Results& results) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  add_attribute(declaration, "version", "1.0");
  add_attribute(declaration, "encoding", "UTF-8");
  Counts all;
  for (const LabResult& lab : results.labs) all.add(lab);
  pugi::xml_node suites = document.append_child("testsuites");
  add_attribute(suites, "name", "gridstride");
  add_counts(suites, all);
  for (const LabResult& lab : results.labs) {
    Counts counts;
    counts.add(lab);
    pugi::xml_node suite = suites.append_child("testsuite");
    add_attribute(suite, "name", lab.name);
    add_counts(suite, counts);
    pugi::xml_node property = suite.append_child("properties").append_child("property");
    add_attribute(property, "name", "device");
    add_attribute(property, "value", results.device.name);
    for (const StageResult& stage : lab.stages) add_stage(suite, lab, stage);
    if (const std::string ignored = ignored_line(lab); !ignored.empty())
      add_text(suite.append_child("system-out"), ignored);
  }
  std::ostringstream out;
  document.save(out, "  ", pugi::format_indent, pugi::encoding_utf8);
  return out.str();
}

}  // namespace gridstride
