// The file: a word that says what it is, the header's length, the header (for each argument its
// allocation and the length of its data), the data. In the byte order of the machine, as all that
// judge and runner exchange.
#include "grader/runner/saved_call.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/runner/allocation.h"
#include "grader/runner/protocol.h"

namespace gridstride {
namespace {

constexpr std::uint64_t first_word = 0x31'6c'6c'61'63'73'67'00;  // "\0gscall1"

std::runtime_error failure(const std::filesystem::path& file, const std::string& what) {
  return std::runtime_error(file.string() + ": " + what);
}

void put(protocol::Writer& writer, const Allocation& allocation) {
  writer.put(allocation.kind);
  writer.put(allocation.bytes);
  writer.put(allocation.offset_bytes);
  writer.put(allocation.guard_bytes);
  writer.put_bytes(allocation.value);
  writer.put_text(allocation.name);
}

Allocation get_allocation(protocol::Reader& reader) {
  Allocation allocation;
  allocation.kind = protocol::get_kind(reader);
  allocation.bytes = reader.get<std::uint64_t>();
  allocation.offset_bytes = reader.get<std::uint64_t>();
  allocation.guard_bytes = reader.get<std::uint64_t>();
  // No device has that much memory, and sums of such sizes cannot overflow.
  constexpr std::uint64_t most = std::uint64_t{1} << 48;
  if (std::max({allocation.bytes, allocation.offset_bytes, allocation.guard_bytes}) > most)
    throw protocol::WireError("an allocation that is too large");
  const auto value = reader.get_bytes();
  allocation.value.assign(value.begin(), value.end());
  allocation.name = reader.get_text();
  return allocation;
}

std::span<const std::byte> next(std::span<const std::byte>& rest, std::uint64_t bytes,
                                const std::filesystem::path& file) {
  if (bytes > rest.size()) throw failure(file, "the saved call ends too early");
  const auto taken = rest.first(bytes);
  rest = rest.subspan(bytes);
  return taken;
}

void write(std::ofstream& out, std::span<const std::byte> bytes) {
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

void save_call(const std::filesystem::path& file, std::span<const SavedArgument> arguments) {
  protocol::Writer writer;
  writer.put(std::uint32_t(arguments.size()));
  for (const SavedArgument& argument : arguments) {
    put(writer, argument.allocation);
    writer.put(std::uint64_t{argument.data.size()});
  }
  const auto header = writer.take();
  std::ofstream out(file, std::ios::binary);
  write(out, sim::wire::packed(first_word, std::uint64_t{header.size()}));
  write(out, header);
  for (const SavedArgument& argument : arguments) write(out, argument.data);
  out.close();
  if (!out) throw failure(file, std::string("cannot write the call: ") + std::strerror(errno));
}

SavedCall load_call(const std::filesystem::path& file) {
  SavedCall call;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) throw failure(file, std::string("cannot read the call: ") + std::strerror(errno));
  call.bytes.resize(static_cast<std::size_t>(in.tellg()));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(call.bytes.data()),
          static_cast<std::streamsize>(call.bytes.size()));
  if (!in) throw failure(file, "cannot read the call to its end");
  std::span<const std::byte> rest(call.bytes);
  protocol::Reader words(next(rest, 2 * sizeof(std::uint64_t), file));
  if (words.get<std::uint64_t>() != first_word) throw failure(file, "this is no saved call");
  protocol::Reader header(next(rest, words.get<std::uint64_t>(), file));
  std::vector<std::uint64_t> lengths;
  for (auto count = header.get<std::uint32_t>(); count > 0; --count) {
    call.arguments.push_back({get_allocation(header), {}});
    lengths.push_back(header.get<std::uint64_t>());
  }
  for (std::size_t i = 0; i < lengths.size(); ++i)
    call.arguments[i].data = next(rest, lengths[i], file);
  return call;
}

}  // namespace gridstride
