// See transfer_accesses.h.
#include "common/simulator/check/transfer_accesses.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace gridstride::sim {
namespace {

constexpr std::uint64_t lanes = 32, word = 4;

}  // namespace

TransferAccesses::TransferAccesses(GlobalRaces& races, std::uint32_t instruction)
    : races_(races), step_{.order = order_, .instruction = instruction} {
  order_.start_block(races.first_block(), races.before_grid());
}

TransferAccesses::Piece TransferAccesses::piece_at(std::uint64_t address, std::uint64_t bytes) {
  Piece piece;
  const std::uint64_t to_word = (word - address % word) % word;
  const bool words = to_word == 0 && bytes >= word;
  piece.width = words ? word : 1;
  const std::uint64_t count = words          ? std::min(bytes / word, lanes)
                              : to_word != 0 ? std::min(bytes, to_word)
                                             : bytes;
  piece.mask = static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
  for (std::uint64_t lane = 0; lane < lanes; ++lane)
    piece.addresses[lane] = address + std::min(lane, count - 1) * piece.width;
  return piece;
}

void TransferAccesses::read(std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes;) {
    const Piece piece = piece_at(address + done, bytes - done);
    const bool whole = piece.mask == ~0u && piece.width == word;
    if (!whole || !races_.read_run(step_, piece.addresses[0], word))
      races_.read(step_, piece.mask, piece.addresses, piece.width);
    done += std::uint64_t{piece.width} * static_cast<unsigned>(std::popcount(piece.mask));
  }
}

void TransferAccesses::write(std::uint64_t address, std::uint64_t bytes, const IsThere& is_there) {
  struct Values final : StoredValues {
    Values(const Piece& of, std::uint64_t from, const IsThere& asked)
        : piece(of), first(from), is_there(asked) {}
    bool changes_nothing(std::uint32_t lane) const override {
      return is_there(piece.addresses[lane] - first, piece.width);
    }
    const Piece& piece;
    std::uint64_t first;
    const IsThere& is_there;
  };
  for (std::uint64_t done = 0; done < bytes;) {
    const Piece piece = piece_at(address + done, bytes - done);
    const bool whole = piece.mask == ~0u && piece.width == word;
    if (!whole || !races_.write_run(step_, piece.addresses[0], word)) {
      races_.write(step_, piece.mask, piece.addresses, piece.width,
                   Values(piece, address, is_there));
    }
    done += std::uint64_t{piece.width} * static_cast<unsigned>(std::popcount(piece.mask));
  }
}

}  // namespace gridstride::sim
