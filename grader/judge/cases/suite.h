// The cases that one contract's stages are graded by, as a lab's author writes them.
//
//     lab.contract<decltype(reduce_sum)>("reduce_sum", [](auto& suite) {
//       for (std::int64_t n : gridstride::edge_sizes())
//         suite.add("n=" + std::to_string(n), n, [&suite, n](gridstride::Rng& rng) {
//           auto in = rng.uniform<float>(n, -1, 1);
//           auto [sum, bound] = sum_in_double(in);
//           return suite.call(input(in), within<float>({sum}, bound), n, scratch(bytes(n)));
//         }).same_bits();
//       suite.timing([&suite](gridstride::Rng& rng, std::int64_t n) { … });
//     });
//
// A case's arguments are made when it runs and forgotten afterwards, so a suite may name cases of
// any size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "grader/judge/cases/call.h"
#include "grader/judge/cases/output.h"
#include "grader/judge/cases/random.h"

namespace gridstride {

/// 0, 1, 31, 32, 33, 1023, 1024, 1025, primes and a large ragged size: where kernels break.
std::vector<std::int64_t> edge_sizes();

/// A number of elements that needs 64 bits, for CaseOptions::too_large(): cut to 32 bits, it is a number
/// that nothing else is. With its bit 31 set, no rest of it is the same that is left over by pieces of
/// 2^31 elements and less, which a kernel may well be launched on one by one.
constexpr std::int64_t beyond_32_bits = (std::int64_t{1} << 33) + 0x92345679;
/// The largest number that a std::uint32_t holds and an int does not.
constexpr std::int64_t most_unsigned = 0xffffffff;

/// How often a case is called, and what the second call must give. On the simulated device the
/// second call runs on another device whose blocks and warps are scheduled in random order.
enum class Repeat {
  never,
  right_again,  ///< each answer is checked on its own
  same_bits,    ///< and the second equals the first bit for bit
};

struct CaseSpec {
  std::string name;       ///< unique in its suite
  std::int64_t size = 0;  ///< in elements; explanations name it and look for patterns in it
  std::function<Call(Rng&)> make;
  Repeat repeat = Repeat::right_again;
  bool gpu_only = false;  ///< would take the simulated device too long
  /// Would take any device too long: its launches are looked at, on the simulated one.
  bool too_large = false;
};

/// A wrong output, for those who guess what went wrong.
struct WrongAnswer {
  const std::string& case_name;
  std::int64_t size;
  const Call& call;
  std::size_t argument;  ///< the output's place among the parameters
  std::span<const std::byte> got;
  const Mismatches& wrong;

  const OutputCheck& check() const { return *call.arguments[argument].check; }
  std::uint64_t first() const { return wrong.first.front(); }
  std::optional<double> expected(std::uint64_t index) const {
    return check().expected_number(index);
  }
  std::optional<double> value(std::uint64_t index) const { return check().got_number(got, index); }
  /// The values of an input or a scalar parameter.
  template <class T>
  std::span<const T> input(std::size_t parameter) const {
    const CallArgument& given = call.arguments.at(parameter);
    if (given.info.element_bytes != sizeof(T))
      throw std::logic_error("a guess reads a parameter as another type than it has");
    const auto bytes = given.data();
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T>
  std::span<const T> output() const {
    return {reinterpret_cast<const T*>(got.data()), got.size() / sizeof(T)};
  }
};

struct SuiteData;

/// Gives the arguments of a call their names, and those with rows the rows' length.
void name_arguments(Call& call, const SuiteData& suite);

/// Says what the mistake probably is, in one sentence or two, or nothing.
using Guess = std::function<std::optional<std::string>(const WrongAnswer&)>;

/// Makes what an output is held to. Called only for answers that are looked at, and before anything
/// is redrawn again, so that it may refer to what the author redraws.
using MakeCheck = std::function<std::shared_ptr<const OutputCheck>()>;

/// Changes a part of a timed call's inputs, so that no earlier answer is right again.
class Redraw {
 public:
  struct Patch {
    std::size_t parameter = 0;
    std::uint64_t index = 0;  ///< first element
    std::uint32_t element_bytes = 0;
    std::vector<std::byte> bytes;
  };

  /// Elements `index` … of an input become `values`. Those of the vector that the input was made
  /// from are the author's to change as well, when it is shared; the vector must keep its length.
  template <class T>
  void write(std::size_t parameter, std::uint64_t index, const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    patches.push_back({parameter, index, sizeof(T), {bytes.begin(), bytes.end()}});
  }
  /// What an output must be now: `make` returns an Output.
  template <class Make>
  void expect(std::size_t parameter, Make make) {
    checks[parameter] = [make = std::move(make)] { return make().check; };
  }

  std::vector<Patch> patches;
  std::map<std::size_t, MakeCheck> checks;
};

/// The call whose time is graded.
struct Timed {
  Call call;
  /// Bytes of device memory that any right kernel must move: no time can be shorter than the
  /// memory moves them. 0 when nothing can be said.
  double bytes_moved = 0;
  /// Called before each timed launch. Must change what every output depends on.
  std::function<void(Rng&, Redraw&)> redraw;
  /// What the baseline's outputs are held to, by parameter, where the contract lets it alone do
  /// less (any order, say).
  std::map<std::size_t, MakeCheck> baseline_checks = {};
};

/// What a suite holds, without the function's type.
struct SuiteData {
  std::string function;
  std::map<std::string, double> tolerance;  ///< of lab.toml
  std::vector<std::string> names;           ///< of the parameters
  /// Of an array that has rows, the parameter that says how long they are.
  std::map<std::string, std::string> columns;
  std::vector<CaseSpec> cases;
  std::vector<Guess> guesses;
  std::function<Timed(Rng&, std::int64_t size)> timing;
  std::shared_ptr<const void> suite;  ///< cases may refer to the Suite that they were added by
};

/// Chained to Suite::add.
class CaseOptions {
 public:
  CaseOptions(SuiteData& data, std::size_t index) : data_(data), index_(index) {}
  /// The contract promises equal bits for equal calls.
  CaseOptions& same_bits() { return repeat(Repeat::same_bits); }
  /// Called once only (cases whose inputs are large).
  CaseOptions& once() { return repeat(Repeat::never); }
  /// Left out on the simulated device, which would take minutes (cases at sizes of real use).
  CaseOptions& gpu_only() {
    data_.cases[index_].gpu_only = true;
    return *this;
  }
  /// Not run: what the contract allows and no device here can work through. Its arguments are absent(),
  /// and on the simulated device each launch is held to computing its indices wide enough
  /// (docs/checks.md). Left out on a GPU.
  CaseOptions& too_large() {
    data_.cases[index_].too_large = true;
    return once();
  }

 private:
  CaseOptions& repeat(Repeat repeat) {
    data_.cases[index_].repeat = repeat;
    return *this;
  }
  SuiteData& data_;
  std::size_t index_;
};

template <class Function>
class Suite {
 public:
  explicit Suite(SuiteData& data) : data_(data) {}

  /// A correctness case. Names are for people and for --gtest_filter.
  CaseOptions add(std::string name, std::int64_t size, std::function<Call(Rng&)> make) {
    data_.cases.push_back({std::move(name), size, std::move(make), Repeat::right_again});
    return {data_, data_.cases.size() - 1};
  }

  /// The arguments of a call, without the stream. Needs no suite; stands here for its type.
  template <class... Given>
  static Call call(Given... given) {
    return make_call<Function>(std::move(given)...);
  }

  /// The call whose time is graded, at the size that lab.toml names for the device.
  void timing(std::function<Timed(Rng&, std::int64_t size)> make) {
    data_.timing = std::move(make);
  }

  /// The parameters' names in the contract's order, for messages; the stream's may be left out.
  void parameters(std::vector<std::string> names) { data_.names = std::move(names); }

  /// The array stands in memory row by row, and the number `columns` among the parameters says how
  /// many elements a row has: messages then say row and column. Either is one of parameters().
  void rows(const std::string& array, const std::string& columns) {
    data_.columns[array] = columns;
  }

  /// A guess of the lab's own; asked before the general ones.
  void guess(Guess guess) { data_.guesses.push_back(std::move(guess)); }

  /// A number of lab.toml's [tolerance]; throws std::out_of_range naming it when it is not there.
  double tolerance(const std::string& name) const {
    const auto found = data_.tolerance.find(name);
    if (found == data_.tolerance.end())
      throw std::out_of_range("lab.toml has no tolerance named " + name);
    return found->second;
  }

 private:
  SuiteData& data_;
};

}  // namespace gridstride
