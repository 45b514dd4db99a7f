// Patterns in one output, and in the sizes that fail.
#include "grader/judge/correctness/patterns.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grader/judge/correctness/explain.h"

namespace gridstride {
namespace {

/// Block sizes, tiles and vector widths: what launch configurations are made of.
constexpr std::uint64_t largest_block = 1024;

std::optional<std::string> not_a_number(const WrongAnswer& answer) {
  const auto got = answer.value(answer.first());
  if (!got || !std::isnan(*got)) return std::nullopt;
  return "NaN spreads from memory that nobody wrote, from reads past the end of an input (what "
         "lies "
         "there reads as NaN) and from 0/0 or inf-inf. Check the index guards first.";
}

std::optional<std::string> wrapped_integer(const WrongAnswer& answer) {
  const auto got = answer.value(answer.first()), right = answer.expected(answer.first());
  if (!got || !right || !std::isfinite(*got) || !std::isfinite(*right)) return std::nullopt;
  const double difference = std::abs(*got - *right);
  if (difference == 0x1p32 || difference == 0x1p31 || difference == 0x1p16)
    return "It is off by a power of two that an integer's range has: an overflow.";
  return std::nullopt;
}

std::optional<std::string> multiple_of_right(const WrongAnswer& answer) {
  if (answer.check().count() != 1) return std::nullopt;
  const auto got = answer.value(0), right = answer.expected(0);
  if (!got || !right || *right == 0 || *got == 0) return std::nullopt;
  const double ratio = *got / *right;
  for (const double factor : {2.0, 4.0, 8.0, 16.0, 32.0}) {
    if (std::abs(ratio / factor - 1) < 1e-3)
      return "It is " + number_text(factor) +
             " times the right one: elements are counted more than once.";
    if (std::abs(ratio * factor - 1) < 1e-3)
      return "It is 1/" + number_text(factor) +
             " of the right one: a regular part of the elements is never counted.";
  }
  return std::nullopt;
}

/// All wrong elements hold what belongs one place further on, or back.
std::optional<std::string> shifted(const WrongAnswer& answer) {
  const OutputCheck& check = answer.check();
  if (check.count() < 4 || answer.wrong.count < 3) return std::nullopt;
  for (const int shift : {1, -1}) {
    std::uint64_t looked = 0;
    bool all = true;
    for (const std::uint64_t index : answer.wrong.first) {
      const std::uint64_t neighbour = index + static_cast<std::uint64_t>(shift);
      if (neighbour >= check.count()) continue;
      all = check.fits(answer.got, index, neighbour);
      if (!all || ++looked == 256) break;
    }
    if (all && looked >= 2)
      return std::string("Each wrong element holds what belongs one place ") +
             (shift > 0 ? "further on" : "back") +
             ": off by one (an inclusive result where an exclusive one is asked for, or the "
             "other way round?).";
  }
  return std::nullopt;
}

/// Everything from one element on is wrong.
std::optional<std::string> tail(const WrongAnswer& answer) {
  const std::uint64_t count = answer.check().count(), first = answer.first();
  if (count < 2 || first == 0 || answer.wrong.count != count - first) return std::nullopt;
  const std::uint64_t block = std::uint64_t{1} << std::countr_zero(first);
  if (first % 32 == 0 && count - first < largest_block)
    return fmt::format(
        "All before it is right and all from it on is wrong, {} elements: the last, partly filled "
        "block of {} or fewer is lost (ragged tail).",
        count - first, std::min(block, largest_block));
  if (first % 32 == 0)
    return "All before it is right and all from it on is wrong: what one block passes on to the "
           "next is lost.";
  return "All before it is right and all from it on is wrong: the loop or the guard ends too "
         "early.";
}

/// The wrong elements sit where tiles or warps meet.
std::optional<std::string> edges(const WrongAnswer& answer) {
  if (answer.check().count() < 64 || answer.wrong.first.size() < 2) return std::nullopt;
  for (std::uint64_t tile = largest_block; tile >= 16; tile /= 2) {
    const auto all_at = [&](std::uint64_t place) {
      return std::ranges::all_of(answer.wrong.first,
                                 [&](std::uint64_t index) { return index % tile == place; });
    };
    const bool at_begin = all_at(0);
    if (at_begin || all_at(tile - 1))
      return fmt::format(
          "All wrong elements are the {} of a run of {}: look at what happens where blocks, tiles "
          "or "
          "warps meet.",
          at_begin ? "first" : "last", tile);
  }
  return std::nullopt;
}

/// Of an array with rows: in which rows or columns all that is wrong stands.
std::optional<std::string> rows_and_columns(const WrongAnswer& answer) {
  const CallArgument& argument = answer.call.arguments[answer.argument];
  const std::uint64_t columns = argument.columns;
  if (columns < 2 || answer.wrong.first.size() != answer.wrong.count) return std::nullopt;
  const std::uint64_t rows = argument.count / columns;
  if (rows < 2 || answer.wrong.count < 2) return std::nullopt;
  std::uint64_t top = rows, bottom = 0, left = columns, right = 0;
  for (const std::uint64_t index : answer.wrong.first) {
    top = std::min(top, index / columns), bottom = std::max(bottom, index / columns);
    left = std::min(left, index % columns), right = std::max(right, index % columns);
  }
  const auto range = [](const char* one, const char* many, std::uint64_t from, std::uint64_t to) {
    return from == to ? fmt::format("{} {}", one, from)
                      : fmt::format("{} {} to {}", many, from, to);
  };
  const bool some_rows = top > 0 || bottom + 1 < rows;
  const bool some_columns = left > 0 || right + 1 < columns;
  if (!some_rows && !some_columns) return std::nullopt;
  std::string words = "All wrong elements are in ";
  if (some_rows) words += range("row", "rows", top, bottom);
  if (some_rows && some_columns) words += ", ";
  if (some_columns) words += range("column", "columns", left, right);
  words += fmt::format(" of {} rows of {}.", rows, columns);
  const bool last = (!some_rows || bottom + 1 == rows) && (!some_columns || right + 1 == columns);
  if (last && top + left > 0) words += " That is where the last tile is only partly filled.";
  return words;
}

/// Whole warps or blocks are wrong, others right.
std::optional<std::string> whole_runs(const WrongAnswer& answer) {
  const std::uint64_t count = answer.check().count();
  if (count < 128 || answer.wrong.count == count || answer.wrong.first.size() != answer.wrong.count)
    return std::nullopt;
  for (std::uint64_t run = largest_block; run >= 32; run /= 2) {
    std::uint64_t covered = 0;
    bool whole = true;
    for (std::size_t i = 0; whole && i < answer.wrong.first.size(); i += run) {
      whole = answer.wrong.first[i] % run == 0 && i + run <= answer.wrong.first.size() &&
              answer.wrong.first[i + run - 1] == answer.wrong.first[i] + run - 1;
      covered += run;
    }
    if (whole && covered == answer.wrong.count)
      return fmt::format(
          "Whole runs of {} elements are wrong and others right: some warps or blocks read what "
          "others had not yet written (a missing barrier), or never ran.",
          run);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> guess_by_pattern(const WrongAnswer& answer) {
  for (const auto pattern : {not_a_number, wrapped_integer, multiple_of_right}) {
    if (auto words = pattern(answer)) return words;
  }
  // Where there are rows, a run of elements is no run of threads.
  if (answer.call.arguments[answer.argument].columns != 0) return rows_and_columns(answer);
  for (const auto pattern : {shifted, tail, edges, whole_runs}) {
    if (auto words = pattern(answer)) return words;
  }
  return std::nullopt;
}

std::optional<std::string> explain_sizes(const std::vector<SizedCase>& cases) {
  std::int64_t largest_passed = -1, smallest_failed = -1, largest_failed = -1;
  int failed = 0, passed = 0;
  for (const SizedCase& one : cases) {
    if (one.passed) {
      largest_passed = std::max(largest_passed, one.size);
      passed += one.size > 1;
    } else {
      smallest_failed = failed == 0 ? one.size : std::min(smallest_failed, one.size);
      largest_failed = std::max(largest_failed, one.size);
      ++failed;
    }
  }
  if (failed < 2 || passed < 2) return std::nullopt;

  // The largest power of two whose multiples are exactly what passes.
  for (std::int64_t power = 4096; power >= 2; power /= 2) {
    int multiples = 0;
    const bool exact = std::ranges::all_of(cases, [&](const SizedCase& one) {
      const bool multiple = one.size % power == 0;
      multiples += multiple && one.size > 0;
      return one.passed == multiple || one.size <= 1;
    });
    if (exact && multiples > 0)
      return fmt::format(
          "Every size that is not a multiple of {} fails, every other passes: the last, partly "
          "filled block or vector is lost or counted wrongly (ragged tail).",
          power);
  }
  // Only from some size on.
  if (smallest_failed > largest_passed) {
    const std::string text = fmt::format("Every size up to {} passes, every size from {} on fails",
                                         largest_passed, smallest_failed);
    if (largest_passed <= 32 && smallest_failed > 32)
      return text + ": it works within one warp only.";
    if (largest_passed >= 32 && largest_passed <= 1024)  // what a block may have
      return text +
             ": it works within one block only; look at how blocks put their results "
             "together.";
    return text + ".";
  }
  // Only small ones.
  if (std::ranges::none_of(
          cases, [&](const SizedCase& one) { return !one.passed && one.size > largest_passed; }) &&
      std::ranges::all_of(cases, [&](const SizedCase& one) {
        return one.passed == (one.size > largest_failed) || one.size <= 1;
      }))
    return fmt::format(
        "Only sizes up to {} fail: with fewer elements than threads, some threads have nothing to "
        "do.",
        largest_failed);
  return std::nullopt;
}

}  // namespace gridstride
