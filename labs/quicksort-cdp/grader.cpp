// Grades the quicksort-cdp lab: by which cases, and how their results are explained.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "labs/quicksort-cdp/guesses.hpp"

namespace quicksort_cdp {
namespace {

using gridstride::exactly;
using gridstride::input;
using gridstride::scratch;
using Make = Keys (*)(Rng&, Count);

/// Around 0, warps, powers of two and sections; primes; a large ragged one.
constexpr Count edge_sizes[] = {0,    1,    2,    3,    31,   32,   33,   63,   65,   129,
                                1021, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 4097, 9973};

/// Orders of keys, each tried at several sizes.
constexpr std::pair<const char*, Make> orders[] = {
    {"few values", few_values},
    {"all equal", all_equal},
    {"all the largest", all_largest},
    {"all the smallest", all_smallest},
    {"all equal but one", one_stranger},
    {"sorted", sorted},
    {"reversed", reversed},
    {"organ pipe", organ_pipe},
    {"valley", valley},
    {"against the median of three", against_median_of_three},
    {"misleading samples", misleading_samples},
    {"exponential", exponential},
    {"extremes", extremes},
};

/// Where pointers stand, in elements past an aligned address.
struct Offsets {
  std::uint64_t in = 0, out = 0;
};

/// The call whose time is graded, on random keys: all are drawn anew before each launch on a real
/// GPU. Were it a part of them, a sort that remembers would only have to sort that part.
template <class Suite>
gridstride::Timed timed_keys(Rng& rng, Count n, Count section_keys) {
  const auto keys = std::make_shared<Keys>(random_keys(rng, n));
  const auto result = [=] { return exactly<std::int32_t>(sorted_sections(*keys, section_keys)); };
  gridstride::Timed timed;
  timed.call = Suite::call(input(keys), result(), n, scratch(scratch_bytes(n)));
  timed.bytes_moved = 8.0 * static_cast<double>(n);
  timed.redraw = [=](Rng& fresh, gridstride::Redraw& change) {
    const Keys drawn = random_keys(fresh, n);
    std::copy(drawn.begin(), drawn.end(), keys->begin());
    change.write<std::int32_t>(0, 0, drawn);
    change.expect(1, result);
  };
  return timed;
}

/// `all`: whether all keys are sorted together, or each section for itself.
template <class Suite>
void define(Suite& suite, bool all) {
  suite.parameters({"in", "out", "n", "scratch"});
  const auto add = [&](const std::string& what, Make make, Count n, Offsets offsets = {}) {
    return suite.add(what + " n=" + std::to_string(n), n, [=](Rng& rng) {
      Keys in = make(rng, n);
      Keys out = sorted_sections(in, all && n > 0 ? n : section);
      return Suite::call(input(std::move(in)).at_offset(offsets.in),
                         exactly<std::int32_t>(std::move(out)).at_offset(offsets.out), n,
                         scratch(scratch_bytes(n)));
    });
  };
  // First one that has several leaves and tells most about what went wrong.
  add("random", random_keys, 3 * section - 100).same_bits();
  for (const Count n : edge_sizes) add("random", random_keys, n).same_bits();
  for (const auto& [name, make] : orders) {
    add(name, make, 57).same_bits();
    add(name, make, 3001).same_bits();
  }
  for (const Offsets offsets : {Offsets{1, 0}, {0, 3}, {2, 1}}) {
    add("random, input off by " + std::to_string(offsets.in) + " and output by " +
            std::to_string(offsets.out) + ",",
        random_keys, 2099, offsets)
        .same_bits();
  }
  if (all) {
    add("random", random_keys, 70'001).same_bits();
    for (const auto& [name, make] : orders) add(name, make, 33'331).once();
    // What a device sorts in milliseconds takes a simulated one minutes.
    constexpr Count large = 1 << 22;
    add("random", random_keys, large).once().gpu_only();
    add("random", random_keys, large - 4567).once().gpu_only();
    for (const auto& [name, make] : orders) add(name, make, large).once().gpu_only();
  }
  suite.guess(
      [all](const WrongAnswer& wrong) { return guess_order(wrong, all ? wrong.size : section); });
  suite.timing([all](Rng& rng, Count n) { return timed_keys<Suite>(rng, n, all ? n : section); });
}

}  // namespace
}  // namespace quicksort_cdp

int main(int argc, char** argv) {
  using namespace quicksort_cdp;
  gridstride::Lab lab("quicksort-cdp", argc, argv);
  lab.contract<decltype(sort_sections)>("sort_sections", [](auto& suite) { define(suite, false); });
  lab.contract<decltype(quicksort)>("quicksort", [](auto& suite) { define(suite, true); });
  return lab.run();
}
