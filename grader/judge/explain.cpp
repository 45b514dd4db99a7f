// The explanation of one wrong output; patterns.cpp guesses at its cause.
#include "grader/judge/explain.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "common/text.h"
#include "grader/judge/patterns.h"

namespace gridstride {
namespace {

std::string bytes_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

std::string element(const WrongAnswer& answer, std::uint64_t index) {
  return answer.call.arguments[answer.argument].name + "[" + std::to_string(index) + "]";
}

}  // namespace

std::string explain(const WrongAnswer& answer, bool untouched, const std::vector<Guess>& guesses) {
  const std::uint64_t first = answer.first(), count = answer.check().count();
  std::string text = answer.case_name + ": ";
  if (untouched)
    return text + "the call wrote nothing to " + answer.call.arguments[answer.argument].name +
           " (is the kernel launched, on the given stream, and does it write its result?)";
  text += element(answer, first) + " is " +
          shorten(clean_text(answer.check().got_text(answer.got, first)), 80) + ", expected " +
          shorten(clean_text(answer.check().expected_text(first)), 80);
  if (const auto got = answer.value(first), right = answer.expected(first);
      got && right && std::isfinite(*got) && *got != *right)
    text += " (off by " + number_text(static_cast<float>(*got - *right)) + ")";
  text += "; size " + std::to_string(answer.size);
  if (count > 1)
    text += ", " + std::to_string(answer.wrong.count) + " of " + std::to_string(count) +
            " elements wrong";
  text += ".";
  for (const Guess& guess : guesses) {
    if (const auto words = guess(answer)) return text + "\n" + *words;
  }
  if (const auto words = guess_by_pattern(answer)) text += "\n" + *words;
  return text;
}

std::string explain(const GuardDamage& damage, const Call& call) {
  std::string text = "the call wrote outside " + call.arguments[damage.argument].name +
                     ", which has " + std::to_string(call.arguments[damage.argument].count) +
                     " elements: ";
  if (damage.before != 0) text += bytes_text(damage.before) + " before its first";
  if (damage.before != 0 && damage.after != 0) text += " and ";
  if (damage.after != 0) text += bytes_text(damage.after) + " past its last";
  return text + ". Guard every write with the size: the last block is rarely full.";
}

std::string explain(const ChangedInput& change, const Call& call) {
  return "the call changed its input: " + call.arguments[change.argument].name + "[" +
         std::to_string(change.index) +
         "] is not what it was. An input is const: work in scratch or shared memory.";
}

std::string explain_difference(const WrongAnswer& second, std::span<const std::byte> first,
                               bool other_schedule) {
  std::uint64_t index = 0;
  const std::uint64_t width = second.call.arguments[second.argument].element_bytes();
  while (index + 1 < second.check().count() &&
         std::memcmp(first.data() + index * width, second.got.data() + index * width, width) == 0)
    ++index;
  std::string text = second.case_name + ": two calls with the same input gave different results: " +
                     element(second, index) + " was " + second.check().got_text(first, index) +
                     ", then " + second.check().got_text(second.got, index) + "; size " +
                     std::to_string(second.size) + ".\n";
  return text + (other_schedule ? "The second ran its blocks and warps in another order. " : "") +
         "The result must not depend on which block or warp comes first: atomics on floating-point "
         "numbers add in any order, and without a barrier threads read what others have not yet "
         "written.";
}

}  // namespace gridstride
