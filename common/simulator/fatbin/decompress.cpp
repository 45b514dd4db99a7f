// See decompress.h.
#include "common/simulator/fatbin/decompress.h"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "common/simulator/fatbin/fatbin.h"

namespace gridstride::sim::fatbin {

namespace {

void check_size(std::uint64_t size) {
  if (size > longest_text)
    throw FatbinError("the fat binary claims a PTX text of " + std::to_string(size) +
                      " bytes; more than " + std::to_string(longest_text) + " are not accepted");
}

}  // namespace

std::string unpack_zstd(std::span<const std::byte> packed, std::uint64_t size) {
  check_size(size);
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                     &ZSTD_freeDCtx);
  if (context == nullptr) throw FatbinError("out of memory while unpacking a fat binary");
  constexpr std::uint64_t step = 1 << 20;
  std::string text;
  ZSTD_inBuffer input{packed.data(), packed.size(), 0};
  std::size_t rest = 1;  // 0 when the frame is complete
  while (rest != 0) {
    const std::size_t filled = text.size();
    text.resize(std::min(size, filled + step));
    ZSTD_outBuffer output{text.data(), text.size(), filled};
    const std::size_t consumed = input.pos;
    rest = ZSTD_decompressStream(context.get(), &output, &input);
    if (ZSTD_isError(rest))
      throw FatbinError(std::string("the fat binary's zstd data is damaged: ") +
                        ZSTD_getErrorName(rest));
    text.resize(output.pos);
    if (rest != 0 && output.pos == filled && input.pos == consumed) break;  // no progress
  }
  if (rest != 0 || text.size() != size)
    throw FatbinError("the fat binary's zstd data has another length than it says");
  return text;
}

std::string unpack_lz4(std::span<const std::byte> packed, std::uint64_t size) {
  check_size(size);
  constexpr std::uint64_t best_ratio =
      255;  // a byte of a match length stands for at most that much
  if (size > (packed.size() + 1) * best_ratio)
    throw FatbinError("the fat binary's LZ4 data has another length than it says");
  std::string text(size, '\0');
  const int unpacked =
      LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()), text.data(),
                          static_cast<int>(packed.size()), static_cast<int>(size));
  if (unpacked < 0) throw FatbinError("the fat binary's LZ4 data is damaged");
  if (static_cast<std::uint64_t>(unpacked) != size)
    throw FatbinError("the fat binary's LZ4 data has another length than it says");
  return text;
}

}  // namespace gridstride::sim::fatbin
