// Grades the histogram lab: by which cases, and by which timed calls.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "labs/histogram/guesses.hpp"
#include "labs/histogram/inputs.hpp"

namespace histogram {
namespace {

using gridstride::Rng;

/// Beyond it one case of a kind is enough.
constexpr Count largest_of_many = 70'000;
constexpr Count large = 1'000'003;
constexpr Count redrawn = 1000;  // elements, before each timed launch

template <class Job>
using Values = std::vector<typename Job::Value>;
template <class Job>
using Make = Values<Job> (*)(Rng&, Count);

template <class Job>
gridstride::Output<std::uint32_t> counted(const Values<Job>& in) {
  return gridstride::exactly<std::uint32_t>(counts_of<Job>(in));
}

/// A call on `usual` data of which a run is drawn anew before each launch.
template <class Job, class Suite>
gridstride::Timed timed(Rng& rng, Count n, Make<Job> usual) {
  struct State {
    std::shared_ptr<Values<Job>> in;
    Counts counts;
    void add(Count first, Count count, std::uint32_t times) {
      for (Count i = first; i < first + count; ++i)
        if (const int b = Job::bin((*in)[i]); b >= 0) counts[b] += times;
    }
  };
  const auto state = std::make_shared<State>();
  state->in = std::make_shared<Values<Job>>(usual(rng, n));
  state->counts = counts_of<Job>(*state->in);
  const auto redraw = [state, usual](Rng& fresh, gridstride::Redraw& change) {
    const auto size = static_cast<Count>(state->in->size());
    const Count count = std::min(redrawn, size), first = fresh.uniform<Count>(0, size - count);
    const Counts before = state->counts;
    state->add(first, count, static_cast<std::uint32_t>(-1));
    Values<Job> run = usual(fresh, count);
    std::copy(run.begin(), run.end(), state->in->begin() + first);
    state->add(first, count, 1);
    if (state->counts == before) {  // hardly ever, and only of few bins
      state->add(first, 1, static_cast<std::uint32_t>(-1));
      run[0] = (*state->in)[first] = static_cast<typename Job::Value>(
          Job::bin('a') == Job::bin((*state->in)[first]) ? 'z' : 'a');
      state->add(first, 1, 1);
    }
    change.write<typename Job::Value>(0, static_cast<std::uint64_t>(first), run);
    change.expect(1, [state] { return gridstride::exactly<std::uint32_t>(state->counts); });
  };
  gridstride::Timed timed;
  timed.call =
      Suite::call(gridstride::input(state->in), gridstride::exactly<std::uint32_t>(state->counts),
                  n, gridstride::scratch(scratch_bytes()));
  timed.bytes_moved = static_cast<double>(n) * sizeof(typename Job::Value);
  timed.redraw = redraw;
  return timed;
}

/// The cases that all three jobs have; `usual` are the data that sizes and addresses are tried on.
template <class Job, class Suite>
void define(Suite& suite, const std::string& what, Make<Job> usual) {
  using Value = typename Job::Value;
  suite.parameters({std::is_same_v<Job, Letters> ? "text" : "in", "bins", "n", "scratch"});
  const auto add = [&suite](const std::string& name, Make<Job> make, Count n,
                            std::uint64_t offset = 0) {
    return suite.add(name + " n=" + std::to_string(n), n, [make, n, offset](Rng& rng) {
      Values<Job> in = make(rng, n);
      auto bins = counted<Job>(in);
      return Suite::call(gridstride::input(std::move(in)).at_offset(offset), std::move(bins), n,
                         gridstride::scratch(scratch_bytes()));
    });
  };
  for (const Count n : gridstride::edge_sizes()) {
    if (n <= largest_of_many) add(what, usual, n);
  }
  for (const Count n : {1, 5, 33, 4097}) {
    for (const std::uint64_t offset : {1, 2, 3, 7, 15})
      add(what + ", input off by " + std::to_string(offset) + ",", usual, n, offset);
  }
  for (const Count n : {1, 1025, 40'009}) {
    add("skewed", skewed<Value>, n);
    add("all equal", all_equal<Value>, n);
    add("one of many", one_of_many<Value>, n);
    add("same bank", same_bank<Value>, n);
    add("each in turn", ramp<Value>, n);
    add("sorted", sorted<Value>, n);
    add("reversed", reversed<Value>, n);
    add("runs", runs<Value>, n);
  }
  add(what, usual, large).once();
  add("all equal", all_equal<Value>, large).once();
  constexpr Count most = gridstride::most_unsigned;
  suite
      .add("the most elements n=" + std::to_string(most), most,
           [](Rng&) {
             return Suite::call(gridstride::absent<Value>(most),
                                gridstride::absent<std::uint32_t>(Job::bins), most,
                                gridstride::scratch(scratch_bytes()));
           })
      .too_large();
  suite.guess(guess_counts<Job>);
  suite.timing([usual](Rng& rng, Count n) {
    return timed<Job, Suite>(rng, n / static_cast<Count>(sizeof(Value)), usual);
  });
}

template <class Suite>
void define_letters(Suite& suite) {
  suite.add("programming massively parallel processors", 41, [](Rng&) {
    constexpr std::string_view words = "programming massively parallel processors";
    return Suite::call(gridstride::input(std::vector<std::uint8_t>(words.begin(), words.end())),
                       gridstride::exactly<std::uint32_t>({5, 5, 6, 10, 10, 1, 1}),
                       static_cast<Count>(words.size()), gridstride::scratch(scratch_bytes()));
  });
  for (const Count n : {1, 40, 1025}) {
    suite.add("beside the letters n=" + std::to_string(n), n, [n](Rng& rng) {
      std::vector<std::uint8_t> in = neighbours_of_letters(rng, n);
      auto bins = counted<Letters>(in);
      return Suite::call(gridstride::input(std::move(in)), std::move(bins), n,
                         gridstride::scratch(scratch_bytes()));
    });
  }
  define<Letters>(suite, "text", text);
}

template <class Suite>
void define_bytes(Suite& suite) {
  for (const Count n : {200, 40'000}) {
    suite.add("pixels of an image n=" + std::to_string(n), n, [n](Rng& rng) {
      std::vector<std::uint8_t> in = pixels(rng, n);
      auto bins = counted<Bytes>(in);
      return Suite::call(gridstride::input(std::move(in)), std::move(bins), n,
                         gridstride::scratch(scratch_bytes()));
    });
  }
  define<Bytes>(suite, "uniform", uniform<std::uint8_t>);
}

}  // namespace
}  // namespace histogram

int main(int argc, char** argv) {
  gridstride::Lab lab("histogram", argc, argv);
  lab.contract<decltype(count_letters)>("count_letters",
                                        [](auto& suite) { histogram::define_letters(suite); });
  lab.contract<decltype(count_bytes)>("count_bytes",
                                      [](auto& suite) { histogram::define_bytes(suite); });
  lab.contract<decltype(count_words)>("count_words", [](auto& suite) {
    histogram::define<histogram::Words>(suite, "uniform", histogram::uniform<std::uint16_t>);
  });
  return lab.run();
}
