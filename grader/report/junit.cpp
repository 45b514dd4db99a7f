// Written by hand: a dozen elements, and escaping that common/text.h has half done.
#include "grader/report/junit.h"

#include <cstddef>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>

#include "common/text.h"

namespace gridstride {
namespace {

/// For text and for attribute values; white space in attributes is kept by character references.
std::string escape(std::string_view text, bool attribute = false) {
  std::string escaped;
  for (const char c : clean_text(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\n':
        escaped += attribute ? "&#10;" : "\n";
        break;
      case '\t':
        escaped += attribute ? "&#9;" : "\t";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

bool is_error(Verdict verdict) {
  return verdict == Verdict::inconclusive || verdict == Verdict::infrastructure;
}

struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0;
  void add(const LabResult& lab) {
    for (const StageResult& stage : lab.stages) {
      ++tests;
      if (stage.verdict == Verdict::pass) continue;
      ++(is_error(stage.verdict) ? errors : failures);
    }
  }
};

std::ostream& operator<<(std::ostream& out, const Counts& counts) {
  return out << " tests=\"" << counts.tests << "\" failures=\"" << counts.failures << "\" errors=\""
             << counts.errors << "\"";
}

void write_stage(std::ostream& out, const LabResult& lab, const StageResult& stage) {
  const double seconds = stage.seconds ? stage.seconds->student : 0;
  out << "    <testcase classname=\"" << escape(lab.name, true) << "\" name=\""
      << escape(stage.name, true) << "\" time=\"" << plain_number(seconds, 9) << "\">\n";
  if (stage.verdict != Verdict::pass) {
    const char* element = is_error(stage.verdict) ? "error" : "failure";
    const std::string verdict = name_of(stage.verdict);
    const std::string first_line = stage.message.substr(0, stage.message.find('\n'));
    out << "      <" << element << " type=\"" << verdict << "\" message=\""
        << escape(first_line.empty() ? verdict : verdict + ": " + first_line, true) << "\">"
        << escape(stage.message) << "</" << element << ">\n";
  }
  out << "      <system-out>" << plain_number(stage.score) << " of "
      << plain_number(stage.max_score) << " points, " << stage.cases.passed << " of "
      << stage.cases.total << " cases";
  if (stage.speedup)
    out << ", speedup " << plain_number(stage.speedup->value) << " (required "
        << plain_number(stage.speedup->required) << ")";
  out << "</system-out>\n    </testcase>\n";
}

}  // namespace

std::string to_junit(const Results& results) {
  Counts all;
  for (const LabResult& lab : results.labs) all.add(lab);
  std::ostringstream out;
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gridstride\"" << all
      << ">\n";
  for (const LabResult& lab : results.labs) {
    Counts counts;
    counts.add(lab);
    out << "  <testsuite name=\"" << escape(lab.name, true) << "\"" << counts << ">\n"
        << "    <properties>\n      <property name=\"device\" value=\""
        << escape(results.device.name, true) << "\"/>\n    </properties>\n";
    for (const StageResult& stage : lab.stages) write_stage(out, lab, stage);
    out << "  </testsuite>\n";
  }
  out << "</testsuites>\n";
  return out.str();
}

}  // namespace gridstride
