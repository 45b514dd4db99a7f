// Every kind of mistake both ways: the wrong kernel is reported with its line, the right one is
// not.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

using Values = std::vector<std::uint32_t>;

const char* const files = ".file 1 \"kernel.cu\"\n";
const char* const setup = R"(
  .shared .align 4 .b8 first[128]; .shared .align 4 .b8 second[128];
  ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r2, first; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3;
  mov.u32 %r20, second; add.u32 %r21, %r20, %r3;
)";

/// A kernel on a device of its own with one array of 100 words.
struct Case {
  explicit Case(const std::string& body)
      : gpu(kernel_text(1, 0, setup + body + "\nret;", files)), array(gpu.upload(Values(100, 1))) {}
  GridResult launch(std::uint32_t threads, std::uint64_t offset = 0) {
    return gpu.launch({1}, {threads}, array + offset);
  }
  TestGrid gpu;
  DeviceAddress array;
};

void expect_one(const GridResult& result, FindingKind kind, std::uint32_t line, int error,
                const std::vector<std::string>& words) {
  EXPECT_EQ(result.error, error);
  ASSERT_EQ(result.findings.size(), 1u);
  const Finding& finding = result.findings[0];
  EXPECT_STREQ(name_of(finding.kind), name_of(kind));
  EXPECT_EQ(finding.where.line, line);
  EXPECT_EQ(finding.where.file, "kernel.cu");
  EXPECT_EQ(finding.kernel, "k");
  for (const std::string& word : words) {
    EXPECT_NE(finding.message.find(word), std::string::npos)
        << '"' << word << "\" is not in: " << finding.message;
  }
}

void expect_none(const GridResult& result) {
  EXPECT_EQ(result.error, 0);
  EXPECT_TRUE(result.findings.empty()) << first_message(result);
}

TEST(Findings, ALostUpdateInALoopMayMissABarrierInstead) {
  const auto message = [](const std::string& around, const std::string& behind) {
    TestGrid gpu(kernel_text(1, 0,
                             "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; " + around +
                                 " and.b32 %r3, %r3, 63; shl.b32 %r3, %r3, 2; mov.u32 %r4, tile;"
                                 "add.u32 %r3, %r4, %r3; st.shared.u32 [%r3], %r2;"
                                 "ld.shared.u32 %r5, [%r3]; add.u32 %r5, %r5, 1;"
                                 "st.shared.u32 [%r3], %r5; " +
                                 behind + " ret;",
                             ".shared .align 4 .b8 tile[256];"));
    const GridResult result = gpu.launch({1}, {64}, DeviceAddress{0});
    std::string all;
    for (const Finding& finding : result.findings) all += finding.message;
    return all;
  };
  const std::string at_once = message("mov.u32 %r3, 0;", "");
  EXPECT_NE(at_once.find("atomicAdd()"), std::string::npos) << at_once;
  EXPECT_EQ(at_once.find("__syncthreads() between the rounds"), std::string::npos) << at_once;
  const std::string in_rounds =
      message("loop: add.u32 %r3, %r1, %r2;",
              "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 4; @%p1 bra loop;");
  EXPECT_NE(in_rounds.find("__syncthreads() between the rounds"), std::string::npos) << in_rounds;
}

TEST(Findings, GlobalLoadPastTheEnd) {
  Case kernel(".loc 1 5 1\n ld.global.u32 %r9, [%rd3];");
  expect_none(kernel.launch(100));
  expect_one(kernel.launch(101), FindingKind::out_of_bounds, 5, 700,
             {"Thread (100, 0, 0) of block (0, 0, 0) reads 4 bytes",
              "4 bytes past the end of the 400-byte allocation (the 1st cudaMalloc)",
              "element 100 of 100"});
}

TEST(Findings, InlinedCodeIsNamedWhereItIsCalledAndWhereItStands) {
  // reduce.h line 41, inlined in line 20 of kernel.cu, inlined in line 9.
  TestGrid gpu(kernel_text(1, 0, std::string(setup) + R"(
    .loc 1 9 1
    mov.u32 %r9, 0;
    .loc 1 20 3, function_name $a, inlined_at 1 9 1
    mov.u32 %r9, 0;
    .loc 2 41 5, function_name $b, inlined_at 1 20 3
    ld.global.u32 %r9, [%rd3];
    ret;)",
                           ".file 1 \"kernel.cu\"\n.file 2 \"/include/reduce.h\"\n"));
  expect_one(gpu.launch({1}, {101}, gpu.upload(Values(100, 1))), FindingKind::out_of_bounds, 20,
             700, {"(Line 20 calls inlined code: line 41 of reduce.h, and is called in line 9.)"});
}

TEST(Findings, AHelperOfTheSameFileIsNamedWhereItStands) {
  TestGrid gpu(kernel_text(1, 0, std::string(setup) + R"(
    .loc 1 9 1
    mov.u32 %r9, 0;
    .loc 1 20 3, function_name $a, inlined_at 1 9 1
    ld.global.u32 %r9, [%rd3];
    ret;)",
                           ".file 1 \"kernel.cu\"\n"));
  expect_one(gpu.launch({1}, {101}, gpu.upload(Values(100, 1))), FindingKind::out_of_bounds, 20,
             700, {"(Line 20 is called in line 9.)"});
}

TEST(Findings, GlobalStoreBeforeTheStart) {
  Case kernel(".loc 1 6 1\n st.global.u32 [%rd3+-8], %r1;");
  expect_none(kernel.launch(10, 8));
  expect_one(kernel.launch(10, 4), FindingKind::out_of_bounds, 6, 700,
             {"Thread (0, 0, 0)", "writes 4 bytes", "4 bytes before the start"});
}

TEST(Findings, WideAccessThatEndsOutside) {
  Case kernel(".loc 1 6 1\n ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [%rd1];");
  expect_none(kernel.launch(1, 384));
  EXPECT_EQ(kernel.launch(1, 400).findings.size(), 1u);
}

TEST(Findings, AtomicOutOfBounds) {
  Case kernel(".loc 1 8 1\n red.global.add.u32 [%rd3], 1;");
  expect_none(kernel.launch(100));
  expect_one(kernel.launch(128), FindingKind::out_of_bounds, 8, 700, {"changes atomically"});
}

TEST(Findings, NullPointer) {
  Case kernel(".loc 1 5 1\n ld.global.u32 %r9, [%rd3];");
  const GridResult result = kernel.gpu.launch({1}, {1}, DeviceAddress{0});
  expect_one(result, FindingKind::out_of_bounds, 5, 700, {"null pointer"});
}

TEST(Findings, HostPointer) {
  Case kernel(".loc 1 5 1\n st.global.u32 [%rd3], %r1;");
  int local = 0;
  const auto address = reinterpret_cast<std::uintptr_t>(&local) & ~std::uintptr_t{3};
  expect_one(kernel.gpu.launch({1}, {1}, DeviceAddress{address}), FindingKind::host_pointer, 5, 700,
             {"host", "cudaMalloc", "cudaGetSymbolAddress"});
}

TEST(Findings, UseAfterFree) {
  Case kernel(".loc 1 5 1\n ld.global.u32 %r9, [%rd3];");
  const DeviceAddress other = kernel.gpu.upload(std::vector<int>(100));
  expect_none(kernel.gpu.launch({1}, {8}, other));
  kernel.gpu.memory.release(other);
  expect_one(kernel.gpu.launch({1}, {8}, other), FindingKind::use_after_free, 5, 700,
             {"the 2nd cudaMalloc", "freed"});
}

TEST(Findings, Misaligned) {
  Case kernel(".loc 1 5 1\n ld.global.u32 %r9, [%rd3];");
  expect_one(kernel.launch(8, 2), FindingKind::misaligned, 5, 716, {"not a multiple of 4"});
  Case shared(".loc 1 6 1\n ld.shared.u32 %r9, [%r2+2];");
  expect_one(shared.launch(1), FindingKind::misaligned, 6, 716, {"shared"});
}

TEST(Findings, ConstantMemoryIsNotWritten) {
  TestGrid gpu(kernel_text(1, 0, ".loc 1 3 1\n mov.u64 %rd1, table; st.u32 [%rd1], 1; ret;",
                           std::string(files) + ".const .align 4 .b8 table[16];"));
  expect_one(gpu.launch({1}, {1}, DeviceAddress{0}), FindingKind::out_of_bounds, 3, 700,
             {"variable table", "constant"});
}

TEST(Findings, ConstantMemoryOutOfBounds) {
  const std::string body = R"(
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; mov.u64 %rd1, table; add.s64 %rd1, %rd1, %rd2;
    .loc 1 4 1
    ld.const.u32 %r9, [%rd1]; ret;)";
  TestGrid gpu(kernel_text(1, 0, body, std::string(files) + ".const .align 4 .b8 table[16];"));
  expect_none(gpu.launch({1}, {4}, DeviceAddress{0}));
  expect_one(gpu.launch({1}, {5}, DeviceAddress{0}), FindingKind::out_of_bounds, 4, 700,
             {"16-byte variable table"});
}

TEST(Findings, SharedArrayIntoItsNeighbour) {
  // The byte behind `first` is the first of `second`: in bounds for the block, not for the array.
  Case kernel(".loc 1 9 1\n st.shared.u32 [%r4], %r1;");
  expect_none(kernel.launch(32));
  expect_one(kernel.launch(33), FindingKind::out_of_bounds, 9, 700,
             {"4 bytes past the end of the 128-byte array first", "element 32 of 32",
              "Thread (32, 0, 0)"});
}

TEST(Findings, SharedMemoryOutOfTheBlock) {
  Case kernel("mov.u32 %r9, 256; .loc 1 9 1\n st.shared.u32 [%r9], %r1;");
  expect_one(kernel.launch(1), FindingKind::out_of_bounds, 9, 700, {"has 256 bytes"});
}

TEST(Findings, DynamicSharedMemoryHasTheSizeOfTheLaunch) {
  const std::string body = R"(
    mov.u32 %r1, %tid.x; mov.u32 %r2, dynamic; shl.b32 %r3, %r1, 2; add.u32 %r2, %r2, %r3;
    .loc 1 4 1
    st.shared.u32 [%r2], %r1; ret;)";
  TestGrid gpu(
      kernel_text(1, 0, body, std::string(files) + ".extern .shared .align 4 .b8 dynamic[];"));
  gpu.request.dynamic_shared = 256;
  expect_none(gpu.launch({1}, {64}, DeviceAddress{0}));
  gpu.request.dynamic_shared = 252;
  expect_one(gpu.launch({1}, {64}, DeviceAddress{0}), FindingKind::out_of_bounds, 4, 700,
             {"dynamic array dynamic", "252-byte", "element 63 of 63"});
}

TEST(Findings, LocalArrayOutOfBounds) {
  Case kernel(R"(
    .local .align 4 .b8 depot[16];
    mov.u64 %rd5, depot; add.s64 %rd5, %rd5, %rd2;
    .loc 1 4 1
    st.local.u32 [%rd5], %r1;)");
  expect_none(kernel.launch(4));
  expect_one(kernel.launch(5), FindingKind::out_of_bounds, 4, 700, {"local array", "byte 16"});
}

const char* const neighbour_without_barrier = R"(
    st.shared.u32 [%r4+4], 0;
    bar.sync 0;
    .loc 1 10 1
    st.shared.u32 [%r4], %r1;
    %BARRIER%
    .loc 1 12 1
    ld.shared.u32 %r9, [%r4+4];)";

std::string with_barrier(std::string text, const std::string& barrier) {
  return text.replace(text.find("%BARRIER%"), 9, barrier);
}

TEST(Races, ReadOfTheNeighboursElementWithoutABarrier) {
  Case wrong("setp.gt.u32 %p1, %r1, 30; @%p1 exit;" + with_barrier(neighbour_without_barrier, ""));
  const GridResult result = wrong.launch(32);
  expect_one(result, FindingKind::shared_race, 12, 0, {"first", "__syncwarp()"});
  EXPECT_EQ(result.findings[0].other.line, 10u);
  EXPECT_EQ(result.findings[0].occurrences, 30u);
  Case right("setp.gt.u32 %p1, %r1, 30; @%p1 exit;" +
             with_barrier(neighbour_without_barrier, "bar.sync 0;"));
  expect_none(right.launch(32));
  Case warp("setp.gt.u32 %p1, %r1, 30; @%p1 exit;" +
            with_barrier(neighbour_without_barrier, "bar.warp.sync -1;"));
  expect_none(warp.launch(32));
}

TEST(Races, WhereLocksAreTakenAWarpBarrierIsNotAllTheAdvice) {
  Case wrong("setp.gt.u32 %p1, %r1, 30; @%p1 exit; atom.global.cas.b32 %r8, [%rd1], 0, 0;" +
             with_barrier(neighbour_without_barrier, ""));
  expect_one(
      wrong.launch(32), FindingKind::shared_race, 12, 0,
      {"Where a lock or a flag is to order them", "make both accesses atomic", "__syncwarp()"});
}

TEST(Races, BetweenWarpsAWarpBarrierIsNotEnough) {
  // Thread t reads what thread t ^ 32 wrote.
  const std::string body = R"(
    .shared .align 4 .b8 box[256];
    mov.u32 %r5, box; add.u32 %r6, %r5, %r3; xor.b32 %r7, %r3, 128; add.u32 %r7, %r5, %r7;
    .loc 1 20 1
    st.shared.u32 [%r6], %r1;
    %BARRIER%
    .loc 1 22 1
    ld.shared.u32 %r9, [%r7];)";
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u}) {
    Case wrong(with_barrier(body, "bar.warp.sync -1;"));
    wrong.gpu.request.schedule_seed = seed;
    const GridResult result = wrong.launch(64);
    ASSERT_EQ(result.findings.size(), 1u) << "seed " << seed;
    EXPECT_EQ(result.findings[0].kind, FindingKind::shared_race);
    EXPECT_EQ(lines_of(result.findings[0]), std::pair(20u, 22u));
    EXPECT_NE(first_message(result).find("__syncthreads()"), std::string::npos);
    Case right(with_barrier(body, "bar.sync 0;"));
    right.gpu.request.schedule_seed = seed;
    expect_none(right.launch(64));
  }
}

TEST(Races, TheVolatileTrickOfOldTextsIsARace) {
  // if (t < 16) { s[t] += s[t + 16]; s[t] += s[t + 8]; } in one warp, volatile, no barrier.
  const std::string body = R"(
    st.shared.u32 [%r4], %r1;
    bar.sync 0;
    setp.ge.u32 %p1, %r1, 16;
    @%p1 bra $end;
    .loc 1 30 1
    ld.volatile.shared.u32 %r8, [%r4+64]; ld.volatile.shared.u32 %r9, [%r4];
    add.u32 %r9, %r9, %r8; st.volatile.shared.u32 [%r4], %r9;
    %BARRIER%
    .loc 1 31 1
    ld.volatile.shared.u32 %r8, [%r4+32]; ld.volatile.shared.u32 %r9, [%r4];
    %BARRIER2%
    add.u32 %r9, %r9, %r8; st.volatile.shared.u32 [%r4], %r9;
  $end:)";
  const auto fill = [&](const std::string& one, const std::string& two) {
    std::string text = with_barrier(body, one);
    return text.replace(text.find("%BARRIER2%"), 10, two);
  };
  Case wrong(fill("", ""));
  const GridResult result = wrong.launch(32);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].kind, FindingKind::shared_race);
  EXPECT_EQ(result.findings[0].where.line, 31u);
  EXPECT_EQ(result.findings[0].other.line, 30u);
  Case half(fill("bar.warp.sync 65535;", ""));  // the read of s[t + 8] against its owner's store
  EXPECT_FALSE(half.launch(32).findings.empty());
  Case right(fill("bar.warp.sync 65535;", "bar.warp.sync 65535;"));
  expect_none(right.launch(32));
}

TEST(Races, ShufflesAndVotesOrderNothing) {
  Case wrong("setp.gt.u32 %p1, %r1, 30;" +
             with_barrier(neighbour_without_barrier, "vote.sync.ballot.b32 %r8, %p1, -1;"));
  EXPECT_EQ(wrong.launch(31).findings.size(), 1u);
}

TEST(Races, StoresOfDifferentValuesByOneInstruction) {
  Case wrong(".loc 1 7 1\n st.shared.u32 [%r2], %r1;");
  expect_one(wrong.launch(32), FindingKind::shared_race, 7, 0, {"different values"});
  Case same(".loc 1 7 1\n st.shared.u32 [%r2], 1;");
  expect_none(same.launch(32));
  expect_none(same.launch(64));  // two warps that store the same value
}

TEST(Races, AForgottenAtomicIsNamed) {
  const std::string count = "add.u32 %r9, %r9, 1;";
  for (const std::uint32_t threads : {32u, 64u}) {
    Case shared("st.shared.u32 [%r2], 0; bar.sync 0;\n.loc 1 7 1\n ld.shared.u32 %r9, [%r2];" +
                count + "add.u32 %r9, %r9, %r1; st.shared.u32 [%r2], %r9;");
    const GridResult result = shared.launch(threads);
    ASSERT_FALSE(result.findings.empty());
    EXPECT_NE(first_message(result).find("atomicAdd()"), std::string::npos)
        << first_message(result);
    Case global(".loc 1 7 1\n ld.global.u32 %r9, [%rd1];" + count +
                "add.u32 %r9, %r9, %r1; st.global.u32 [%rd1], %r9;");
    EXPECT_NE(first_message(global.launch(threads)).find("atomicAdd()"), std::string::npos);
  }
  // A neighbour's element, read and written in one line: a barrier is missing, not an atomic.
  Case barrier(".loc 1 7 1\n st.shared.u32 [%r4], %r1; ld.shared.u32 %r9, [%r4+64];" + count +
               "st.shared.u32 [%r4], %r9;");
  const GridResult result = barrier.launch(16 + 32);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(first_message(result).find("atomicAdd()"), std::string::npos) << first_message(result);
}

TEST(Races, WhereLocksAreTakenAFenceIsAskedFor) {
  const std::string unlock = "atom.global.exch.b32 %r10, [%rd1+64], 0;";
  const std::string in_global =
      ".loc 1 7 1\n ld.global.u32 %r9, [%rd1]; add.u32 %r9, %r9, %r1; st.global.u32 [%rd1], %r9;";
  const std::string in_shared =
      ".loc 1 7 1\n and.b32 %r6, %r3, 124; add.u32 %r6, %r2, %r6; st.shared.u32 [%r6], %r1;";
  const char* const words = "Where a lock guards both, ";
  for (const std::string& body : {in_global, in_shared}) {
    const std::string with_lock = first_message(Case(body + unlock).launch(64));
    EXPECT_NE(with_lock.find(words), std::string::npos) << with_lock;
    EXPECT_NE(with_lock.find("__threadfence() behind taking"), std::string::npos) << with_lock;
    const std::string without = first_message(Case(body).launch(64));
    EXPECT_EQ(without.find(words), std::string::npos) << without;
  }
}

TEST(Races, AtomicsDoNotRace) {
  Case right(
      "st.shared.u32 [%r2], 0; bar.sync 0; red.shared.add.u32 [%r2], 1; red.shared.add.u32 [%r2], "
      "%r1;");
  expect_none(right.launch(64));
  Case wrong(R"(
    st.shared.u32 [%r2], 0;
    bar.sync 0;
    .loc 1 7 1
    red.shared.add.u32 [%r2], 1;
    .loc 1 8 1
    ld.shared.u32 %r9, [%r2];)");
  expect_one(wrong.launch(64), FindingKind::shared_race, 8, 0, {"first, element 0"});
}

TEST(Races, ABarrierIsNoAdviceForTwoBlocks) {
  const std::string text = kernel_text(1, 0, R"(
    ld.param.u64 %rd1, [p0]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; add.u32 %r3, %r1, %r2;
    setp.eq.u32 %p1, %r3, 0;
    @%p1 st.global.u32 [%rd1], 5;
    @!%p1 red.global.add.u32 [%rd1], 1;
    ret;)");
  for (const std::uint32_t blocks : {1u, 2u}) {
    TestGrid gpu(text);
    const std::uint32_t threads = blocks == 1 ? 64 : 1;
    const std::string message =
        first_message(gpu.launch({blocks}, {threads}, gpu.upload(Values(1, 1))));
    EXPECT_NE(message.find("do not go together"), std::string::npos) << message;
    EXPECT_EQ(message.find("order them with a barrier") != std::string::npos, blocks == 1)
        << message;
    EXPECT_EQ(message.find("no barrier of a block orders") != std::string::npos, blocks == 2)
        << message;
  }
}

TEST(Races, BytesOfOneWordAreDifferentPlaces) {
  Case kernel(R"(
    add.u32 %r5, %r2, %r1;
    st.shared.u8 [%r5], %r1;
    ld.shared.u8 %r9, [%r5];)");
  expect_none(kernel.launch(64));
}

TEST(Hangs, NameTheBlocksThatAreMissing) {
  TestGrid gpu(kernel_text(1, 0, R"(
    ld.param.u64 %rd1, [p0]; mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 ret;
    $again: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra $again;
    ret;)"));
  gpu.request.resident_blocks = 2;
  const GridResult result = gpu.launch({5}, {1}, gpu.upload(std::vector<std::uint32_t>{0}));
  ASSERT_EQ(result.findings.size(), 1u);
  const std::string& message = result.findings[0].message;
  EXPECT_STREQ(name_of(result.findings[0].kind), "timeout");
  EXPECT_NE(message.find("1 of the 5 blocks of the grid has ended and can do nothing for them: "
                         "(0, 0, 0)."),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("2 of the 5 blocks have not started: 2 fit on the device at once"),
            std::string::npos)
      << message;
}

TEST(SwitchedOff, BoundsAndFreedMemoryAreToldApart) {
  Case kernel(".loc 1 5 1\n ld.global.u32 %r9, [%rd3];");
  const DeviceAddress freed = kernel.gpu.upload(Values(100));
  kernel.gpu.memory.release(freed);
  kernel.gpu.request.checks = checks_named("all,-out_of_bounds,-init");
  expect_none(kernel.launch(101));
  expect_one(kernel.gpu.launch({1}, {8}, freed), FindingKind::use_after_free, 5, 700, {"freed"});
  // Lanes 0 to 3 read before it, where nothing is.
  expect_one(kernel.gpu.launch({1}, {8}, freed - 16), FindingKind::use_after_free, 5, 700,
             {"Thread (4, 0, 0)"});
  kernel.gpu.request.checks = checks_named("all,-use_after_free,-init");
  expect_none(kernel.gpu.launch({1}, {8}, freed));
  expect_one(kernel.gpu.launch({1}, {101}, freed), FindingKind::out_of_bounds, 5, 700,
             {"4 bytes past the end"});
}

TEST(SwitchedOff, ArraysInSharedMemoryAreNotToldApart) {
  Case kernel(
      "st.shared.u32 [%r21], 7; bar.warp.sync -1;"
      ".loc 1 5 1\n ld.shared.u32 %r9, [%r4+128]; st.global.u32 [%rd3], %r9;");
  expect_one(kernel.launch(8), FindingKind::out_of_bounds, 5, 700, {"past the end"});
  kernel.gpu.request.checks = checks_named("all,-out_of_bounds");
  expect_none(kernel.launch(8));
  EXPECT_EQ(kernel.gpu.download<std::uint32_t>(kernel.array, 8), Values(8, 7));
  Case outside(".loc 1 5 1\n st.shared.u32 [%r4+4096], 1;");
  outside.gpu.request.checks = checks_named("none");
  EXPECT_EQ(outside.launch(8).error, 700);
}

TEST(SwitchedOff, WhatStopsAKernelIsSaidWithItsError) {
  Case kernel(".loc 1 5 1\n ld.global.u32 %r9, [%rd3];");
  kernel.gpu.request.checks = checks_named("all,-misaligned");
  const GridResult result = kernel.launch(8, 2);
  EXPECT_EQ(result.error, 716);
  EXPECT_TRUE(result.findings.empty());
  EXPECT_TRUE(result.reason.starts_with("misaligned in k at kernel.cu:5: Thread (0, 0, 0)"))
      << result.reason;
  EXPECT_EQ(kernel.launch(8).reason, "");
}

/// Every thread writes a byte of a page of its own, and reads it: 32 KiB of shadow for each.
std::string bytes_of_pages() {
  return kernel_text(1, 0, R"(
    ld.param.u64 %rd1, [p0]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %rd2, %r4, 4096; add.s64 %rd3, %rd1, %rd2;
    st.global.u8 [%rd3], %r1; ld.global.u8 %r5, [%rd3];
    ret;)");
}

TEST(Races, WhatFindsNoRoomIsNoted) {
  TestGrid gpu(bytes_of_pages());
  constexpr std::uint32_t pages = 2048;
  const DeviceAddress small = gpu.memory.allocate(100);
  const DeviceAddress data = gpu.memory.allocate(pages * 4096 + 100);
  EXPECT_TRUE(gpu.launch({2}, {256}, data).unchecked.empty());
  const GridResult result = gpu.launch({pages / 256}, {256}, data);
  EXPECT_TRUE(result.findings.empty()) << first_message(result);
  ASSERT_EQ(result.unchecked.size(), 1u);
  // It may take 32 MiB and one and a half bytes for each allocated one, which is enough for 1408
  // pages.
  EXPECT_EQ(result.unchecked[0].bytes, (pages - 1408) * 4096);
  const std::string& note = result.unchecked[0].note;
  EXPECT_TRUE(
      note.starts_with("In " + std::to_string(result.unchecked[0].bytes) +
                       " bytes of the 8388708-byte allocation (the 2nd cudaMalloc) no races "
                       "between accesses of k were looked for: "))
      << note;
  EXPECT_NE(note.find("44 MiB"), std::string::npos) << note;
  gpu.request.checks = checks_named("all,-global_race");
  EXPECT_TRUE(gpu.launch({pages / 256}, {256}, data).unchecked.empty());
  EXPECT_NE(small, 0u);
}

}  // namespace
}  // namespace gridstride::sim
