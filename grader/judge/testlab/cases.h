// The test lab's cases, as a lab's author writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grader/judge/cases/suite.h"

namespace gridstride::testlab {

inline std::vector<float> doubled(const std::vector<float>& in) {
  std::vector<float> out(in);
  for (float& value : out) value *= 2;
  return out;
}

constexpr std::uint64_t scratch_bytes = 1024;

template <class Suite>
void define(Suite& suite) {
  suite.parameters({"in", "out", "n", "scratch", "stream"});
  for (const std::int64_t n : {0, 1, 31, 32, 33, 1000, 1024, 1025, 4096}) {
    suite
        .add("n=" + std::to_string(n), n,
             [n](Rng& rng) {
               auto in = rng.uniform<float>(static_cast<std::size_t>(n), 1, 2);
               auto out = doubled(in);
               return Suite::call(input(std::move(in)), exactly(std::move(out)), n,
                                  scratch(scratch_bytes));
             })
        .same_bits();
  }
  suite
      .add("unaligned", 100,
           [](Rng& rng) {
             auto in = rng.uniform<float>(100, 1, 2);
             auto out = doubled(in);
             return Suite::call(input(std::move(in)).at_offset(1),
                                exactly(std::move(out)).at_offset(3), 100, scratch(scratch_bytes));
           })
      .once();
  suite
      .add("of real use", 5000,
           [](Rng& rng) {
             auto in = rng.uniform<float>(5000, 1, 2);
             auto out = doubled(in);
             return Suite::call(input(std::move(in)), exactly(std::move(out)), 5000,
                                scratch(scratch_bytes));
           })
      .gpu_only();
  suite.timing([](Rng& rng, std::int64_t n) {
    auto in =
        std::make_shared<std::vector<float>>(rng.uniform<float>(static_cast<std::size_t>(n), 1, 2));
    Timed timed;
    timed.call = Suite::call(input(in), exactly(doubled(*in)), n, scratch(scratch_bytes));
    timed.bytes_moved = 8.0 * static_cast<double>(n);
    timed.redraw = [in](Rng& more, Redraw& redraw) {
      const std::size_t place = more.uniform<std::size_t>(0, in->size() - 1);
      (*in)[place] = more.uniform(3.0f, 4.0f);
      redraw.write(0, place, std::vector<float>{(*in)[place]});
      redraw.expect(1, [in] { return exactly(doubled(*in)); });
    };
    return timed;
  });
}

}  // namespace gridstride::testlab
