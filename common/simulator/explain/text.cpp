// The explanation for a terminal.
#include "common/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/simulator/explain/explained.h"
#include "common/simulator/report/formatting.h"
#include "common/terminal.h"

namespace gridstride::sim {
namespace {

using nlohmann::json;

constexpr std::size_t advice_shown = 3, parts_shown = 4, findings_shown = 5;
/// Kernels below this share of the time are named and no more.
constexpr double least_share = 0.02;

std::string bar(double share, std::size_t width) {
  const auto filled =
      static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(width) + 0.5);
  std::string text;
  for (std::size_t i = 0; i < filled; ++i) text += "█";
  return text;
}

/// `text`, wrapped behind `indent` columns, the first line after `head`, which is as wide.
std::string hanging(const std::string& head, const std::string& text, std::size_t width) {
  std::string out;
  const std::size_t indent = display_width(head);
  for (const std::string& line : wrap(text, width > indent + 20 ? width - indent : 20)) {
    out += (out.empty() ? head : std::string(indent, ' ')) + line + "\n";
  }
  return out;
}

std::string dims(const json& dim) {
  std::string text = std::to_string(dim.at(0).get<std::uint64_t>());
  for (std::size_t i = 1; i < 3; ++i) {
    const std::uint64_t extent = dim.at(i);
    if (extent != 1 || (i == 1 && dim.at(2) != 1)) text += " x " + std::to_string(extent);
  }
  return text;
}

std::string head_of(const json& kernel, const TextStyle& style) {
  const std::uint64_t launches = kernel.at("launches");
  std::string text = style.bold(clean_text(short_kernel(kernel.at("kernel")))) + "  " +
                     (launches == 1 ? "1 launch" : fmt::format("{} launches", launches)) + ", " +
                     seconds_text(kernel.at("seconds")) + ", grid " + dims(kernel.at("grid")) +
                     ", block " + dims(kernel.at("block")) + "\n";
  const std::string parent = kernel.at("parent");
  if (!parent.empty()) text += "  launched by " + clean_text(short_kernel(parent)) + "\n";
  return text;
}

std::string rates(const json& kernel, const json& roofs) {
  const json& achieved = kernel.at("achieved");
  const double seconds = kernel.at("seconds");
  if (seconds <= 0) return "";
  const auto line = [&](const char* what, const char* roof, double work, const char* unit) {
    const double rate = work / seconds;
    return fmt::format("  {:<8} {:>12} of {} ({})\n", what, rate_text(rate, unit),
                       rate_text(roofs.at(roof), unit),
                       percent_text(rate / roofs.at(roof).get<double>()));
  };
  std::string text = line("DRAM", "dram", achieved.at("dram_bytes"), "B/s") +
                     line("L2", "l2", achieved.at("l2_bytes"), "B/s") +
                     line("FP32", "fp32", achieved.at("flops"), "FLOP/s");
  const double bytes = achieved.at("dram_bytes");
  if (bytes > 0) {
    text += fmt::format("  {:<8} {} operations for each byte of DRAM\n", "",
                        number_text(achieved.at("flops").get<double>() / bytes));
  }
  return text;
}

std::string bounds_of(const json& kernel) {
  const double seconds = kernel.at("seconds");
  std::string text;
  std::size_t shown = 0;
  for (const json& bound : kernel.at("bounds")) {
    const double share = seconds > 0 ? bound.at("seconds").get<double>() / seconds : 0;
    if (shown++ == parts_shown || share < 0.01) break;
    text += fmt::format("  {:<8} {:>12}  {:>5}  {}\n", bound.at("part").get<std::string>(),
                        seconds_text(bound.at("seconds")), percent_text(share), bar(share, 30));
  }
  return text;
}

/// How many times the fewest possible.
std::string against_ideal(const json& line, const char* now, const char* ideal) {
  const double value = line.at(now), best = line.at(ideal);
  if (value <= 0) return "";
  return best > 0 && value > best * 1.005 ? number_text(value / best) + "x" : "1x";
}

std::string source_of(const json& kernel, const Explained& explained, const TextStyle& style) {
  std::string text;
  for (const SourceListing& listing : listings(kernel, explained.sources)) {
    text += fmt::format("  {:>5} {:>6} {:>6} {:>6} {:>6}  ", "time", "sector", "bank", "lanes",
                        "line") +
            style.dim(clean_text(base_name(listing.file))) + "\n";
    std::uint64_t last = 0;
    for (const SourceLine& line : listing.lines) {
      if (last != 0 && line.number > last + 1) text += style.dim("  …") + "\n";
      last = line.number;
      std::string costs = std::string(29, ' ');
      double share = 0;
      if (!line.cost.is_null()) {
        share = line.cost.at("share");
        costs = fmt::format("  {:>5} {:>6} {:>6} {:>6} ", share < 0.0005 ? "" : percent_text(share),
                            against_ideal(line.cost, "sectors", "ideal_sectors"),
                            against_ideal(line.cost, "wavefronts", "ideal_wavefronts"),
                            number_text(line.cost.at("active_lanes")));
      }
      costs += fmt::format("{:6} ", line.number);
      const bool mistake = !line.cost.is_null() && line.cost.at("findings") != 0;
      costs += mistake ? "! " : share >= 0.2 ? "▌ " : share >= 0.05 ? "▏ " : "  ";
      const std::string code =
          shorten(clean_text(line.text), style.width > 60 ? style.width - 38 : 60);
      text += share >= 0.2    ? style.red(costs + code)
              : share >= 0.05 ? style.yellow(costs + code)
                              : costs + code;
      text += "\n";
    }
  }
  return text;
}

std::string advice_of(const json& kernel, const TextStyle& style) {
  const json& all = kernel.at("advice");
  if (all.empty()) return "";
  const std::string main = main_file(kernel);
  std::string text =
      style.bold("  What to mend") + " (what the model takes off the kernel's time)\n";
  for (std::size_t i = 0; i < std::min(advice_shown, all.size()); ++i) {
    const json& advice = all[i];
    const std::uint64_t line = advice.at("line");
    std::string words;
    if (line != 0) words = line_text(advice.at("file").get<std::string>(), line, main) + ": ";
    words += advice.at("text").get<std::string>() + ".";
    const std::string head =
        fmt::format("  {}. -{:<5} ", i + 1, percent_text(advice.at("saved_share")));
    text += hanging(head, clean_text(words), style.width) +
            hanging(std::string(display_width(head), ' '),
                    clean_text(advice.at("repair").get<std::string>()), style.width);
  }
  return text;
}

std::string findings_of(const json& kernel, const TextStyle& style) {
  std::string text;
  const json& all = kernel.at("findings");
  for (std::size_t i = 0; i < std::min(findings_shown, all.size()); ++i) {
    const std::uint64_t line = all[i].at("line");
    text += style.red(hanging("  Mistake: ",
                              clean_text((line == 0 ? "" : fmt::format("line {}: ", line)) +
                                         all[i].at("message").get<std::string>()),
                              style.width));
  }
  if (all.size() > findings_shown) {
    text += fmt::format("  and {} more\n", all.size() - findings_shown);
  }
  return text;
}

/// Registers are the compiler's figure, or not counted, as all else is.
std::string registers_of(const json& kernel) {
  if (kernel.at("occupancy_limiter") != "registers") return "";
  return fmt::format(" ({} a thread, {})", kernel.at("registers").get<std::uint32_t>(),
                     kernel.at("registers_estimated").get<bool>() ? "estimated" : "by ptxas");
}

std::string text_of(const json& kernel, const Explained& explained, const TextStyle& style) {
  std::string text = head_of(kernel, style) + findings_of(kernel, style);
  text += hanging("  ",
                  clean_text(kernel.at("headline").get<std::string>()) + " Occupancy " +
                      percent_text(kernel.at("occupancy")) + ", limited by " +
                      clean_text(kernel.at("occupancy_limiter").get<std::string>()) +
                      registers_of(kernel) + ".",
                  style.width);
  return text + "\n" + bounds_of(kernel) + "\n" +
         rates(kernel, explained.report.at("device").at("roofs")) + "\n" +
         source_of(kernel, explained, style) + "\n" + advice_of(kernel, style);
}

}  // namespace

std::string to_text(const Explained& explained, const TextStyle& style) {
  std::string text = style.bold(clean_text(explained.title));
  if (!explained.verdict.empty()) {
    text += "  " + (explained.verdict == "pass" ? style.green("answer right")
                                                : style.red(clean_text(explained.verdict)));
  }
  text += "\n";
  if (!explained.message.empty()) {
    text += hanging("  ", clean_text(explained.message), style.width);
  }
  // What a skeleton costs is of no use to anybody.
  if (explained.verdict == "todo") return text;
  const json& device =
      explained.report.is_null() ? explained.report : explained.report.at("device");
  if (device.is_null()) return text + "  Nothing ran on the simulated GPU.\n";
  text += "  " + clean_text(device.at("name").get<std::string>()) + ", " +
          seconds_text(explained.report.at("seconds")) + " of modelled time\n";
  for (const std::string& sentence : explained.comparison) {
    text += hanging("  ", clean_text(sentence), style.width);
  }
  for (const json& refusal : explained.report.at("refusals")) {
    text += style.red(hanging("  Refused: ", clean_text(refusal.get<std::string>()), style.width));
  }
  for (const json& note : explained.report.at("notes")) {
    text += hanging("  Note: ", clean_text(note.get<std::string>()), style.width);
  }
  for (const json& kernel : explained.report.at("kernels")) {
    const double share = kernel.at("share");
    text += "\n";
    if (share >= least_share || !kernel.at("findings").empty()) {
      text += text_of(kernel, explained, style);
    } else {
      text += clean_text(short_kernel(kernel.at("kernel"))) + "  " + percent_text(share) +
              " of the time\n";
    }
  }
  if (explained.report.at("kernels").empty()) text += "  No kernel was launched.\n";
  return text;
}

}  // namespace gridstride::sim
