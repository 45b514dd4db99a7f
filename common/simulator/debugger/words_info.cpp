// What `info` tells, and how threads are named.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/simulator/debugger/words.h"
#include "common/text.h"

namespace gridstride::sim {
namespace {

/// All whole numbers of a text, in their order; nothing where something else than words, commas and brackets
/// stands between them.
std::optional<std::vector<std::uint64_t>> numbers_in(const std::string& text) {
  std::vector<std::uint64_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (std::isdigit(static_cast<unsigned char>(*at)) == 0) {
      if (*at != ' ' && *at != ',' && *at != '(' && *at != ')') return std::nullopt;
      ++at;
      continue;
    }
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number > UINT32_MAX) return std::nullopt;
    numbers.push_back(number);
    at = rest;
  }
  return numbers;
}

Dim3 index_of(const std::vector<std::uint64_t>& numbers) {
  const auto at = [&](std::size_t i) {
    return i < numbers.size() ? static_cast<std::uint32_t>(numbers[i]) : 0;
  };
  return {at(0), at(1), at(2)};
}

/// A block by its number or its index.
Dim3 block_of(const std::vector<std::uint64_t>& numbers, const Dim3& grid) {
  if (numbers.size() != 1) return index_of(numbers);
  const std::uint64_t number = numbers.front(), row = number / grid.x;
  return {static_cast<std::uint32_t>(number % grid.x), static_cast<std::uint32_t>(row % grid.y),
          static_cast<std::uint32_t>(row / grid.y)};
}

[[noreturn]] void no_thread(const std::string& words) {
  throw DebugError("expected a thread, as 5, 0,5 or (1,0,0) (5,0,0), found " +
                   in_quotes(words, 60));
}

/// Takes a word off the front.
bool take(std::string& text, const std::string& word) {
  if (!text.starts_with(word)) return false;
  text.erase(0, word.size());
  return true;
}

std::string heading(const std::string& first, const std::string& second) {
  return fmt::format("  {:<6}{:<21} {}\n", first, second, "stands at");
}

/// Lanes of a warp that stand at one place.
struct WarpRow {
  std::uint32_t lanes = 0;
  std::string place;
  bool has_focus = false;
  friend bool operator==(const WarpRow&, const WarpRow&) = default;
};

std::vector<WarpRow> rows_of(const Debugger& debugger, std::uint32_t warp) {
  const Trace& trace = debugger.playback().trace();
  const Moment moment = debugger.moment();
  const std::uint64_t threads =
      trace.block.count() - std::uint64_t{warp % trace.warps_in_block()} * 32;
  const bool waits = debugger.steps().waits(warp, moment.position);
  std::vector<WarpRow> rows;
  for (std::uint32_t lane = 0; lane < std::min<std::uint64_t>(threads, 32); ++lane) {
    std::string place = place_text(debugger, {warp, lane});
    if (waits && place != debugger.end_of_thread()) place = "a barrier, before " + place;
    auto row = std::ranges::find(rows, place, &WarpRow::place);
    if (row == rows.end()) row = rows.insert(rows.end(), {0, std::move(place), false});
    row->lanes |= 1u << lane;
    row->has_focus = row->has_focus || Focus{warp, lane} == moment.focus;
  }
  return rows;
}

}  // namespace

std::vector<std::string> source_of(const Playback& playback, const std::string& file) {
  std::vector<std::string> lines;
  const auto found = playback.watched().sources.find(file);
  if (found == playback.watched().sources.end()) return lines;
  std::istringstream text(found->second);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::string thread_text(const Inspector& inspector, Focus thread) {
  return "block " + text_of(inspector.block_of(thread)) + " thread " +
         text_of(inspector.thread_of(thread));
}

std::string place_text(const Debugger& debugger, Focus thread) {
  const auto step = debugger.steps().next(thread, debugger.moment().position);
  if (!step) return debugger.end_of_thread();
  const CodeLine& line = debugger.steps().lines()[debugger.steps().line_of(*step)];
  const auto frames = debugger.inspector().frames({*step, thread});
  return fmt::format("{}:{} in {}", std::filesystem::path(line.file).filename().string(), line.line,
                     frames.front().name);
}

Focus thread_of_words(const Debugger& debugger, const std::string& words) {
  const Trace& trace = debugger.playback().trace();
  const Moment moment = debugger.moment();
  std::string rest = words;
  Dim3 block = debugger.inspector().block_of(moment.focus);
  const bool names_block = take(rest, "block");
  const std::size_t thread_at = rest.find("thread");
  std::string first = rest, second;
  if (thread_at != std::string::npos) {
    first = rest.substr(0, thread_at);
    second = rest.substr(thread_at + 6);
  } else if (const std::size_t bracket = rest.find(')');
             bracket != std::string::npos && rest.find('(', bracket) != std::string::npos) {
    first = rest.substr(0, bracket + 1);
    second = rest.substr(bracket + 1);
  }
  const auto before = numbers_in(first), behind = numbers_in(second);
  if (!before || !behind || before->size() > 3 || behind->size() > 3) no_thread(words);
  if (!behind->empty()) {  // both are named
    if (!before->empty()) block = block_of(*before, trace.grid);
    return behind->size() == 1 ? debugger.thread_named(block, behind->front())
                               : debugger.thread_named(block, index_of(*behind));
  }
  if (before->empty()) no_thread(words);
  if (names_block) {
    const Dim3 thread = debugger.inspector().thread_of(moment.focus);
    return debugger.thread_named(block_of(*before, trace.grid), thread);
  }
  if (first.find('(') != std::string::npos) return debugger.thread_named(block, index_of(*before));
  if (before->size() == 1) return debugger.thread_named(block, before->front());
  if (before->size() == 2)
    return debugger.thread_named(block_of({before->front()}, trace.grid), before->back());
  no_thread(words);
}

Answer Words::info(const std::string& rest) {
  static const std::vector<std::string> names = {"warps",  "threads",     "locals", "args",
                                                 "shared", "breakpoints", "finding"};
  std::vector<std::string> meant;
  for (const std::string& name : names) {
    if (!rest.empty() && (name.starts_with(rest) || rest == name + "s")) meant.push_back(name);
  }
  if (meant.size() != 1) throw DebugError("info: of what? There is " + listed(names));
  const auto frame = selected();
  const Moment moment = debugger_.moment();
  const Inspector& inspector = debugger_.inspector();
  std::string text;
  if (meant.front() == "warps") {
    text = warps_text();
  } else if (meant.front() == "threads") {
    text = threads_text();
  } else if (meant.front() == "breakpoints") {
    text = breakpoints_text();
  } else if (meant.front() == "finding") {
    text = findings_text();
  } else if (meant.front() == "shared") {
    text = values_text(inspector.shared(moment), "The block has no shared variables.\n");
  } else if (!frame) {
    text = "The thread is in no function.\n";
  } else if (meant.front() == "args") {
    text = values_text(inspector.parameters(*frame, moment), "No parameters are known here.\n");
  } else {
    text = values_text(inspector.locals(*frame, moment), "No local variables are known here.\n");
  }
  return {.text = text};
}

std::string Words::values_text(const std::vector<Value>& values, const std::string& none) const {
  std::string text;
  for (const Value& value : values)
    text += value.name + " = " + debugger_.inspector().text(value, debugger_.moment()) + "\n";
  return text.empty() ? none : text;
}

std::string Words::warps_text() const {
  const Trace& trace = debugger_.playback().trace();
  const Moment moment = debugger_.moment();
  const std::uint32_t warps = trace.warps_in_block();
  const std::uint32_t first = moment.focus.warp / warps * warps;
  std::string text = heading("warp", "lanes");
  const auto rows_text = [](const std::string& name, const std::vector<WarpRow>& rows) {
    std::string lines;
    for (const WarpRow& row : rows)
      lines += fmt::format("{} {:<6}{:<21} {}\n", row.has_focus ? "*" : " ", name,
                           lanes_text(row.lanes), row.place);
    return lines;
  };
  // Neighbours that stand alike are one row.
  for (std::uint32_t warp = 0; warp < warps;) {
    const std::vector<WarpRow> rows = rows_of(debugger_, first + warp);
    std::uint32_t last = warp;
    while (last + 1 < warps && rows_of(debugger_, first + last + 1) == rows) ++last;
    text += rows_text(last == warp ? std::to_string(warp) : fmt::format("{}-{}", warp, last), rows);
    warp = last + 1;
  }
  return text;
}

std::string Words::threads_text() const {
  const Trace& trace = debugger_.playback().trace();
  const Moment moment = debugger_.moment();
  const std::uint32_t warp = moment.focus.warp % trace.warps_in_block();
  const std::uint64_t threads = trace.block.count() - std::uint64_t{warp} * 32;
  std::string text = heading("lane", "thread");
  for (std::uint32_t lane = 0; lane < std::min<std::uint64_t>(threads, 32); ++lane) {
    const Focus thread{moment.focus.warp, lane};
    text += fmt::format("{} {:<6}{:<21} {}\n", lane == moment.focus.lane ? "*" : " ", lane,
                        text_of(debugger_.inspector().thread_of(thread)),
                        place_text(debugger_, thread));
  }
  return text;
}

std::string Words::breakpoints_text() const {
  std::string text;
  for (const auto& [number, one] : debugger_.breakpoints().all()) {
    const std::string file = std::filesystem::path(one.file).filename().string();
    text += fmt::format("{}  {}", number,
                        one.wanted == 0 ? fmt::format("{}, line {}", one.file, one.line)
                                        : fmt::format("{}:{}", file, one.line));
    if (!one.condition.empty()) text += " if " + one.condition;
    if (!one.verified) text += "  will not be reached: " + one.says;
    text += "\n";
  }
  return text.empty() ? "There are no breakpoints.\n" : text;
}

std::string Words::findings_text() const {
  std::string text;
  for (const TraceFinding& finding : debugger_.playback().trace().findings) {
    const Playback::Accused accused = debugger_.playback().accused(finding);
    text += finding.message + "\n";
    text += accused.step < 0 ? "  (not by a step of the recorded blocks)\n"
                             : fmt::format("  (by step {} of {})\n", accused.step, debugger_.end());
  }
  return text.empty() ? "Nothing was found in the recorded launch.\n" : text;
}

}  // namespace gridstride::sim
