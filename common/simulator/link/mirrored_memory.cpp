// Pages are compared with a copy of what the other end has.
#include "common/simulator/link/mirrored_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "common/simulator/device/wire.h"

namespace gridstride::sim::link {
namespace {

constexpr std::uint64_t page = 64u << 10;
/// Bytes that a stream holds before no more pieces are given to it.
constexpr std::size_t enough = std::size_t{4} << 20;
/// More is no memory that a call's arguments lie in.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;

}  // namespace

void MirroredMemory::queue(std::uint64_t at, std::uint64_t bytes) {
  const std::span<const std::byte> here = shared_.view(at + bytes);
  const std::uint64_t pages = (at + bytes + page - 1) / page;
  if (is_known_.size() < pages) {
    is_known_.resize(pages);
    known_.resize(pages * page);
  }
  for (std::uint64_t begin = at; begin < at + bytes;) {
    const std::uint64_t number = begin / page;
    const std::uint64_t end = std::min((number + 1) * page, at + bytes);
    const auto from = here.subspan(begin, end - begin);
    if (!is_known_[number] || std::memcmp(from.data(), known_.data() + begin, from.size()) != 0)
      pieces_.push_back({begin, end - begin, end - begin == page});
    begin = end;
  }
}

void MirroredMemory::forget(std::uint64_t at, std::uint64_t bytes) {
  for (std::uint64_t number = at / page; number * page < at + bytes && number < is_known_.size();
       ++number)
    is_known_[number] = false;
}

void MirroredMemory::queue_contents(const std::vector<CallRegion>& regions) {
  for (const CallRegion& region : regions)
    if (region.contents && !region.absent) queue(*region.contents, region.bytes);
  for (const CallRegion& region : regions)
    if (region.result && !region.absent) forget(*region.result, region.bytes);
}

void MirroredMemory::make_room(const std::vector<CallRegion>& regions) {
  for (const CallRegion& region : regions) {
    if (region.absent) continue;
    for (const std::optional<std::uint64_t>& at : {region.contents, region.result})
      if (at && *at + region.bytes <= most_bytes) shared_.grow(*at + region.bytes);
  }
}

void MirroredMemory::queue_results(const std::vector<CallRegion>& regions) {
  for (const CallRegion& region : regions) {
    if (!region.result || region.absent) continue;
    for (std::uint64_t done = 0; done < region.bytes; done += page)
      pieces_.push_back({*region.result + done, std::min(page, region.bytes - done)});
  }
}

void MirroredMemory::send(FrameStream& stream) {
  while (!pieces_.empty() && stream.queued() < enough) {
    const Piece piece = pieces_.front();
    pieces_.pop_front();
    const auto bytes = shared_.view(piece.at + piece.bytes).subspan(piece.at, piece.bytes);
    if (piece.remember) {
      std::ranges::copy(bytes, known_.begin() + static_cast<std::ptrdiff_t>(piece.at));
      is_known_[piece.at / page] = true;
    }
    stream.send(Kind::memory, wire::packed(piece.at), bytes);
  }
}

void MirroredMemory::take(std::span<const std::byte> payload) {
  wire::Reader reader(payload);
  const auto at = reader.get<std::uint64_t>();
  const auto bytes = reader.get_raw(payload.size() - sizeof at);
  if (at > most_bytes) throw wire::WireError("a piece of memory that cannot be");
  std::ranges::copy(bytes, shared_.grow(at + bytes.size()).subspan(at).begin());
}

}  // namespace gridstride::sim::link
