// What stores to global memory carry along for those who read them as flags.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/simulator/check/access_strength.h"
#include "common/simulator/check/clocks.h"
#include "common/simulator/check/global_races.h"
#include "common/simulator/check/happens_before.h"
#include "common/simulator/check/race_pages.h"

namespace gridstride::sim {
namespace {

/// Pieces of memory for what messages carry (GridClock::pieces), about 80 MB.
constexpr std::size_t most_pieces = std::size_t{1} << 18;

}  // namespace

std::uint32_t GlobalRaces::message_at(const Step& step, const RacePages::Page& page,
                                      std::uint32_t index) const {
  // Two operations of which one is for its own block only do not meet as a flag.
  const auto heard = [&](std::uint32_t cell) {
    const Record& record = records_[cell >> lane_bits];
    const bool same_block = is_of(record, step.order);
    const bool meet = seen_from(record.strength(), same_block) != AccessStrength::plain &&
                      seen_from(step.kind, same_block) != AccessStrength::plain;
    return meet ? record.message : 0;
  };
  if (!page.writer || page.writer[index] == 0) return 0;
  const Record& last = records_[page.writer[index] >> lane_bits];
  if (last.strength() != AccessStrength::plain) return heard(page.writer[index]);
  return page.atomic ? heard(page.atomic[index]) : 0;
}

std::uint32_t GlobalRaces::message_at(const Step& step, std::uint64_t address) {
  const RacePages::Page& page = pages_.at(address);
  return page.unchecked ? 0 : message_at(step, page, page.index_of(address));
}

FlagMessage GlobalRaces::message_at(HappensBefore& order, AccessStrength kind,
                                    std::uint64_t address) {
  return messages_[message_at(Step{.order = order, .kind = kind}, address)].message;
}

void GlobalRaces::learn(const Step& step, std::uint32_t mask, std::uint32_t message) {
  if (message == 0 || !step.learns) return;
  const HappensBefore::Lanes lanes{step.warp, mask, step.live};
  const FlagMessage& seen = messages_[message].message;
  if (step.acquires)
    step.order.acquire(lanes, seen);
  else
    step.order.see(lanes, seen);
}

void GlobalRaces::learn(const Step& step, std::uint32_t mask, const std::uint64_t* addresses) {
  if (messages_.size() == 1) return;
  std::uint32_t found = 0, lanes = 0;  // that found it
  for (; mask != 0; mask &= mask - 1) {
    const std::uint32_t message =
        message_at(step, addresses[static_cast<std::uint32_t>(std::countr_zero(mask))]);
    if (message != found) {
      learn(step, lanes, found);
      lanes = 0;
    }
    found = message;
    lanes |= mask & (0u - mask);
  }
  learn(step, lanes, found);
}

std::uint32_t GlobalRaces::keep(FlagMessage message) {
  std::uint32_t number = static_cast<std::uint32_t>(messages_.size());
  if (free_messages_.empty()) {
    messages_.emplace_back();
  } else {
    number = free_messages_.back();
    free_messages_.pop_back();
  }
  messages_[number] = {std::move(message)};
  return number;
}

std::uint32_t GlobalRaces::message_of_store(const Step& step, std::uint32_t lane) {
  const bool publishes = is_strong(step.kind);
  if (step.kind == AccessStrength::plain || (!publishes && !step.order.releases_anything()))
    return 0;
  if (!step.order.lanes_differ(step.warp)) lane = 0;
  const bool known = !publishes && last_.order == &step.order && last_.warp == step.warp &&
                     last_.lane == lane && last_.version == step.order.released_version();
  if (known) return last_.message;
  FlagMessage message = step.order.message(step.warp, lane, publishes);
  const bool empty = message.empty();
  if (!message.device.empty()) message.device.name(++chains_, 1);
  last_ = {&step.order, step.order.released_version(), step.warp, lane,
           empty ? 0 : keep(std::move(message))};
  return last_.message;
}

std::uint32_t GlobalRaces::message_of_atomic(const Step& step, std::uint32_t lane,
                                             std::uint32_t earlier) {
  if (!step.order.releases_anything()) return earlier;
  if (earlier == 0 && GridClock::pieces() < most_pieces) {
    FlagMessage own = step.order.message(step.warp, lane, false);
    if (own.device.empty() && own.in_block.empty()) return 0;
    if (!own.device.empty()) own.device.name(++chains_, 1);
    return keep(std::move(own));
  }
  FlagMessage message = messages_[earlier].message;
  if (!step.order.append(step.warp, lane, message)) return earlier;
  if (GridClock::pieces() >= most_pieces) {
    // One message for all such words: who has seen one has seen them all.
    if (common_ == 0) common_ = keep({});
    FlagMessage& common = messages_[common_].message;
    common.device.join(message.device);
    common.block = message.block;
    common.in_block = message.in_block;
    common.reads.join(message.reads);
    return common_;
  }
  Carried& before = messages_[earlier];
  const bool next_step = !before.continued && before.message.device.chain() != 0;
  const std::uint32_t chain = next_step ? before.message.device.chain() : ++chains_;
  const std::uint32_t number = next_step ? before.message.device.step() + 1 : 1;
  before.continued = true;
  if (!message.device.empty()) message.device.name(chain, number);
  return keep(std::move(message));
}

}  // namespace gridstride::sim
