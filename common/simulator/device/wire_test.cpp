// Values come back as they went, and bytes that are no message are refused.
#include "common/simulator/device/wire.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/device/fields.h"
#include "common/simulator/device/packing.h"

namespace gridstride::sim::wire {
namespace {

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  Writer writer;
  Out out{writer};
  travel(out, value);
  return writer.take();
}

template <class T>
T get(Reader& reader) {
  T value;
  In in{reader};
  travel(in, value);
  return value;
}

using Containers = std::vector<std::vector<std::byte>>;

Activity some_activity() {
  Activity activity;
  activity.seconds = 1.5;
  activity.error = 700;
  activity.refusals = {"no textures"};
  activity.notes = {"not all was checked"};
  LaunchRecord record;
  record.kernel = "k(int)";
  record.grid = {.x = 7, .y = 2, .z = 1};
  record.occupancy = 0.75;
  record.limiter = "dram";
  record.bounds = {{.part = "dram", .seconds = 2e-6}};
  record.counters.flops = 42;
  record.lines = {{.file = "a.cu", .line = 9, .counters = record.counters}};
  record.lines[0].accesses = {{AccessKind::shared_load, 4, {{PatternShape::strided, -8, 3, 6, 3}}}};
  Finding finding;
  finding.kind = FindingKind::timeout;
  finding.message = std::string("with a \0 in it", 14);
  finding.where = {.file = "a.cu", .line = 9, .inlined = "calls inlined code: line 41 of b.h"};
  record.findings = activity.findings = {finding};
  activity.launches = {record, record};
  return activity;
}

TEST(Wire, ActivityComesBackAsItWent) {
  const auto bytes = bytes_of(some_activity());
  Reader reader(bytes);
  const Activity back = get<Activity>(reader);
  reader.finish();
  EXPECT_DOUBLE_EQ(back.seconds, 1.5);
  EXPECT_EQ(back.error, 700);
  ASSERT_EQ(back.launches.size(), 2u);
  const LaunchRecord& record = back.launches[1];
  EXPECT_EQ(record.kernel, "k(int)");
  EXPECT_EQ(record.grid, (Dim3{.x = 7, .y = 2, .z = 1}));
  EXPECT_EQ(record.bounds.at(0).part, "dram");
  EXPECT_EQ(record.counters.flops, 42u);
  EXPECT_EQ(record.lines.at(0).line, 9u);
  EXPECT_EQ(record.lines.at(0).accesses.at(0).kind, AccessKind::shared_load);
  EXPECT_EQ(record.lines.at(0).accesses.at(0).patterns.at(0).distance, -8);
  EXPECT_EQ(record.findings.at(0).kind, FindingKind::timeout);
  EXPECT_EQ(record.findings.at(0).message.size(), 14u);
  EXPECT_EQ(record.findings.at(0).where.inlined, "calls inlined code: line 41 of b.h");
  EXPECT_EQ(back.findings.size(), 1u);
}

TEST(Wire, LaunchRequestComesBackAsItWent) {
  LaunchRequest request;
  request.kernel = 3;
  request.block = {.x = 256};
  request.dynamic_shared = 1024;
  request.cooperative = true;
  request.arguments = {std::byte{1}, std::byte{2}};
  const auto bytes = bytes_of(request);
  Reader reader(bytes);
  const LaunchRequest back = get<LaunchRequest>(reader);
  reader.finish();
  EXPECT_EQ(back.kernel, 3u);
  EXPECT_EQ(back.block, request.block);
  EXPECT_TRUE(back.cooperative);
  EXPECT_EQ(back.arguments, request.arguments);
}

TEST(Wire, EveryTruncationIsRefused) {
  const auto bytes = bytes_of(some_activity());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Reader reader(std::span<const std::byte>(bytes).first(length));
    EXPECT_THROW(get<Activity>(reader), WireError) << length;
  }
}

TEST(Wire, LengthsThatCannotBeAreRefusedBeforeAnythingIsAllocated) {
  Writer writer;
  writer.put(~std::uint64_t{0});
  const auto bytes = writer.take();
  Reader text(bytes), count(bytes), containers(bytes);
  EXPECT_THROW(text.get_text(), WireError);
  EXPECT_THROW(count.get_count(1), WireError);
  EXPECT_THROW(get<Containers>(containers), WireError);
}

TEST(Wire, AsManyElementsAsTheBytesCanHoldAreTheMost) {
  EXPECT_EQ(least_bytes<Dim3>(), 12u);
  EXPECT_EQ(least_bytes<KernelInfo>(), 7 * 8u + 3 * 4u + 1u);
  EXPECT_EQ(least_bytes<TextureDescription>(), 5 * 8u + 3u + 3u + 4u + 4 * 4u);
  Writer writer;
  writer.put(std::uint64_t{3});
  for (int i = 0; i < 5; ++i) writer.put(std::uint64_t{0});
  const auto bytes = writer.take();
  Reader reader(bytes);
  EXPECT_THROW(get<std::vector<ParameterLayout>>(reader), WireError);
}

TEST(Wire, AFlagIsZeroOrOne) {
  const std::vector<std::byte> bytes{std::byte{2}};
  Reader reader(bytes), other(bytes);
  EXPECT_THROW(reader.get_flag(), WireError);
  EXPECT_THROW(get<bool>(other), WireError);
}

TEST(Wire, LeftOverBytesAreRefused) {
  const std::vector<std::byte> bytes(3);
  Reader reader(bytes);
  reader.get<std::uint16_t>();
  EXPECT_THROW(reader.finish(), WireError);
}

TEST(Wire, RandomBytesNeverDoMoreThanThrow) {
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::byte> bytes(random() % 200);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 4);
    Reader launch(bytes), containers(bytes);
    try {
      get<LaunchRequest>(launch);
      launch.finish();
    } catch (const WireError&) {
      ++refused;
    }
    try {
      get<Containers>(containers);
    } catch (const WireError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 2000);
}

TEST(Shape, IsAnotherForWhatTravelsOtherwise) {
  const std::set<std::uint32_t> shapes = {
      shape<void>(),
      shape<std::uint32_t>(),
      shape<std::uint64_t>(),
      shape<std::string>(),
      shape<std::vector<std::byte>>(),
      shape<std::vector<std::uint32_t>>(),
      shape<std::vector<std::uint64_t>>(),
      shape<std::vector<std::vector<std::uint32_t>>>(),
      shape<std::optional<std::uint32_t>>(),
      shape<std::array<std::uint32_t, 2>>(),
      shape<std::array<std::uint32_t, 3>>(),
      shape<std::pair<std::uint32_t, std::uint64_t>>(),
      shape<std::pair<std::uint64_t, std::uint32_t>>(),
      shape<Counters>(),
      shape<Finding>(),
      shape<Activity>(),
  };
  EXPECT_EQ(shapes.size(), 16u);
}

}  // namespace
}  // namespace gridstride::sim::wire
