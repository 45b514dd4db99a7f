// See fatbin.h. The layout was read off what nvcc 13.0 writes, little endian throughout:
//
//   container  u32 magic 0xBA55ED50, u16 version, u16 header size (16), u64 bytes of all entries
//   entry  +0  u16 kind (1 = PTX, 2 = cubin), u16 version, u32 header size, u64 payload bytes
//          +16 u32 bytes of compressed data in the payload (the rest is padding), 0 when plain
//          +24 u16 minor, u16 major version of PTX, u32 architecture (80 for compute_80)
//          +40 u64 flags: 0x2000 LZ4, 0x8000 zstd, 0x100000 machine code for sm_90a and its like
//          +56 u64 bytes when unpacked, 0 when plain
#include "common/simulator/fatbin/fatbin.h"

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/fatbin/decompress.h"

namespace gridstride::sim::fatbin {

namespace {

constexpr std::uint32_t container_magic = 0xBA55ED50;
constexpr std::size_t container_header = 16, entry_header = 64;
constexpr std::uint16_t kind_ptx = 1, kind_machine_code = 2;
constexpr std::uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000, flag_this_one_only = 0x100000;

[[noreturn]] void fail(const std::string& message, std::size_t offset) {
  throw FatbinError("damaged fat binary: " + message + " at offset " + std::to_string(offset));
}

/// A number at `offset`, which the caller has checked to be inside.
template <class T>
T number(std::span<const std::byte> bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.subspan(offset, sizeof(T)).data(), sizeof(T));
  return value;
}

/// One entry, as it lies in the container.
struct Entry {
  std::uint16_t kind = 0;
  std::uint32_t architecture = 0;
  std::uint64_t flags = 0;
  std::span<const std::byte> header, payload;
  std::size_t offset = 0;  ///< in the container
};

/// All entries, in order.
std::vector<Entry> entries_of(std::span<const std::byte> container) {
  const std::size_t end = container_size(container);
  if (end > container.size()) fail("a container that is cut off", container.size());
  std::vector<Entry> entries;
  for (std::size_t offset = number<std::uint16_t>(container, 6); offset < end;) {
    const auto rest = container.subspan(offset, end - offset);
    if (rest.size() < entry_header) fail("an entry that is cut off", offset);
    const auto header_bytes = number<std::uint32_t>(rest, 4);
    const auto payload_bytes = number<std::uint64_t>(rest, 8);
    if (header_bytes < entry_header || header_bytes > rest.size())
      fail("an entry with an impossible header", offset);
    if (payload_bytes > rest.size() - header_bytes) fail("an entry that is cut off", offset);
    entries.push_back({.kind = number<std::uint16_t>(rest, 0),
                       .architecture = number<std::uint32_t>(rest, 28),
                       .flags = number<std::uint64_t>(rest, 40),
                       .header = rest.first(header_bytes),
                       .payload = rest.subspan(header_bytes, payload_bytes),
                       .offset = offset});
    offset += header_bytes + payload_bytes;
  }
  return entries;
}

/// What an entry holds, unpacked.
std::string contents_of(const Entry& entry) {
  const auto packed_bytes = number<std::uint32_t>(entry.header, 16);
  const auto unpacked_bytes = number<std::uint64_t>(entry.header, 56);
  if ((entry.flags & (flag_zstd | flag_lz4)) == 0) {
    if (entry.payload.size() > longest_text) fail("an entry of impossible length", entry.offset);
    return {reinterpret_cast<const char*>(entry.payload.data()), entry.payload.size()};
  }
  if (packed_bytes > entry.payload.size())
    fail("compressed data longer than its entry", entry.offset);
  const auto packed = entry.payload.first(packed_bytes);
  return (entry.flags & flag_zstd) != 0 ? unpack_zstd(packed, unpacked_bytes)
                                        : unpack_lz4(packed, unpacked_bytes);
}

std::string text_of(const Entry& entry) {
  std::string text = contents_of(entry);
  text.erase(text.find_last_not_of('\0') + 1);  // padding
  return text;
}

/// True when code for `image` runs on `capability`: code for compute_90a on 9.0 only, for
/// compute_100f on its major version only, other code on its own and newer architectures.
bool fits(const PtxImage& image, std::uint32_t capability) {
  if (image.architecture > capability) return false;
  std::size_t end = image.text.find(".target sm_");
  if (end == std::string::npos) return true;
  end += std::strlen(".target sm_");
  while (end < image.text.size() && std::isdigit(static_cast<unsigned char>(image.text[end])))
    ++end;
  const char suffix = end < image.text.size() ? image.text[end] : '\0';
  if (suffix == 'a') return image.architecture == capability;
  if (suffix == 'f') return image.architecture / 10 == capability / 10;
  return true;
}

}  // namespace

std::size_t container_size(std::span<const std::byte> bytes) {
  if (bytes.size() < container_header) fail("a header that is cut off", 0);
  if (number<std::uint32_t>(bytes, 0) != container_magic) fail("no container magic", 0);
  const auto header = number<std::uint16_t>(bytes, 6);
  const auto payload = number<std::uint64_t>(bytes, 8);
  constexpr std::uint64_t largest = std::uint64_t{1} << 40;
  if (header < container_header || payload > largest) fail("an impossible size", 6);
  return header + payload;
}

std::vector<PtxImage> ptx_images(std::span<const std::byte> container) {
  std::vector<PtxImage> images;
  std::uint64_t total = 0;
  for (const Entry& entry : entries_of(container)) {
    if (entry.kind != kind_ptx) continue;
    images.push_back({entry.architecture, text_of(entry)});
    total += images.back().text.size();
    if (total > longest_text)
      fail("PTX of more than " + std::to_string(longest_text) + " bytes", entry.offset);
  }
  return images;
}

PtxImage best_ptx(std::span<const std::byte> container, std::uint32_t capability) {
  std::vector<PtxImage> images = ptx_images(container);
  PtxImage* best = nullptr;
  std::string others;
  for (PtxImage& image : images) {
    others += (others.empty() ? "compute_" : ", compute_") + std::to_string(image.architecture);
    if (fits(image, capability) && (best == nullptr || best->architecture < image.architecture))
      best = &image;
  }
  if (best != nullptr) return std::move(*best);
  if (images.empty())
    throw FatbinError(
        "the program was built without PTX: add -gencode arch=compute_80,code=compute_80");
  throw FatbinError("the program has PTX for " + others +
                    " only, which does not run on compute capability " +
                    std::to_string(capability / 10) + '.' + std::to_string(capability % 10) +
                    ": add -gencode arch=compute_80,code=compute_80");
}

std::string best_machine_code(std::span<const std::byte> container, std::uint32_t capability) {
  const std::vector<Entry> entries = entries_of(container);
  const Entry* best = nullptr;
  for (const Entry& entry : entries) {
    const bool fits = entry.kind == kind_machine_code && entry.architecture <= capability &&
                      entry.architecture / 10 == capability / 10 &&
                      ((entry.flags & flag_this_one_only) == 0 || entry.architecture == capability);
    if (fits && (best == nullptr || best->architecture < entry.architecture)) best = &entry;
  }
  return best == nullptr ? std::string() : contents_of(*best);
}

}  // namespace gridstride::sim::fatbin
