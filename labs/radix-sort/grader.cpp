// Grades the radix-sort lab: by which cases, and how their results are explained.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "labs/radix-sort/guesses.hpp"
#include "labs/radix-sort/timings.hpp"

namespace radix_sort {
namespace {

using gridstride::exactly;
using gridstride::input;
using gridstride::Rng;
using gridstride::scratch;
using Make = Keys (*)(Rng&, Count);

/// Sections are sorted independently, so longer inputs try nothing more.
constexpr Count longest_of_sections = 16'400;
/// Of these one, the longest, is enough for each function. It has more tiles than the simulated device
/// has room for blocks, so that one which waits for a tile that nobody has begun hangs.
constexpr Count longest_of_pairs = 101'000, longest_of_keys = 151'000;

/// Around 0, warps, powers of two and tiles; primes; a large ragged one.
constexpr Count edge_sizes[] = {0,    1,    2,     31,    32,     33,    255,  256,
                                257,  1021, 1023,  1024,  1025,   2047,  2048, 2049,
                                4096, 4097, 16381, 65537, 100003, 150001};

/// Where pointers stand, in elements past an aligned address.
struct Offsets {
  std::uint64_t in = 0, out = 0;
};

/// Calls add(name, make, n, offsets) for each input that every function is tried on.
template <class Add>
void for_each_input(Count longest, Add add) {
  const auto named = [&](const std::string& what, Make make, Count n, Offsets offsets = {}) {
    if (n <= longest) add(what + " n=" + std::to_string(n), make, n, offsets);
  };
  // First one that fills sections and tells most about what went wrong.
  named("random", random_keys, 3 * block_section);
  for (const Count n : edge_sizes) named("random", random_keys, n);
  for (const Count n : {33, 9001}) {
    named("few values", few_values, n);
    named("all equal", all_equal, n);
    named("all the largest", all_largest, n);
    named("sorted", sorted, n);
    named("reversed", reversed, n);
    named("ramp", ramp, n);
    named("different in one byte", one_byte, n);
    named("extremes", extremes, n);
  }
  for (const Count n : {33, 4099}) {
    for (const Offsets offsets : {Offsets{1, 0}, {0, 3}, {2, 1}})
      named("random, input off by " + std::to_string(offsets.in) + " and output by " +
                std::to_string(offsets.out) + ",",
            random_keys, n, offsets);
  }
  // Tiles that are full to the last key, and one key less or more.
  for (const Count n : {8191, 8192, 8193, 40960}) named("random", random_keys, n);
  named("few values", few_values, 40961);
}

/// The three functions that sort keys alone. `section` is 0 where all keys are sorted together.
template <class Suite>
void define_keys(Suite& suite, Count section, Count longest) {
  suite.parameters({"in", "out", "n", "scratch"});
  for_each_input(longest, [&](const std::string& name, Make make, Count n, Offsets offsets) {
    suite
        .add(name, n,
             [=](Rng& rng) {
               Keys in = make(rng, n);
               Keys out = sorted_sections(in, section != 0 ? section : n);
               return Suite::call(input(std::move(in)).at_offset(offsets.in),
                                  exactly<std::uint32_t>(std::move(out)).at_offset(offsets.out), n,
                                  scratch(scratch_bytes(n, 4)));
             })
        .same_bits();
  });
  suite.guess([section](const WrongAnswer& wrong) {
    return guess_order(wrong.input<std::uint32_t>(0), wrong.output<std::uint32_t>(),
                       KeyType::unsigned_integer, section != 0 ? section : wrong.size);
  });
  suite.timing([section](Rng& rng, Count n) {
    return timed_keys<Suite>(rng, n, section != 0 ? section : n);
  });
}

std::string name_of(KeyType type) {
  switch (type) {
    case KeyType::unsigned_integer:
      return "unsigned";
    case KeyType::signed_integer:
      return "signed";
    case KeyType::floating_point:
      return "floats";
  }
  return "";
}

/// Returns what for_each_input() calls.
template <class Suite>
auto pairs_adder(Suite& suite, KeyType type) {
  return [&suite, type](const std::string& name, Make make, Count n, Offsets offsets) {
    suite
        .add(name_of(type) + ", " + name, n,
             [=](Rng& rng) {
               Keys keys = make(rng, n), values = random_keys(rng, n);
               const std::vector<Count> order = stable_order(keys, type);
               Keys keys_out = picked(keys, order), values_out = picked(values, order);
               return Suite::call(
                   input(std::move(keys)).at_offset(offsets.in),
                   input(std::move(values)).at_offset(offsets.out),
                   exactly<std::uint32_t>(std::move(keys_out)).at_offset(offsets.out),
                   exactly<std::uint32_t>(std::move(values_out)).at_offset(offsets.in), n, type,
                   scratch(scratch_bytes(n, 8)));
             })
        .same_bits();
  };
}

template <class Suite>
void define_pairs(Suite& suite) {
  suite.parameters({"keys_in", "values_in", "keys_out", "values_out", "n", "type", "scratch"});
  for_each_input(longest_of_pairs, pairs_adder(suite, KeyType::unsigned_integer));
  // The types differ at the rims alone: all that concerns sizes has been tried.
  for (const KeyType type : {KeyType::signed_integer, KeyType::floating_point}) {
    const auto add = pairs_adder(suite, type);
    add("random n=6144", random_keys, 6144, {});
    for (const Count n : {33, 4097}) {
      const std::string size = " n=" + std::to_string(n);
      add("random" + size, random_keys, n, {});
      add("extremes" + size, extremes, n, {});
      add("few values" + size, few_values, n, {});
      add("sorted as unsigned" + size, sorted, n, {});
      add("reversed as unsigned" + size, reversed, n, {});
    }
  }
  suite.guess([](const WrongAnswer& wrong) -> Words {
    if (wrong.argument == 3) return guess_values(wrong);
    return guess_order(wrong.input<std::uint32_t>(0), wrong.output<std::uint32_t>(),
                       wrong.input<KeyType>(5)[0], wrong.size);
  });
  suite.timing(timed_pairs<Suite>);
}

}  // namespace
}  // namespace radix_sort

int main(int argc, char** argv) {
  using namespace radix_sort;
  gridstride::Lab lab("radix-sort", argc, argv);
  lab.contract<decltype(sort_warp_sections)>("sort_warp_sections", [](auto& suite) {
    define_keys(suite, warp_section, longest_of_sections);
  });
  lab.contract<decltype(sort_block_sections)>("sort_block_sections", [](auto& suite) {
    define_keys(suite, block_section, longest_of_sections);
  });
  lab.contract<decltype(sort_keys)>("sort_keys",
                                    [](auto& suite) { define_keys(suite, 0, longest_of_keys); });
  lab.contract<decltype(sort_pairs)>("sort_pairs", [](auto& suite) { define_pairs(suite); });
  return lab.run();
}
