// The report in a few lines, for the end of a run.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/simulator/report/formatting.h"
#include "common/simulator/report/report.h"

namespace gridstride::sim {
namespace {

using nlohmann::json;

constexpr std::size_t lines_shown = 3, findings_shown = 5;

/// Control bytes could repaint the terminal.
std::string printable(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n') || byte == 0x7f) c = '?';
  }
  return text;
}

std::string place(const json& finding) {
  const std::string file = finding.at("file");
  if (file.empty()) return "unknown line (compile with -lineinfo)";
  return fmt::format("{}:{}", base_name(file), finding.at("line").get<std::uint64_t>());
}

std::string text_of(const json& kernel) {
  std::string text =
      fmt::format("  {:<32} {:6} x {:>12}  limited by {}\n", short_kernel(kernel.at("kernel")),
                  kernel.at("launches").get<std::uint64_t>(), seconds_text(kernel.at("seconds")),
                  kernel.at("limiter").get<std::string>());
  const std::string parent = kernel.at("parent");
  if (!parent.empty()) text += "      launched by " + short_kernel(parent) + "\n";
  std::vector<json> lines = kernel.at("lines");
  std::stable_sort(lines.begin(), lines.end(), [](const json& a, const json& b) {
    return a.at("share").get<double>() > b.at("share").get<double>();
  });
  for (std::size_t i = 0; i < std::min(lines_shown, lines.size()); ++i) {
    text += fmt::format("      {:5.1f} %  {}:{}\n", 100 * lines[i].at("share").get<double>(),
                        base_name(lines[i].at("file").get<std::string>()),
                        lines[i].at("line").get<std::uint64_t>());
  }
  const json& findings = kernel.at("findings");
  for (std::size_t i = 0; i < std::min(findings_shown, findings.size()); ++i) {
    text += "    " + findings[i].at("kind").get<std::string>() + " at " + place(findings[i]) +
            ": " + findings[i].at("message").get<std::string>() + "\n";
  }
  if (findings.size() > findings_shown) {
    text += fmt::format("    and {} more\n", findings.size() - findings_shown);
  }
  return text;
}

}  // namespace

std::string summary(const json& report) {
  const json& device = report.at("device");
  if (device.is_null()) return "The program did not use the simulated GPU.\n";
  std::string text = device.at("name").get<std::string>() + ": " +
                     seconds_text(report.at("seconds")) + " of modelled time, copies included\n";
  if (report.at("kernels").empty()) text += "  no kernel was launched\n";
  for (const json& kernel : report.at("kernels")) text += text_of(kernel);
  for (const json& finding : report.at("findings")) {
    text += "  " + finding.at("kind").get<std::string>() + ": " +
            finding.at("message").get<std::string>() + "\n";
  }
  for (const json& refusal : report.at("refusals")) {
    text += "  refused: " + refusal.get<std::string>() + "\n";
  }
  for (const json& note : report.at("notes")) text += "  note: " + note.get<std::string>() + "\n";
  return printable(text);
}

}  // namespace gridstride::sim
