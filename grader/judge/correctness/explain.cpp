// The explanation of one wrong output; patterns.cpp guesses at its cause.
#include "grader/judge/correctness/explain.h"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "common/text.h"
#include "grader/judge/correctness/patterns.h"

namespace gridstride {
namespace {

std::string bytes_text(std::uint64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "byte" : "bytes");
}

std::string element(const WrongAnswer& answer, std::uint64_t index) {
  return answer.call.arguments[answer.argument].element(index);
}

}  // namespace

std::string explain(const WrongAnswer& answer, bool untouched, const std::vector<Guess>& guesses) {
  const std::uint64_t first = answer.first(), count = answer.check().count();
  std::string text = answer.case_name + ": ";
  if (untouched)
    return text + "the call wrote nothing to " + answer.call.arguments[answer.argument].name +
           " (is the kernel launched, on the given stream, and does it write its result?)";
  text += fmt::format("{} is {}, expected {}", element(answer, first),
                      shorten(clean_text(answer.check().got_text(answer.got, first)), 80),
                      shorten(clean_text(answer.check().expected_text(first)), 80));
  if (const std::string by = answer.check().difference_text(answer.got, first); !by.empty())
    text += " (" + by + ")";
  text += fmt::format("; size {}", answer.size);
  if (count > 1) text += fmt::format(", {} of {} elements wrong", answer.wrong.count, count);
  text += ".";
  for (const Guess& guess : guesses) {
    if (const auto words = guess(answer)) return text + "\n" + *words;
  }
  if (const auto words = guess_by_pattern(answer)) text += "\n" + *words;
  return text;
}

std::string explain(const GuardDamage& damage, const Call& call) {
  const CallArgument& argument = call.arguments[damage.argument];
  std::string text = fmt::format(
      "the call wrote outside {}, which has {} elements: ", argument.name, argument.count);
  if (damage.before != 0) text += bytes_text(damage.before) + " before its first";
  if (damage.before != 0 && damage.after != 0) text += " and ";
  if (damage.after != 0) text += bytes_text(damage.after) + " past its last";
  return text + ". Guard every write with the size: the last block is rarely full.";
}

std::string explain(const ChangedInput& change, const Call& call) {
  return fmt::format(
      "the call changed its input: {} is not what it was. An input is const: work in scratch or "
      "shared memory.",
      call.arguments[change.argument].element(change.index));
}

std::string explain_difference(const WrongAnswer& second, std::span<const std::byte> first,
                               bool other_schedule) {
  std::uint64_t index = 0;
  const std::uint64_t width = second.call.arguments[second.argument].element_bytes();
  while (index + 1 < second.check().count() &&
         std::memcmp(first.data() + index * width, second.got.data() + index * width, width) == 0)
    ++index;
  const std::string text = fmt::format(
      "{}: two calls with the same input gave different results: {} was {}, then {}; size {}.\n",
      second.case_name, element(second, index), second.check().got_text(first, index),
      second.check().got_text(second.got, index), second.size);
  return text + (other_schedule ? "The second ran its blocks and warps in another order. " : "") +
         "The result must not depend on which block or warp comes first: atomics on floating-point "
         "numbers add in any order, and without a barrier threads read what others have not yet "
         "written.";
}

}  // namespace gridstride
