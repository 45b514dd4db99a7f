// The report for a terminal.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "common/simulator/report/report.h"

namespace gridstride::sim {
namespace {

using nlohmann::json;

constexpr std::size_t lines_shown = 3, findings_shown = 5;

struct Line {
  std::string file;
  std::uint64_t line = 0;
  double cost = 0;
};

/// All launches of one kernel.
struct Kernel {
  std::uint64_t launches = 0;
  double seconds = 0;
  std::string parent;                      ///< the first kernel that launched it
  std::map<std::string, double> limiters;  ///< seconds under each
  std::vector<Line> lines;
  std::vector<json> findings;
};

std::string formatted(const char* format, auto... values) {
  char text[512];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return formatted("%.2f us", seconds * 1e6);
  if (seconds < 1) return formatted("%.3f ms", seconds * 1e3);
  return formatted("%.3f s", seconds);
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Without parameter types, unless that is not how it ends.
std::string short_name(const std::string& kernel) {
  const std::size_t open = kernel.find('(');
  return open == std::string::npos || open == 0 ? kernel : kernel.substr(0, open);
}

/// Control bytes could repaint the terminal.
std::string printable(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n') || byte == 0x7f) c = '?';
  }
  return text;
}

void add_line(std::vector<Line>& lines, const json& entry, double seconds) {
  const std::string file = entry.at("file");
  const std::uint64_t number = entry.at("line");
  const double cost = entry.at("cost_share").get<double>() * seconds;
  const auto same = std::find_if(lines.begin(), lines.end(), [&](const Line& line) {
    return line.file == file && line.line == number;
  });
  if (same != lines.end()) {
    same->cost += cost;
  } else {
    lines.push_back({.file = file, .line = number, .cost = cost});
  }
}

bool same_finding(const json& a, const json& b) {
  return a.at("kind") == b.at("kind") && a.at("file") == b.at("file") &&
         a.at("line") == b.at("line") && a.at("other_line") == b.at("other_line");
}

void add_launch(Kernel& kernel, const json& launch) {
  const double seconds = launch.at("seconds");
  kernel.launches += launch.at("launches").get<std::uint64_t>();
  kernel.seconds += seconds;
  kernel.limiters[launch.at("limiter")] += seconds;
  if (kernel.parent.empty()) kernel.parent = launch.value("parent", "");
  for (const json& line : launch.at("lines")) add_line(kernel.lines, line, seconds);
  for (const json& finding : launch.at("findings")) {
    const bool known = std::any_of(kernel.findings.begin(), kernel.findings.end(),
                                   [&](const json& other) { return same_finding(finding, other); });
    if (!known) kernel.findings.push_back(finding);
  }
}

std::string place(const json& finding) {
  const std::string file = finding.at("file");
  if (file.empty()) return "unknown line (compile with -lineinfo)";
  return base_name(file) + ":" + std::to_string(finding.at("line").get<std::uint64_t>());
}

std::string text_of(const std::string& name, Kernel& kernel) {
  const auto limiter = std::max_element(kernel.limiters.begin(), kernel.limiters.end(),
                                        [](auto& a, auto& b) { return a.second < b.second; });
  std::string text = formatted("  %-32s %6llu x %12s  limited by %s\n", short_name(name).c_str(),
                               static_cast<unsigned long long>(kernel.launches),
                               time_text(kernel.seconds).c_str(), limiter->first.c_str());
  if (!kernel.parent.empty()) text += "      launched by " + short_name(kernel.parent) + "\n";
  std::stable_sort(kernel.lines.begin(), kernel.lines.end(),
                   [](const Line& a, const Line& b) { return a.cost > b.cost; });
  double all = 0;
  for (const Line& line : kernel.lines) all += line.cost;
  for (std::size_t i = 0; i < std::min(lines_shown, kernel.lines.size()); ++i) {
    const Line& line = kernel.lines[i];
    if (line.file.empty() || all <= 0) continue;
    text += formatted("      %5.1f %%  %s:%llu\n", 100 * line.cost / all,
                      base_name(line.file).c_str(), static_cast<unsigned long long>(line.line));
  }
  for (std::size_t i = 0; i < std::min(findings_shown, kernel.findings.size()); ++i) {
    const json& finding = kernel.findings[i];
    text += "    " + finding.at("kind").get<std::string>() + " at " + place(finding) + ": " +
            finding.at("message").get<std::string>() + "\n";
  }
  if (kernel.findings.size() > findings_shown) {
    text += formatted("    and %zu more\n", kernel.findings.size() - findings_shown);
  }
  return text;
}

}  // namespace

std::string summary(const json& report) {
  const json& device = report.at("device");
  if (device.is_null()) return "The program did not use the simulated GPU.\n";

  std::map<std::string, Kernel> kernels;
  std::vector<std::string> order;
  for (const json& launch : report.at("launches")) {
    const std::string name = launch.at("kernel");
    if (!kernels.contains(name)) order.push_back(name);
    add_launch(kernels[name], launch);
  }
  std::string text = device.at("name").get<std::string>() + ": " + time_text(report.at("seconds")) +
                     " of modelled time, copies included\n";
  if (order.empty()) text += "  no kernel was launched\n";
  for (const std::string& name : order) text += text_of(name, kernels[name]);
  for (const json& refusal : report.at("refusals")) {
    text += "  refused: " + refusal.get<std::string>() + "\n";
  }
  return printable(text);
}

}  // namespace gridstride::sim
