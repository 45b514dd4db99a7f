// Where values come from: who stored them, from what, and so on back to what came with the launch, as far as that is
// recorded. page/origins.js follows the same rules.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/simulator/playback/playback.h"

namespace gridstride::sim {
namespace {

constexpr std::size_t most_loads = 64;

std::size_t number_of(const TraceAccess& access, std::uint32_t lane) {
  return static_cast<std::size_t>(std::popcount(access.lanes & ((1u << lane) - 1)));
}

std::uint32_t lane_of(const TraceAccess& access, std::size_t number) {
  std::uint32_t rest = access.lanes;
  for (; number > 0; --number) rest &= rest - 1;
  return static_cast<std::uint32_t>(std::countr_zero(rest));
}

bool holds(const std::vector<std::uint32_t>& list, std::uint32_t one) {
  return std::ranges::find(list, one) != list.end();
}

LaneAccess part_of(std::size_t step, std::uint32_t lane, const TraceAccess& access,
                   std::size_t part, const std::vector<std::uint64_t>& values) {
  const std::size_t number = number_of(access, lane);
  return {step,
          lane,
          access.space,
          access.kind,
          access.places[number] + part * access.bytes,
          access.bytes,
          values[number * access.count + part]};
}

/// Goes back through the registers of one lane after another, to the loads.
class Follower {
 public:
  Follower(const Playback& playback, Source& source) : playback_(playback), source_(source) {}

  /// What a step reads from the registers of a lane; `but` says what of it is no part of the value.
  void operands(std::size_t at, std::uint32_t lane, const std::vector<std::uint32_t>& but) {
    const TraceOp& op = playback_.op(at);
    const TraceStep& step = playback_.step(at);
    std::uint32_t from = lane;
    if (op.kind == TraceKind::shuffle) {
      const auto number = static_cast<std::size_t>(std::popcount(step.lanes & ((1u << lane) - 1)));
      // The value comes from there; the distance is the lane's own, and no value.
      if (number < step.from.size()) from = step.from[number];
    }
    for (const std::uint32_t reg : op.reads) {
      if (!holds(but, reg)) held(at, from, reg);
    }
  }

  /// What a register of a lane held before step `before`.
  void held(std::size_t before, std::uint32_t lane, std::uint32_t reg) {
    const std::int64_t writer = writer_of(before, lane, reg);
    if (writer < 0 || source_.from.size() >= most_loads) return;
    const auto at = static_cast<std::size_t>(writer);
    const TraceOp& maker = playback_.op(at);
    if (playback_.op(before).text.starts_with('@') && maker.text.starts_with("setp")) return;
    if (!seen_.insert({at, lane, reg}).second) return;
    if (maker.kind == TraceKind::load || maker.kind == TraceKind::atomic) {
      loaded(at, lane, reg);
    } else if (maker.kind == TraceKind::product) {
      product(at, lane, reg);
    } else {
      operands(at, lane, {});
    }
  }

 private:
  /// The shown step of the same warp that wrote a register of a lane last before `before`, or -1.
  std::int64_t writer_of(std::size_t before, std::uint32_t lane, std::uint32_t reg) const {
    const TraceStep& reader = playback_.step(before);
    for (std::size_t i = before; i-- > 0;) {
      const TraceStep& one = playback_.step(i);
      if (one.warp != reader.warp || one.depth != reader.depth || !(one.lanes >> lane & 1))
        continue;
      if (holds(playback_.op(i).writes, reg)) return static_cast<std::int64_t>(i);
    }
    return -1;
  }

  void loaded(std::size_t at, std::uint32_t lane, std::uint32_t reg) {
    const auto& writes = playback_.op(at).writes;
    const auto number = static_cast<std::size_t>(std::ranges::find(writes, reg) - writes.begin());
    bool found = false;
    const auto take = [&](auto wanted) {
      for (const TraceAccess& access : playback_.step(at).accesses) {
        if (!(access.lanes >> lane & 1) || access.values.empty()) continue;
        for (std::size_t part = 0; part < access.count; ++part) {
          if (!wanted(access, part)) continue;
          found = true;
          add(part_of(at, lane, access, part, access.values));
        }
      }
    };
    take([&](const TraceAccess& access, std::size_t part) {
      if (!access.registers.empty()) return access.registers[part] == reg;
      return part == (number < access.count ? number : 0);
    });
    // A register that repeats others: some of the matrix, and not known which.
    if (!found) take([](const TraceAccess&, std::size_t) { return true; });
  }

  void add(const LaneAccess& load) {
    const bool known = std::ranges::any_of(source_.from, [&](const LaneAccess& one) {
      return one.step == load.step && one.lane == load.lane && one.place == load.place &&
             one.space == load.space;
    });
    if (!known && source_.from.size() < most_loads) source_.from.push_back(load);
  }

  /// What is added to can be followed; of the factors only what the lane itself holds.
  void product(std::size_t at, std::uint32_t lane, std::uint32_t reg) {
    const TraceOp& op = playback_.op(at);
    const auto number =
        static_cast<std::size_t>(std::ranges::find(op.writes, reg) - op.writes.begin());
    const bool known = std::ranges::any_of(
        source_.products, [&](const Source::Product& one) { return one.step == at; });
    if (!known) {
      Source factors;
      Follower(playback_, factors).operands(at, lane, op.added);
      source_.products.push_back({at, std::move(factors.from)});
    }
    if (number < op.added.size()) held(at, lane, op.added[number]);
  }

  const Playback& playback_;
  Source& source_;
  std::set<std::tuple<std::size_t, std::uint32_t, std::uint32_t>> seen_;
};

/// What an asynchronous copy read for the byte `offset` of what it wrote for a lane.
void follow_copy(const TraceStep& step, std::size_t at, std::uint32_t lane, std::uint64_t offset,
                 Source& source) {
  for (const TraceAccess& access : step.accesses) {
    if (access.kind != TraceKind::load || !(access.lanes >> lane & 1)) continue;
    const std::uint64_t bytes = std::uint64_t{access.bytes} * access.count;
    if (offset < bytes && !access.values.empty()) {
      source.from.push_back(part_of(at, lane, access, offset / access.bytes, access.values));
      return;
    }
    offset -= std::min(offset, bytes);
  }
  source.filled = true;
}

}  // namespace

std::optional<Source> Playback::source_of(const Element& element, std::size_t before,
                                          std::uint32_t turn) const {
  const std::size_t end = std::min(before + (turn > 0 ? 1 : 0), order_.size());
  for (std::size_t i = end; i-- > 0;) {
    const TraceStep& one = step(i);
    for (const TraceAccess& access : one.accesses) {
      if (access.kind == TraceKind::load || access.space != element.space) continue;
      if (access.space == TraceSpace::shared && block_of(one) != element.block) continue;
      const auto& values = access.kind == TraceKind::atomic ? access.after : access.values;
      // Where lanes of one instruction meet, the last one's stays.
      for (std::size_t k = access.places.size(); k-- > 0;) {
        const std::uint64_t offset = element.place - access.places[k];
        if (offset >= std::uint64_t{access.bytes} * access.count || values.empty()) continue;
        const std::uint32_t lane = lane_of(access, k);
        if (i == before && (access.kind != TraceKind::atomic || lane >= turn)) continue;
        const std::size_t part = offset / access.bytes;
        Source source;
        source.store = part_of(i, lane, access, part, values);
        Follower follower(*this, source);
        if (op(i).kind == TraceKind::copy) {
          follow_copy(one, i, lane, offset, source);
        } else if (!access.registers.empty()) {
          follower.held(i, lane, access.registers[part]);
        } else {
          follower.operands(i, lane, op(i).address);
        }
        if (access.kind == TraceKind::atomic)
          source.from.push_back(part_of(i, lane, access, part, access.values));
        return source;
      }
    }
  }
  return std::nullopt;
}

Playback::Sources Playback::sources_of(const LaneAccess& read) const {
  Sources sources;
  const std::uint32_t block = block_of(step(read.step));
  const std::uint64_t end = read.place + read.bytes;
  for (std::uint64_t place = read.place; place < end;) {
    auto source = source_of({read.space, block, place, 1}, read.step,
                            read.kind == TraceKind::atomic ? read.lane : 0);
    if (!source) {
      sources.all = false;
      place = end;
      break;
    }
    place = source->store.place + source->store.bytes;
    sources.found.push_back(std::move(*source));
  }
  return sources;
}

namespace {

std::string lane_access_text(const Playback& playback, const LaneAccess& access) {
  const TraceStep& step = playback.step(access.step);
  const TraceOp& op = playback.op(access.step);
  const std::uint32_t block = playback.block_of(step);
  const NamedArray* const array = playback.array_at(access.space, block, access.place);
  const std::uint32_t thread = step.warp % playback.trace().warps_in_block() * 32 + access.lane;
  const TraceAccess element{access.space, access.kind, 1, access.bytes, 1, {access.place}, {}, {}};
  return fmt::format("{} = {}  step {}, thread {} of block {}, {}", playback.label(element, block),
                     playback.value_text(array, access.value, access.bytes, op.type), access.step,
                     thread, index_text(playback.trace().blocks[block], playback.trace().grid),
                     place_text(op));
}

/// Where a value came from that no recorded step had written.
std::string origin_text(const Playback& playback, std::uint64_t place, TraceSpace space) {
  const TraceWriter* const writer =
      space == TraceSpace::global ? earlier_writer(playback.trace(), place) : nullptr;
  return writer ? "launch " + writer_text(*writer) : "nobody recorded wrote it before";
}

class Teller {
 public:
  explicit Teller(const Playback& playback) : playback_(playback) {}

  void tell(const Source& source, std::size_t depth) {
    const std::string indent(2 * depth, ' ');
    text_ += indent + lane_access_text(playback_, source.store) + "  " +
             source_line(playback_, playback_.op(source.store.step)) + "\n";
    if (!told_.insert({source.store.step, source.store.lane, source.store.place}).second) {
      text_ += indent + "  (as above)\n";
      return;
    }
    const bool in_turn = source.store.kind == TraceKind::atomic;
    const std::size_t brought = source.from.size() - (in_turn ? 1 : 0);
    for (std::size_t i = 0; i < brought; ++i) {
      if (is_full(depth)) return;
      tell_read(source.from[i], depth + 1);
    }
    for (const Source::Product& product : source.products) tell_product(product, indent);
    if (source.filled) text_ += indent + "  a 0: the copy read fewer bytes than it wrote\n";
    if (source.from.empty() && source.products.empty() && !source.filled)
      text_ += indent + "  from no memory: a constant, an index or a parameter\n";
    // The turn before stands beside it: a place may have had many.
    if (in_turn && !is_full(depth)) {
      text_ += indent + "in its turn it found\n";
      tell_read(source.from.back(), depth);
    }
  }

  std::string text() && { return std::move(text_); }

 private:
  bool is_full(std::size_t depth) {
    constexpr std::size_t deepest = 12, most_bytes = 8000;
    if (depth < deepest && text_.size() <= most_bytes) return false;
    if (!text_.ends_with("…\n")) text_ += std::string(2 * depth, ' ') + "  …\n";
    return true;
  }

  void tell_read(const LaneAccess& read, std::size_t depth) {
    const Playback::Sources sources = playback_.sources_of(read);
    for (const Source& source : sources.found) {
      tell(source, depth);
      if (is_full(depth)) return;
    }
    if (!sources.all)
      text_ += std::string(2 * depth, ' ') + "read " + lane_access_text(playback_, read) + "  (" +
               origin_text(playback_, read.place, read.space) + ")\n";
  }

  void tell_product(const Source::Product& product, const std::string& indent) {
    constexpr std::size_t most = 4;
    const TraceOp& op = playback_.op(product.step);
    text_ += fmt::format(
        "{}  through a product of matrices in step {} ({}): which elements went into one of it is "
        "not recorded\n",
        indent, product.step, place_text(op));
    for (std::size_t i = 0; i < product.brought.size() && i < most; ++i)
      text_ +=
          indent + "    its lane brought " + lane_access_text(playback_, product.brought[i]) + "\n";
    if (product.brought.size() > most)
      text_ += fmt::format("{}    and {} more\n", indent, product.brought.size() - most);
  }

  const Playback& playback_;
  std::set<std::tuple<std::size_t, std::uint32_t, std::uint64_t>> told_;
  std::string text_;
};

}  // namespace

std::string writer_text(const TraceWriter& writer) {
  return fmt::format("{} had written it: {}, thread {} of block {}; `--launch {}` records that",
                     writer.launch + 1, short_name(writer.kernel), writer.thread,
                     index_text(writer.block, writer.grid), writer.launch + 1);
}

std::string history_text(const Playback& playback, const Playback::Element& element) {
  const std::string name = playback.label(element.space, element.block, element.place);
  const auto source = playback.source_of(element, playback.order().size());
  if (!source) return "No recorded step wrote " + name + ".\n";
  Teller teller(playback);
  teller.tell(*source, 1);
  return "Who wrote " + name + ", and from what:\n" + std::move(teller).text();
}

}  // namespace gridstride::sim
