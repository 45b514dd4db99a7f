// See the header.
#include "common/simulator/debugger/breakpoints.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/playback/source_names.h"

namespace gridstride::sim {
namespace {

/// Of which a compiler makes nothing, as far as one line tells: blank, a comment, a brace.
bool holds_no_code(std::string line) {
  line = line.substr(0, line.find("//"));
  return line.find_first_not_of(" \t\r{}();") == std::string::npos;
}

}  // namespace

bool is_called(const std::string& path, const std::string& name) {
  if (name.empty() || !path.ends_with(name)) return false;
  return path.size() == name.size() || name.front() == '/' ||
         path[path.size() - name.size() - 1] == '/';
}

Breakpoints::Breakpoints(const Playback& playback, const SourceSteps& steps)
    : playback_(playback), steps_(steps) {}

const Breakpoint& Breakpoints::keep(Breakpoint breakpoint) {
  breakpoint.number = ++last_;
  breakpoint.verified = !breakpoint.lines.empty();
  return all_[breakpoint.number] = std::move(breakpoint);
}

bool Breakpoints::is_empty_line(const std::string& file, std::uint32_t wanted) const {
  const auto source = playback_.watched().sources.find(file);
  if (source == playback_.watched().sources.end()) return false;
  std::istringstream lines(source->second);
  std::string line;
  for (std::uint32_t number = 0; number < wanted; ++number) {
    if (!std::getline(lines, line)) return false;
  }
  return holds_no_code(line);
}

const Breakpoint& Breakpoints::add(const std::string& file, std::uint32_t line,
                                   std::string condition) {
  Breakpoint breakpoint{
      .file = file, .wanted = line, .line = line, .condition = std::move(condition)};
  std::optional<std::uint32_t> next;
  std::string path;
  for (std::uint32_t i = 1; i < steps_.lines().size(); ++i) {
    const CodeLine& one = steps_.lines()[i];
    if (!is_called(one.file, file)) continue;
    path = one.file;
    if (one.line == line) breakpoint.lines.push_back(i);
    if (one.line > line && (!next || one.line < steps_.lines()[*next].line)) next = i;
  }
  if (path.empty()) {
    breakpoint.says = "no recorded thread runs code of " + file;
  } else if (breakpoint.lines.empty() && next && is_empty_line(path, line)) {
    breakpoint.lines.push_back(*next);
    breakpoint.line = steps_.lines()[*next].line;
    breakpoint.says = fmt::format("line {} holds no code", line);
  } else if (breakpoint.lines.empty()) {
    breakpoint.says = fmt::format("no recorded thread comes to line {}", line);
    if (next)
      breakpoint.says += fmt::format("; the next that is run is {}", steps_.lines()[*next].line);
  }
  return keep(std::move(breakpoint));
}

const Breakpoint& Breakpoints::add_function(const std::string& name, std::string condition) {
  Breakpoint breakpoint{.file = name, .condition = std::move(condition)};
  const Trace& trace = playback_.trace();
  for (std::uint32_t number = 0; number < trace.functions.size(); ++number) {
    if (short_name(trace.functions[number].name) != name) continue;
    // The first line is where it is declared; parameters are in place from the second on.
    std::optional<std::uint32_t> declared, first;
    std::uint32_t at = 0;
    for (const TraceOp& op : trace.ops) {
      if (op.function == number && op.line != 0 && op.at == 0) declared = op.line;
    }
    for (std::uint32_t i = 1; i < steps_.lines().size(); ++i) {
      for (const TraceOp& op : trace.ops) {
        if (op.function != number || op.line != steps_.lines()[i].line ||
            op.file != steps_.lines()[i].file || op.line == declared)
          continue;
        if (!first || op.at < at) {
          first = i;
          at = op.at;
        }
      }
    }
    if (first) breakpoint.lines.push_back(*first);
  }
  if (breakpoint.lines.empty()) {
    breakpoint.says = "no recorded thread runs a function '" + name + "'";
  } else {
    breakpoint.line = steps_.lines()[breakpoint.lines.front()].line;
  }
  return keep(std::move(breakpoint));
}

bool Breakpoints::remove(int number) { return all_.erase(number) != 0; }

void Breakpoints::remove_file(const std::string& file) {
  std::erase_if(all_,
                [&](const auto& one) { return one.second.wanted != 0 && one.second.file == file; });
}

void Breakpoints::remove_functions() {
  std::erase_if(all_, [](const auto& one) { return one.second.wanted == 0; });
}

std::vector<const Breakpoint*> Breakpoints::at(std::uint32_t line) const {
  std::vector<const Breakpoint*> found;
  for (const auto& [number, one] : all_) {
    if (std::ranges::find(one.lines, line) != one.lines.end()) found.push_back(&one);
  }
  return found;
}

std::vector<std::string> Breakpoints::files() const {
  std::vector<std::string> names;
  for (const CodeLine& line : steps_.lines()) {
    if (!line.file.empty() && std::ranges::find(names, line.file) == names.end())
      names.push_back(line.file);
  }
  return names;
}

}  // namespace gridstride::sim
