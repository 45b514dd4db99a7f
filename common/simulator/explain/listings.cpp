// Which lines of which files belong to a kernel.
#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "common/simulator/explain/explained.h"

namespace gridstride::sim {
namespace {

using nlohmann::json;

/// Lines shown before the first that costs anything: they often hold the kernel's head.
constexpr std::uint64_t lines_before = 3, lines_after = 1;
/// Where this many lines in a row cost nothing they are left out.
constexpr std::uint64_t longest_gap = 6;

std::map<std::string, double> shares_of_files(const json& kernel) {
  std::map<std::string, double> shares;
  for (const json& line : kernel.at("lines")) {
    shares[line.at("file")] += line.at("share").get<double>() + 1e-12;
  }
  return shares;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::string main_file(const json& kernel) {
  const auto shares = shares_of_files(kernel);
  const auto most = std::max_element(shares.begin(), shares.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  return most == shares.end() ? "" : most->first;
}

std::vector<SourceListing> listings(const json& kernel,
                                    const std::map<std::string, std::string>& sources) {
  std::vector<SourceListing> all;
  for (const auto& [file, share] : shares_of_files(kernel)) {
    const auto source = sources.find(file);
    const std::vector<std::string> text =
        source == sources.end() ? std::vector<std::string>() : lines_of(source->second);
    SourceListing& listing = all.emplace_back();
    listing.file = file;
    std::uint64_t shown = 0;  // the last one
    const auto add = [&](std::uint64_t number, const json& cost) {
      if (number == 0 || number <= shown) return;
      const bool known = number <= text.size();
      if (!known && cost.is_null()) return;
      listing.lines.push_back({number, known ? text[number - 1] : "", cost});
      shown = number;
    };
    for (const json& line : kernel.at("lines")) {
      if (line.at("file") != file) continue;
      const std::uint64_t number = line.at("line");
      const std::uint64_t gap = number - std::min(number, shown + 1);
      if (shown != 0 && gap > longest_gap) {
        for (std::uint64_t i = 0; i < lines_after; ++i) add(shown + 1, {});
      }
      const bool near = shown != 0 && gap <= longest_gap;
      for (std::uint64_t i = near ? shown + 1 : number - std::min(number, lines_before); i < number;
           ++i) {
        add(i, {});
      }
      add(number, line);
    }
    if (shown != 0) add(shown + 1, {});
  }
  const auto shares = shares_of_files(kernel);
  std::stable_sort(all.begin(), all.end(), [&](const SourceListing& a, const SourceListing& b) {
    return shares.at(a.file) > shares.at(b.file);
  });
  return all;
}

}  // namespace gridstride::sim
