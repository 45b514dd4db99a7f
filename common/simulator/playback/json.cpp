// A trace as JSON: what the page plays, and what `--json` writes.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/playback/playback.h"

namespace gridstride::sim {
namespace {

using nlohmann::json;

json number_or_text(const std::string& text) {
  // What is no number in JSON, or not exactly one in JavaScript, stays text.
  constexpr std::size_t most_digits = 15;
  const json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
  return parsed.is_number() && text.size() <= most_digits ? parsed : json(text);
}

/// An array whose entries are all the same, as that entry alone.
json once_if_same(json all) {
  const bool same = all.size() > 1 &&
                    std::ranges::all_of(all, [&](const json& one) { return one == all.front(); });
  return same ? json::array({all.front()}) : std::move(all);
}

/// Values by element of the array: what is wider than one is taken apart.
json values_json(const Playback& playback, const NamedArray* array, const TraceAccess& access,
                 const std::vector<std::uint64_t>& values, const std::string& type) {
  const std::uint32_t size = array ? array->type.bytes : access.bytes;
  const bool apart = access.bytes > size && access.bytes % size == 0;
  const std::uint32_t parts = apart ? access.bytes / size : 1, bytes = apart ? size : access.bytes;
  json texts = json::array();
  for (const std::uint64_t bits : values) {
    for (std::uint32_t part = 0; part < parts; ++part) {
      const std::uint64_t rest = part * bytes < sizeof bits ? bits >> 8 * part * bytes : 0;
      const std::uint64_t kept = bytes >= sizeof bits ? rest : rest & ((1ull << 8 * bytes) - 1);
      texts.push_back(number_or_text(playback.value_text(array, kept, bytes, type)));
    }
  }
  return once_if_same(std::move(texts));
}

/// Elements are counted from the array's first; of memory without a name, bytes from 0.
json access_json(const Playback& playback, const TraceStep& step, const TraceAccess& access) {
  const std::uint32_t block = playback.block_of(step);
  const NamedArray* const array = playback.array_at(access.space, block, access.places.front());
  const std::string& type = playback.trace().ops[step.op].type;
  const auto size = static_cast<std::int64_t>(array ? array->type.bytes : 1);
  std::vector<std::int64_t> indices;
  for (const std::uint64_t place : access.places)
    indices.push_back(static_cast<std::int64_t>(array ? array->index_at(place) : place));
  json one = {{"array", array ? array - playback.arrays().data() : -1}};
  if (!array) one["space"] = name_of(access.space);
  if (access.lanes != step.lanes) one["lanes"] = access.lanes;
  bool even = true;
  for (std::size_t i = 2; i < indices.size(); ++i)
    even = even && indices[i] - indices[i - 1] == indices[1] - indices[0];
  if (even) {
    one["first"] = indices[0];
    if (indices.size() > 1 && indices[1] != indices[0]) one["stride"] = indices[1] - indices[0];
  } else {
    one["at"] = indices;
  }
  const std::int64_t width = std::int64_t{access.bytes} * access.count / size;
  if (array && width > 1) one["width"] = width;
  if (access.kind != playback.trace().ops[step.op].kind) one["kind"] = name_of(access.kind);
  if (!access.registers.empty()) one["registers"] = once_if_same(access.registers);
  if (!access.givers.empty()) one["givers"] = access.givers;
  const bool atomic = access.kind == TraceKind::atomic;
  one["values"] = values_json(playback, array, access, atomic ? access.after : access.values, type);
  if (atomic) one["found"] = values_json(playback, array, access, access.values, type);
  return one;
}

json number_of(double cycle) {
  const auto whole = static_cast<std::int64_t>(cycle);
  return static_cast<double>(whole) == cycle ? json(whole) : json(cycle);
}

json step_json(const Playback& playback, std::size_t shown) {
  const TraceStep& step = playback.step(shown);
  json one = {step.op,
              step.warp,
              step.here,
              step.lanes,
              number_of(step.cycle),
              static_cast<int>(step.wait),
              step.depth};
  json more = json::object();
  if (!step.accesses.empty()) {
    more["accesses"] = json::array();
    for (const TraceAccess& access : step.accesses)
      more["accesses"].push_back(access_json(playback, step, access));
  }
  if (step.passes > 1) more["passes"] = step.passes;
  if (step.arrives > 0) more["arrives"] = number_of(step.arrives);
  if (!step.from.empty()) more["from"] = step.from;
  if (!step.results.empty()) more["results"] = step.results;
  const TraceKind kind = playback.op(shown).kind;
  if (kind == TraceKind::barrier || kind == TraceKind::arrive) more["barrier"] = step.barrier;
  if (!more.empty()) one.push_back(std::move(more));
  return one;
}

json findings_json(const Playback& playback) {
  json all = json::array();
  for (const TraceFinding& finding : playback.trace().findings) {
    const Playback::Accused accused = playback.accused(finding);
    all.push_back({{"kind", finding.kind},
                   {"message", finding.message},
                   {"line", finding.line},
                   {"other_line", finding.other_line},
                   {"step", accused.step},
                   {"lanes", accused.lanes},
                   {"other", accused.other},
                   {"other_lanes", accused.other_lanes}});
  }
  return all;
}

/// The steps of the chain to an element, backwards, each with its lane.
json chain_json(const Playback& playback, const Playback::Element& element) {
  constexpr std::size_t most = 200;
  json chain = json::array();
  std::vector<Source> open;
  if (auto last = playback.source_of(element, playback.order().size()))
    open.push_back(std::move(*last));
  for (std::size_t i = 0; i < open.size() && i < most; ++i) {
    chain.push_back({open[i].store.step, open[i].store.lane});
    for (const LaneAccess& load : std::vector(open[i].from)) {
      for (Source& source : playback.sources_of(load).found) open.push_back(std::move(source));
    }
  }
  return chain;
}

/// [array, index], by "arrays"; null where the recorded launch has no such element.
json wrong_json(const Playback& playback, const std::optional<Playback::Element>& wrong) {
  if (!wrong) return nullptr;
  const NamedArray* const array = playback.array_at(wrong->space, wrong->block, wrong->place);
  if (!array) return nullptr;
  return {array - playback.arrays().data(), array->index_at(wrong->place)};
}

/// [array, index, who had written it in a launch before].
json earlier_json(const Playback& playback) {
  json all = json::array();
  for (const TraceEarlier& one : playback.trace().earlier) {
    const NamedArray* const array = playback.array_at(TraceSpace::global, 0, one.place);
    if (array == nullptr || one.place - array->begin >= array->bytes) continue;
    all.push_back(json{array - playback.arrays().data(), array->index_at(one.place),
                       "launch " + writer_text(one.writer)});
  }
  return all;
}

json openings_json(const Playback& playback) {
  const Trace& trace = playback.trace();
  std::vector<json> all;
  for (const TraceOpening& one : trace.openings) {
    std::size_t behind = 0;  // the step after the last that is shown of those who came
    for (std::size_t i = 0; i < one.before && i < trace.steps.size(); ++i) {
      const TraceStep& step = trace.steps[i];
      if (playback.block_of(step) == one.block &&
          (one.warps >> step.warp % trace.warps_in_block() & 1))
        behind = std::max(behind, playback.shown(i) + 1);
    }
    all.push_back(json{behind, one.block, one.barrier, one.warps, one.cycle});
  }
  std::ranges::stable_sort(all, {}, [](const json& one) { return one[0].get<std::size_t>(); });
  return all;
}

}  // namespace

json to_json(const Playback& playback) {
  const Trace& trace = playback.trace();
  const Watched& watched = playback.watched();
  json ops = json::array(), arrays = json::array(), steps = json::array(), files = json::object(),
       blocks = json::array();
  for (const TraceOp& op : trace.ops) {
    ops.push_back({op.text, name_of(op.kind), op.file, op.line, op.seen, op.reads, op.writes,
                   op.address, op.added});
    if (const auto source = watched.sources.find(op.file); source != watched.sources.end())
      files[op.file] = source->second;
  }
  for (const NamedArray& array : playback.arrays()) {
    arrays.push_back(
        {{"name", array.name},
         {"space", name_of(array.space)},
         {"block", array.block},
         {"elements", array.elements()},
         {"bytes", array.type.bytes},
         {"offset", array.space == TraceSpace::shared ? array.begin : array.begin % 128},
         {"extents", array.extents}});
    if (const auto& texels = array.texels)
      arrays.back()["texels"] = {{"width", texels->width},
                                 {"height", texels->height},
                                 {"depth", texels->depth},
                                 {"channels", texels->channels},
                                 {"layered", texels->layered}};
  }
  for (std::size_t i = 0; i < playback.order().size(); ++i) steps.push_back(step_json(playback, i));
  for (const Dim3& block : trace.blocks) blocks.push_back(index_text(block, trace.grid));
  const auto wrong = playback.wrong_element();
  return {{"title", watched.title},
          {"verdict", watched.verdict},
          {"message", watched.message},
          {"input", watched.input},
          {"wrong", watched.wrong},
          {"expected", watched.expected},
          {"got", watched.got},
          {"wrong_element", wrong_json(playback, wrong)},
          {"chain", wrong ? chain_json(playback, *wrong) : json::array()},
          {"history", wrong ? history_text(playback, *wrong) : ""},
          {"kernel", trace.kernel},
          {"launch", trace.launch},
          {"earlier", earlier_json(playback)},
          {"launches", watched.launches},
          {"grid", {trace.grid.x, trace.grid.y, trace.grid.z}},
          {"block", {trace.block.x, trace.block.y, trace.block.z}},
          {"blocks", std::move(blocks)},
          {"warps_in_block", trace.warps_in_block()},
          {"cut", trace.cut},
          {"differing_bytes", playback.differing_bytes()},
          {"files", std::move(files)},
          {"ops", std::move(ops)},
          {"arrays", std::move(arrays)},
          {"openings", openings_json(playback)},
          {"findings", findings_json(playback)},
          {"steps", std::move(steps)}};
}

}  // namespace gridstride::sim
