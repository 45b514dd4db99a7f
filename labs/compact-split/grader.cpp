// Grades the compact-split lab: by which cases, and how their results are explained.
#include <cstdint>
#include <string>
#include <utility>

#include "labs/compact-split/guesses.hpp"
#include "labs/compact-split/timings.hpp"

namespace compact_split {
namespace {

using gridstride::absent;
using gridstride::input;
using gridstride::Rng;
using gridstride::scratch;
using Make = Floats (*)(Rng&, Count);

/// Beyond it one case is enough: see the last of for_each_input().
constexpr Count largest_of_many = 70'000;

/// Needs indices of 64 bits; see CaseOptions::too_large().
constexpr Count huge = gridstride::beyond_32_bits;
const std::string huge_name = "indices of 64 bits n=" + std::to_string(huge);

/// Where pointers stand, in elements past an aligned address.
struct Offsets {
  std::uint64_t in = 0, out = 0;
};

/// Calls add(name, make, n, offsets) for each input that every function is tried on.
template <class Add>
void for_each_input(Add add) {
  const auto named = [&add](const std::string& what, Make make, Count n, Offsets offsets = {}) {
    add(what + " n=" + std::to_string(n), make, n, offsets);
  };
  for (const Count n : gridstride::edge_sizes()) {
    if (n <= largest_of_many) named("mixed", mixed, n);
  }
  for (const Count n : {1, 32, 1025, 4099}) {
    named("nothing kept", nothing_kept, n);
    named("all kept", all_kept, n);
    named("first kept", first_kept, n);
    named("last kept", last_kept, n);
    named("alternating", alternating, n);
  }
  for (const Count n : {33, 2047, 20011}) {
    named("special values", special_values, n);
    named("few kept", few_kept, n);
    named("runs", runs, n);
    named("sorted", sorted, n);
    named("reversed", reversed, n);
  }
  for (const Count n : {1, 33, 1025, 40009}) {
    for (const Offsets offsets : {Offsets{1, 0}, {0, 3}, {2, 1}, {3, 2}})
      named("mixed, input off by " + std::to_string(offsets.in) + " and output by " +
                std::to_string(offsets.out) + ",",
            mixed, n, offsets);
  }
  // Tiles that are full to the last element, and one element less or more.
  for (const Count n : {12287, 12288, 12289, 18431, 18432, 18433, 73728}) named("mixed", mixed, n);
  named("all kept", all_kept, 73728);
  // More pieces of 1024 than a block of 1024 threads can scan.
  named("mixed", mixed, 1'100'003);
}

template <class Suite>
void define_compact(Suite& suite) {
  suite.parameters({"in", "out", "count", "n", "scratch"});
  for_each_input([&suite](const std::string& name, Make make, Count n, Offsets offsets) {
    suite.add(name, n, [make, n, offsets](Rng& rng) {
      Floats in = make(rng, n);
      Floats kept = kept_of(in);
      auto count = count_of(kept);
      return Suite::call(input(std::move(in)).at_offset(offsets.in),
                         in_order(std::move(kept), n).at_offset(offsets.out), std::move(count), n,
                         scratch(scratch_bytes(n)));
    });
  });
  suite.guess([](const WrongAnswer& wrong) { return guess_kept(wrong, 1); });
  suite.guess([](const WrongAnswer& wrong) { return guess_count(wrong, 2); });
  suite
      .add(huge_name, huge,
           [](Rng&) {
             return Suite::call(absent<float>(huge), absent<float>(huge), absent<Count>(1), huge,
                                scratch(scratch_bytes(huge)));
           })
      .too_large();
  suite.timing(timed_compact<Suite>);
}

template <class Suite>
void define_split_back(Suite& suite) {
  suite.parameters({"in", "packed", "out", "n", "scratch"});
  for_each_input([&suite](const std::string& name, Make make, Count n, Offsets offsets) {
    suite.add(name, n, [make, n, offsets](Rng& rng) {
      Floats in = make(rng, n);
      // Elements that have been worked on may be anything, and need not be kept themselves.
      Floats packed = special_values(rng, size_of(kept_of(in)));
      Floats out = split_back_of(in, packed);
      return Suite::call(input(std::move(in)).at_offset(offsets.in),
                         input(std::move(packed)).at_offset(offsets.out),
                         in_order(std::move(out), n).at_offset(offsets.out), n,
                         scratch(scratch_bytes(n)));
    });
  });
  suite.guess(guess_split_back);
  suite
      .add(huge_name, huge,
           [](Rng&) {
             return Suite::call(absent<float>(huge), absent<float>(huge), absent<float>(huge), huge,
                                scratch(scratch_bytes(huge)));
           })
      .too_large();
  suite.timing(timed_split_back<Suite>);
}

template <class Suite>
void define_partition(Suite& suite) {
  suite.parameters({"in", "kept", "rejected", "count", "n", "scratch"});
  for_each_input([&suite](const std::string& name, Make make, Count n, Offsets offsets) {
    suite.add(name, n, [make, n, offsets](Rng& rng) {
      Floats in = make(rng, n);
      Floats kept = kept_of(in), rejected = rejected_of(in);
      auto count = count_of(kept);
      return Suite::call(input(std::move(in)).at_offset(offsets.in),
                         in_order(std::move(kept), n).at_offset(offsets.out),
                         in_order(std::move(rejected), n).at_offset(offsets.in), std::move(count),
                         n, scratch(scratch_bytes(n)));
    });
  });
  suite.guess([](const WrongAnswer& wrong) { return guess_kept(wrong, 1); });
  suite.guess([](const WrongAnswer& wrong) { return guess_rejected(wrong, 2); });
  suite.guess([](const WrongAnswer& wrong) { return guess_count(wrong, 3); });
  suite
      .add(huge_name, huge,
           [](Rng&) {
             return Suite::call(absent<float>(huge), absent<float>(huge), absent<float>(huge),
                                absent<Count>(1), huge, scratch(scratch_bytes(huge)));
           })
      .too_large();
  suite.timing(timed_partition<Suite>);
}

}  // namespace
}  // namespace compact_split

int main(int argc, char** argv) {
  gridstride::Lab lab("compact-split", argc, argv);
  lab.contract<decltype(compact)>("compact",
                                  [](auto& suite) { compact_split::define_compact(suite); });
  lab.contract<decltype(split_back)>("split_back",
                                     [](auto& suite) { compact_split::define_split_back(suite); });
  lab.contract<decltype(partition)>("partition",
                                    [](auto& suite) { compact_split::define_partition(suite); });
  return lab.run();
}
