// Frames on streams that never block.
#include "common/simulator/link/frames.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/simulator/device/protocol.h"

namespace gridstride::sim::link {
namespace {

/// The longest is an answer to the judge.
constexpr std::size_t most_payload = wire::max_activity_bytes + 64;

void never_block(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
    throw std::runtime_error("the link's stream cannot be used");
}

bool later() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

std::vector<std::byte> pack(const Start& start) {
  wire::Writer writer;
  writer.put_text(start.program);
  writer.put_text(start.profile);
  writer.put(start.schedule_seed);
  writer.put(start.instruction_budget);
  return writer.take();
}

Start unpack_start(std::span<const std::byte> bytes) {
  wire::Reader reader(bytes);
  Start start;
  start.program = reader.get_text();
  start.profile = reader.get_text();
  start.schedule_seed = reader.get<std::uint64_t>();
  start.instruction_budget = reader.get<std::uint64_t>();
  reader.finish();
  return start;
}

FrameStream::FrameStream(UniqueFd in, UniqueFd out) : in_(std::move(in)), out_(std::move(out)) {
  never_block(in_.get());
  never_block(out_.get());
}

void FrameStream::receive() {
  std::array<std::byte, 64u << 10> chunk;
  const ssize_t got = ::read(in_.get(), chunk.data(), chunk.size());
  if (got > 0) {
    in_bytes_.insert(in_bytes_.end(), chunk.begin(), chunk.begin() + got);
  } else if (got == 0 || !later()) {
    ended_ = true;
  }
}

std::optional<Frame> FrameStream::next() {
  const std::span<const std::byte> rest = std::span(in_bytes_).subspan(read_);
  wire::Header header;
  if (rest.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, rest.data(), sizeof header);
  if (header.protocol != 0 || header.bytes > most_payload ||
      header.operation < static_cast<std::uint16_t>(Kind::start) ||
      header.operation > static_cast<std::uint16_t>(Kind::ended))
    throw wire::WireError("what came over the link is not the link's");
  if (rest.size() < sizeof header + header.bytes) return std::nullopt;
  const auto payload = rest.subspan(sizeof header, header.bytes);
  Frame frame{static_cast<Kind>(header.operation), {payload.begin(), payload.end()}};
  read_ += sizeof header + header.bytes;
  if (read_ == in_bytes_.size() || read_ > std::size_t{1} << 20) {
    in_bytes_.erase(in_bytes_.begin(), in_bytes_.begin() + static_cast<std::ptrdiff_t>(read_));
    read_ = 0;
  }
  return frame;
}

void FrameStream::send(Kind kind, std::span<const std::byte> head,
                       std::span<const std::byte> rest) {
  const wire::Header header{.bytes = static_cast<std::uint32_t>(head.size() + rest.size()),
                            .operation = static_cast<std::uint16_t>(kind),
                            .protocol = 0};
  const auto bytes = std::as_bytes(std::span(&header, 1));
  for (const std::span<const std::byte> part : {bytes, head, rest})
    out_bytes_.insert(out_bytes_.end(), part.begin(), part.end());
  flush();
}

void FrameStream::flush() {
  while (!ended_ && queued() > 0) {
    const ssize_t put = ::write(out_.get(), out_bytes_.data() + written_, queued());
    if (put > 0) {
      written_ += static_cast<std::size_t>(put);
    } else if (!later()) {
      ended_ = true;
    } else if (errno != EINTR) {
      break;
    }
  }
  if (queued() == 0) {
    out_bytes_.clear();
    written_ = 0;
  } else if (written_ > std::size_t{1} << 20) {
    out_bytes_.erase(out_bytes_.begin(),
                     out_bytes_.begin() + static_cast<std::ptrdiff_t>(written_));
    written_ = 0;
  }
}

}  // namespace gridstride::sim::link
