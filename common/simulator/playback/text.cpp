// A trace for a terminal: steps that touch memory, move values between lanes or wait.
#include "common/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/simulator/playback/playback.h"

namespace gridstride::sim {
namespace {

std::string base_name(const std::string& file) { return file.substr(file.find_last_of('/') + 1); }

const char* verb(TraceKind kind) {
  return kind == TraceKind::load    ? "reads"
         : kind == TraceKind::store ? "writes"
                                    : "changes atomically";
}

std::string values_text(const Playback& playback, const TraceAccess& access, std::uint32_t block,
                        const std::vector<std::uint64_t>& values, const std::string& type) {
  constexpr std::size_t most = 8;
  const NamedArray* const array = playback.array_at(access.space, block, access.places.front());
  const bool same = std::ranges::adjacent_find(values, std::ranges::not_equal_to()) == values.end();
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == most) return text + " …";
    text += (i == 0 ? "" : " ") + playback.value_text(array, values[i], access.bytes, type);
    if (same) return values.size() > 1 ? text + " in each" : text;
  }
  return text;
}

/// Only the lanes of `lanes`.
TraceAccess part_of(const TraceAccess& access, std::uint32_t lanes) {
  TraceAccess part = access;
  part.lanes = access.lanes & lanes;
  part.places.clear();
  part.values.clear();
  part.after.clear();
  part.givers.clear();
  std::size_t i = 0;
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1, ++i) {
    if (!(lanes >> std::countr_zero(rest) & 1)) continue;
    part.places.push_back(access.places[i]);
    if (!access.givers.empty()) part.givers.push_back(access.givers[i]);
    for (std::size_t k = i * access.count; k < (i + 1) * access.count; ++k) {
      if (!access.values.empty()) part.values.push_back(access.values[k]);
      if (!access.after.empty()) part.after.push_back(access.after[k]);
    }
  }
  return part;
}

/// Pieces of one matrix or texture, told as one: by place, whichever lane has them.
std::vector<TraceAccess> joined(const std::vector<TraceAccess>& accesses, std::uint32_t lanes) {
  std::vector<TraceAccess> all;
  std::vector<bool> several;
  for (const TraceAccess& access : accesses) {
    if ((access.lanes & lanes) == 0) continue;
    TraceAccess part = part_of(access, lanes);
    TraceAccess* const before = all.empty() ? nullptr : &all.back();
    const bool same = before && before->kind == part.kind && before->space == part.space &&
                      before->bytes == part.bytes && before->count == part.count &&
                      part.kind != TraceKind::atomic && !part.values.empty() &&
                      !before->values.empty();
    if (!same) {
      all.push_back(std::move(part));
      several.push_back(false);
      continue;
    }
    several.back() = true;
    before->lanes |= part.lanes;
    before->places.insert(before->places.end(), part.places.begin(), part.places.end());
    before->values.insert(before->values.end(), part.values.begin(), part.values.end());
    before->givers.insert(before->givers.end(), part.givers.begin(), part.givers.end());
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!several[i]) continue;
    TraceAccess& one = all[i];
    std::map<std::uint64_t, std::vector<std::uint64_t>> by_place;
    for (std::size_t k = 0; k < one.places.size(); ++k) {
      const auto from = one.values.begin() + static_cast<std::ptrdiff_t>(k * one.count);
      by_place[one.places[k]].assign(from, from + one.count);
    }
    one.places.clear();
    one.values.clear();
    for (const auto& [place, values] : by_place) {
      one.places.push_back(place);
      one.values.insert(one.values.end(), values.begin(), values.end());
    }
  }
  return all;
}

std::size_t sectors_of(const TraceAccess& access) {
  constexpr std::uint64_t sector = 32;
  std::set<std::uint64_t> sectors;
  for (const std::uint64_t place : access.places) {
    for (std::uint64_t at = place / sector;
         at <= (place + access.bytes * access.count - 1) / sector; ++at)
      sectors.insert(at);
  }
  return sectors.size();
}

std::string access_text(const Playback& playback, const TraceStep& step, const TraceAccess& access,
                        const std::string& type, bool one_thread) {
  const std::uint32_t block = playback.block_of(step);
  std::string text = fmt::format("{} {}", verb(access.kind), playback.label(access, block));
  for (const std::uint64_t place : access.places) {
    if (const std::string words = playback.beyond(access.space, block, place); !words.empty()) {
      text += words;
      break;
    }
  }
  if (access.values.empty()) return text + " REFUSED";
  const bool meet =
      std::set(access.places.begin(), access.places.end()).size() < access.places.size();
  if (access.kind == TraceKind::atomic && meet) text += ", one lane after the other";
  text += access.kind == TraceKind::atomic ? ": found " : ": ";
  text += values_text(playback, access, block, access.values, type);
  if (access.kind == TraceKind::atomic)
    text += ", left " + values_text(playback, access, block, access.after, type);
  if (!access.givers.empty()) {
    std::uint32_t givers = 0;
    for (const std::uint32_t lane : access.givers) givers |= 1u << lane;
    text += "  [rows named by " + lanes_text(givers) + "]";
  }
  if (one_thread) return text;
  if (access.space == TraceSpace::shared && step.passes > 1)
    text += fmt::format("  [{} passes]", step.passes);
  if (access.space == TraceSpace::global) {
    const std::size_t sectors = sectors_of(access);
    std::set<std::uint64_t> used;
    for (const std::uint64_t place : access.places) {
      for (std::uint64_t byte = 0; byte < access.bytes * access.count; ++byte)
        used.insert(place + byte);
    }
    text += fmt::format("  [{} sector{}, {} of {} bytes used]", sectors, sectors == 1 ? "" : "s",
                        used.size(), 32 * sectors);
  }
  return text;
}

std::string shuffle_text(const TraceStep& step, std::uint32_t lanes) {
  std::string text;
  std::size_t i = 0;
  int shown = 0;
  for (std::uint32_t rest = step.lanes; rest != 0 && i < step.from.size(); rest &= rest - 1, ++i) {
    const int lane = std::countr_zero(rest);
    if (!(lanes >> lane & 1)) continue;
    if (shown++ == 8) return text + ", …";
    text += fmt::format("{}{}<-{}", text.empty() ? "" : ", ", lane, step.from[i]);
  }
  return text;
}

bool is_told(const TraceStep& step, const TraceOp& op) {
  if (op.kind == TraceKind::compute) return !op.seen;
  // Outside a texture there is nothing that could be told.
  if (op.kind == TraceKind::load || op.kind == TraceKind::store) return !step.accesses.empty();
  if (op.kind == TraceKind::branch) return step.lanes != 0 && step.lanes != step.here;
  return true;
}

std::string barrier_name(std::uint32_t number) {
  return number == 0 ? "the block's barrier" : fmt::format("barrier {}", number);
}

std::vector<std::string> lines_of(const Playback& playback, const TraceStep& step,
                                  std::uint32_t lanes, bool one_thread) {
  const TraceOp& op = playback.trace().ops[step.op];
  std::vector<std::string> lines;
  for (const TraceAccess& access : joined(step.accesses, lanes))
    lines.push_back(access_text(playback, step, access, op.type, one_thread));
  switch (op.kind) {
    case TraceKind::shuffle:
      lines.push_back("takes a lane's value (lane<-from): " + shuffle_text(step, lanes));
      break;
    case TraceKind::vote:
      lines.push_back(step.results.empty()
                          ? op.text
                          : fmt::format("{}: lane {} gets {:#x}",
                                        op.text.substr(0, op.text.find(' ')),
                                        std::countr_zero(step.lanes), step.results.front()));
      break;
    case TraceKind::warp_barrier:
      lines.push_back("__syncwarp()");
      break;
    case TraceKind::barrier:
      lines.push_back("waits at " + barrier_name(step.barrier));
      break;
    case TraceKind::arrive:
      lines.push_back("arrives at " + barrier_name(step.barrier) + " and goes on");
      break;
    case TraceKind::branch:
      lines.push_back(fmt::format("the warp parts: {} jump, {} go on", lanes_text(step.lanes),
                                  lanes_text(step.here & ~step.lanes)));
      break;
    case TraceKind::exit:
      lines.push_back("ends");
      break;
    case TraceKind::compute:
      if (!op.seen) lines.push_back(op.text + " (the state of an mbarrier is not recorded)");
      break;
    case TraceKind::product:
      lines.push_back(op.text.substr(0, op.text.find(' ')) +
                      ": a product of matrices, by the whole warp");
      break;
    case TraceKind::copy:
      lines.push_back(fmt::format("which is there at cycle {:.0f}", step.arrives));
      break;
    case TraceKind::load:
    case TraceKind::store:
    case TraceKind::atomic:
      break;
  }
  return lines;
}

}  // namespace

std::string place_text(const TraceOp& op) {
  return op.line == 0 ? "?" : fmt::format("{}:{}", base_name(op.file), op.line);
}

std::string source_line(const Playback& playback, const TraceOp& op) {
  const auto& sources = playback.watched().sources;
  const auto found = sources.find(op.file);
  if (found == sources.end()) return {};
  std::istringstream lines(found->second);
  std::string line;
  for (std::uint32_t number = 0; number < op.line; ++number) {
    if (!std::getline(lines, line)) return {};
  }
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : clean_text(line.substr(begin));
}

std::string heading_text(const Playback& playback, std::size_t width) {
  const Trace& trace = playback.trace();
  const Watched& watched = playback.watched();
  std::string text = watched.title + (watched.verdict.empty() ? "" : ": " + watched.verdict) + "\n";
  if (!watched.message.empty()) text += clean_text(watched.message) + "\n";
  if (!watched.input.empty()) text += "Input: " + watched.input + "\n";
  std::string blocks;
  for (const Dim3& block : trace.blocks)
    blocks += (blocks.empty() ? "" : " and ") + index_text(block, trace.grid);
  text += fmt::format(
      "Launch {} of {}: {}, grid {} x {} x {}, block {} x {} x {}. Recorded: block{} {}, {} "
      "steps{}.\n",
      trace.launch + 1, std::max<std::size_t>(watched.launches.size(), trace.launch + 1),
      trace.kernel, trace.grid.x, trace.grid.y, trace.grid.z, trace.block.x, trace.block.y,
      trace.block.z, trace.blocks.size() == 1 ? "" : "s", blocks, trace.steps.size(),
      trace.cut ? ": the recording is full, what follows is not in it" : "");
  for (const TraceFinding& finding : trace.findings) {
    const Playback::Accused accused = playback.accused(finding);
    text += "Found: " + clean_text(finding.message);
    if (accused.step >= 0)
      text += fmt::format(" (step {}{})", accused.step,
                          accused.other >= 0 ? fmt::format(" and step {}", accused.other) : "");
    text += "\n";
  }
  std::string wrapped;
  for (const std::string& line : wrap(text.substr(0, text.size() - 1), width))
    wrapped += line + "\n";
  return wrapped;
}

std::string to_text(const Playback& playback, const TextOptions& options) {
  const Trace& trace = playback.trace();
  std::string text;
  std::size_t lines = 0, opening = 0;
  // Openings by the last arrival that is shown.
  std::vector<std::pair<std::size_t, const TraceOpening*>> openings;
  for (const TraceOpening& one : trace.openings) {
    std::size_t last = 0;
    for (std::size_t i = 0; i < one.before && i < trace.steps.size(); ++i) {
      const TraceStep& step = trace.steps[i];
      if (playback.block_of(step) == one.block &&
          (one.warps >> step.warp % trace.warps_in_block() & 1))
        last = std::max(last, playback.shown(i));
    }
    openings.emplace_back(last, &one);
  }
  std::ranges::stable_sort(openings, {}, [](const auto& one) { return one.first; });
  for (std::size_t i = 0; i < playback.order().size(); ++i) {
    const TraceStep& step = playback.step(i);
    const TraceOp& op = playback.op(i);
    const std::uint32_t warp = step.warp % trace.warps_in_block();
    std::uint32_t lanes = op.kind == TraceKind::branch ? step.here : step.lanes;
    bool told = is_told(step, op) && lanes != 0;
    if (options.thread) {
      const bool here = playback.block_of(step) == 0 && warp == *options.thread / 32;
      lanes &= here ? 1u << *options.thread % 32 : 0;
      told = told && lanes != 0 && op.kind != TraceKind::branch;
    }
    if (told) {
      if (lines++ == options.most_lines) return text + "… (more steps: --json has them all)\n";
      const std::string who =
          options.thread ? fmt::format("thread {}", *options.thread)
          : trace.blocks.size() > 1
              ? fmt::format("block {} warp {} {}",
                            index_text(trace.blocks[playback.block_of(step)], trace.grid), warp,
                            lanes_text(lanes))
              : fmt::format("warp {} {}", warp, lanes_text(lanes));
      text += fmt::format("{:5}  cycle {:<6.0f} {}  {}  {}\n", i, step.cycle, who, place_text(op),
                          source_line(playback, op));
      for (const std::string& line : lines_of(playback, step, lanes, options.thread.has_value()))
        text += "         " + line + "\n";
    }
    for (; opening < openings.size() && openings[opening].first <= i; ++opening) {
      const TraceOpening& one = *openings[opening].second;
      const bool concerns =
          !options.thread || (one.block == 0 && (one.warps >> *options.thread / 32 & 1));
      if (!concerns) continue;
      std::string warps = lanes_text(one.warps);
      warps = "warp" + warps.substr(4);
      text += fmt::format("-----  cycle {:<6.0f} {} opens for {}\n", one.cycle,
                          barrier_name(one.barrier), warps);
    }
  }
  if (text.empty()) text = "Nothing: the thread touches no memory and waits for nobody.\n";
  return text;
}

}  // namespace gridstride::sim
