#include "common/simulator/findings/unwritten_values.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/simulator/analysis/stored_bytes.h"
#include "common/simulator/memory/global_memory.h"

namespace gridstride::sim {

void UnwrittenValues::keep(const ptx::Instruction* load, ptx::Space space, std::uint32_t lane,
                           const UnwrittenLoad& loaded) {
  auto it = std::ranges::find(loads_, load, &Load::instruction);
  if (it == loads_.end()) it = loads_.insert(it, Load{.instruction = load, .of = {}});
  it->space = space;
  it->lanes |= 1u << lane;
  it->of[lane] = loaded;
}

void UnwrittenValues::forget(const ptx::Instruction* load, LaneMask lanes) {
  const auto it = std::ranges::find(loads_, load, &Load::instruction);
  if (it == loads_.end()) return;
  it->lanes &= ~lanes;
  if (it->lanes == 0) loads_.erase(it);
}

const UnwrittenValues::Load* UnwrittenValues::find(const ptx::Instruction* load) const {
  const auto it = std::ranges::find(loads_, load, &Load::instruction);
  return it == loads_.end() ? nullptr : &*it;
}

const std::vector<CopySources::Byte>& CopySources::of(std::uint32_t source) {
  const auto [known, is_new] = known_.try_emplace(source);
  const Origin& origin = kernel_.origins[source];
  if (!is_new || !origin.instruction) return known->second;
  const ptx::Function& function = *origin.function->function;
  const std::vector<ByteSource> bytes = StoredBytes(function).of_store(*origin.instruction);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i].from == ByteSource::From::load) {
      known->second.push_back(
          {static_cast<std::uint8_t>(i), bytes[i].byte, &function.body[bytes[i].load]});
    }
  }
  return known->second;
}

UnwrittenStore unwritten_store(const UnwrittenValues& values, CopySources& sources,
                               std::uint32_t source, std::uint32_t lane) {
  UnwrittenStore store;
  for (const CopySources::Byte& byte : sources.of(source)) {
    const UnwrittenValues::Load* const load = values.find(byte.load);
    if (!load || (load->lanes >> lane & 1) == 0) continue;
    if ((load->of[lane].missing >> byte.loaded & 1) == 0) continue;
    if (store.bytes == 0) store.first = {load->instruction, load->space, load->of[lane]};
    store.bytes |= 1u << byte.stored;
  }
  return store;
}

std::vector<UnwrittenCopy> take_unwritten(std::vector<UnwrittenCopy>& copies,
                                          const InitialisedBytes& global, DeviceAddress begin,
                                          std::uint64_t bytes, bool whole) {
  std::vector<UnwrittenCopy> taken;
  std::erase_if(copies, [&](UnwrittenCopy& copy) {
    if (whole && !copy.whole) return false;
    bool inside = false, unwritten = false;
    for (const UnwrittenCopy::Place& place : copy.places) {
      const DeviceAddress first = place.to + static_cast<unsigned>(std::countr_zero(place.bytes));
      if (first < begin || first - begin >= bytes) continue;
      inside = true;
      constexpr std::uint32_t most = 16;
      const std::uint32_t missing = global.missing_of_lane(place.to - GlobalMemory::base, most);
      unwritten = unwritten || (missing & place.bytes) != 0;
    }
    if (!inside) return false;
    if (!unwritten) return true;
    const auto same = std::ranges::find_if(taken, [&](const UnwrittenCopy& other) {
      return other.launch == copy.launch && other.finding.where.file == copy.finding.where.file &&
             other.finding.where.line == copy.finding.where.line;
    });
    if (same == taken.end())
      taken.push_back(std::move(copy));
    else
      ++same->finding.occurrences;
    return true;
  });
  return taken;
}

}  // namespace gridstride::sim
