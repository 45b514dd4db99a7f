// Looks at a few threads of the last blocks, and says what it found.
#include "common/simulator/index_width/narrow_indices.h"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gridstride::sim {
namespace {

const char* const advice =
    " Make it of 64 bits from the first product on: std::int64_t{blockIdx.x} * blockDim.x + "
    "threadIdx.x, and not the product of 32-bit numbers that is widened afterwards.";

Dim3 before(const Dim3& extent, std::uint32_t less) {
  const auto at = [less](std::uint32_t length) { return length > less ? length - less : 0; };
  return {at(extent.x), at(extent.y), at(extent.z)};
}

std::uint64_t linear_in(const Dim3& extent, const Dim3& at) {
  return at.x + std::uint64_t{extent.x} * (at.y + std::uint64_t{extent.y} * at.z);
}

std::uint32_t index_of(const KernelCode& code, const ptx::Instruction& instruction) {
  for (std::size_t i = 0; i < code.origins.size(); ++i) {
    if (code.origins[i].instruction == &instruction) return static_cast<std::uint32_t>(i);
  }
  return 0;
}

std::string magnitude(WholeNumber number) {
  return std::to_string(static_cast<std::uint64_t>(number < 0 ? -number : number));
}

}  // namespace

std::optional<Finding> narrow_index(const LaunchedKernel& launched, const KernelCode& code,
                                    const PlaceNames& names) {
  if (launched.grid.count() == 0 || launched.block.count() == 0) return std::nullopt;
  std::optional<Finding> found;
  // The last block may be a ragged one; the one before it is not.
  for (const std::uint32_t less : {1u, 2u}) {
    for (const bool last : {true, false}) {
      const ThreadPlace place{before(launched.grid, less),
                              last ? before(launched.block, 1) : Dim3{0, 0, 0}};
      walk(launched, place, [&](const ptx::Instruction& instruction, const ExactValue& address) {
        const WholeNumber off = address.wrapped_by();
        if (off == 0 || found) return;
        Finding finding;
        finding.kind = FindingKind::narrow_index;
        finding.kernel = code.name;
        finding.where = names.position(index_of(code, instruction));
        const ThreadId thread{linear_in(launched.grid, place.block),
                              static_cast<std::uint32_t>(linear_in(launched.block, place.thread))};
        finding.message = fmt::format(
            "The index of this access does not fit the 32 bits that it is computed in: in a grid "
            "of "
            "{} blocks, as large as this one has to be, {} comes out {} bytes {} where it "
            "should.{}",
            PlaceNames::index(launched.grid), names.thread(thread), magnitude(off),
            off > 0 ? "before" : "behind", advice);
        found = std::move(finding);
      });
      if (found) return found;
    }
  }
  return std::nullopt;
}

std::optional<Finding> cut_parameter(const LaunchedKernel& launched, const KernelCode& code,
                                     const std::vector<std::uint64_t>& wholes) {
  for (std::size_t i = 0; i < launched.offsets.size(); ++i) {
    std::uint32_t value = 0;
    const std::size_t at = launched.offsets[i];
    if (code.parameters.at(i).bytes != sizeof value ||
        at + sizeof value > launched.arguments.size())
      continue;
    std::memcpy(&value, launched.arguments.data() + at, sizeof value);
    for (const std::uint64_t whole : wholes) {
      if (static_cast<std::uint32_t>(whole) != value || whole == value) continue;
      Finding finding;
      finding.kind = FindingKind::narrow_index;
      finding.kernel = code.name;
      finding.message = fmt::format(
          "The kernel's parameter {} has 32 bits and is {}: that is what is left of {} when it is "
          "cut to 32 bits. A number of elements that needs 64 bits stays std::int64_t on its way "
          "into the kernel, too.",
          i + 1, value, whole);
      return finding;
    }
  }
  return std::nullopt;
}

}  // namespace gridstride::sim
