// Windows of arrays as small tables.
#include "grader/judge/correctness/case_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/text.h"

namespace gridstride {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint64_t lines_shown = 9, columns_shown = 7;
constexpr std::size_t cell_width = 16, grid_cell_width = 10;

/// Of `count` places, `shown` around `focus`, or all.
struct Window {
  std::uint64_t begin = 0, end = 0;
};
Window around(std::uint64_t focus, std::uint64_t count, std::uint64_t shown) {
  const std::uint64_t most = count > shown ? count - shown : 0;
  const std::uint64_t begin = std::min(focus > shown / 2 ? focus - shown / 2 : 0, most);
  return {begin, std::min(begin + shown, count)};
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, display_width(text)), ' ') + text;
}

std::string cell(const CallArgument& argument, Bytes bytes, std::uint64_t index,
                 std::size_t width) {
  return shorten(clean_text(argument.text(bytes, index)), width);
}

/// An output of the call, and the elements of it that are wrong.
struct Seen {
  std::size_t argument = 0;
  Mismatches wrong;
  std::uint64_t focus() const { return wrong.first.empty() ? 0 : wrong.first.front(); }
};

using TextAt = std::function<std::string(std::uint64_t index)>;
struct Column {
  std::string title;
  TextAt text;
};

/// One line for each element: its index and what the columns say of it; '>' where it is wrong.
std::string table(Window window, const std::vector<Column>& columns, const Seen& seen) {
  std::string text = fmt::format("    {:>12}", "index");
  for (const Column& column : columns)
    text += "  " + right(shorten(column.title, cell_width), cell_width);
  text += "\n";
  for (std::uint64_t i = window.begin; i < window.end; ++i) {
    const bool wrong = std::ranges::binary_search(seen.wrong.first, i);
    text += fmt::format("  {} {:>12}", wrong ? ">" : " ", i);
    for (const Column& column : columns) text += "  " + right(column.text(i), cell_width);
    text += "\n";
  }
  return text;
}

/// Rows and columns around `focus` of an array that has both.
std::string grid(const CallArgument& argument, std::uint64_t focus, const TextAt& text_at,
                 const Mismatches& wrong) {
  const std::uint64_t columns = argument.columns;
  const std::uint64_t rows = (argument.count + columns - 1) / columns;
  const Window down = around(focus / columns, rows, lines_shown);
  const Window across = around(focus % columns, columns, columns_shown);
  std::string text = fmt::format("    {:>12}", "row  column");
  for (std::uint64_t x = across.begin; x < across.end; ++x)
    text += right(std::to_string(x), grid_cell_width + 1);
  text += "\n";
  for (std::uint64_t y = down.begin; y < down.end; ++y) {
    text += fmt::format("    {:<12}", y);
    for (std::uint64_t x = across.begin; x < across.end; ++x) {
      const std::uint64_t index = y * columns + x;
      if (index >= argument.count) break;
      const bool is_wrong = std::ranges::binary_search(wrong.first, index);
      const std::string value = shorten(text_at(index), grid_cell_width - 1);
      text += right((is_wrong ? ">" : "") + value, grid_cell_width + 1);
    }
    text += "\n";
  }
  return text;
}

std::string size_of(const CallArgument& argument) {
  if (argument.columns == 0)
    return fmt::format("{} element{}", argument.count, argument.count == 1 ? "" : "s");
  return fmt::format("{} rows of {}", argument.count / argument.columns, argument.columns);
}

/// Inputs, outputs that had contents before the call, and numbers.
std::string given(const Call& call, std::uint64_t focus) {
  std::string numbers, arrays;
  for (const CallArgument& argument : call.arguments) {
    if (argument.text == nullptr || argument.absent) continue;
    const Bytes bytes = argument.data();
    const auto text_at = [&](std::uint64_t i) { return cell(argument, bytes, i, cell_width); };
    if (argument.info.kind == ArgumentKind::scalar) {
      numbers += (numbers.empty() ? "  " : ", ") + argument.name + " = " + text_at(0);
      continue;
    }
    if (bytes.empty() && argument.check) continue;
    arrays += fmt::format("\n  {}, {}{}\n", argument.name, size_of(argument),
                          argument.check ? ", before the call" : "");
    if (argument.count == 0) continue;
    const std::uint64_t near = std::min(focus, argument.count - 1);
    if (argument.columns != 0) {
      arrays += grid(argument, near, text_at, {});
      continue;
    }
    const std::vector<Column> columns = {{"value", text_at}};
    const Seen nothing;
    arrays += table(around(near, argument.count, lines_shown), columns, nothing);
  }
  return (numbers.empty() ? "" : numbers + "\n") + arrays;
}

std::string came_out(const CallArgument& argument, Bytes got, const Seen& seen) {
  const OutputCheck& check = *argument.check;
  std::string text = fmt::format("\n  {}, {}", argument.name, size_of(argument));
  if (seen.wrong.count == 0) return text + ", all right\n";
  text += fmt::format(", {} wrong, the first is {}\n", seen.wrong.count,
                      argument.element(seen.focus()));
  const auto expected = [&](std::uint64_t i) {
    return shorten(clean_text(check.expected_text(i)), cell_width);
  };
  const auto came = [&](std::uint64_t i) { return cell(argument, got, i, cell_width); };
  if (!check.knows_each())
    text += "    expected there: " + clean_text(check.expected_text(seen.focus())) + "\n";
  if (argument.columns == 0) {
    std::vector<Column> columns = {{"got", came}};
    if (check.knows_each()) columns.insert(columns.begin(), {"expected", expected});
    return text + table(around(seen.focus(), argument.count, lines_shown), columns, seen);
  }
  if (check.knows_each()) text += "    expected\n" + grid(argument, seen.focus(), expected, {});
  return text + "    got\n" + grid(argument, seen.focus(), came, seen.wrong);
}

}  // namespace

std::string case_view(const Call& call, const CallResult& result) {
  std::vector<Seen> outputs;
  std::uint64_t focus = 0;
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    if (!call.arguments[i].check || call.arguments[i].absent) continue;
    Seen& seen = outputs.emplace_back(Seen{i, call.arguments[i].check->compare(result.outputs[i])});
    if (focus == 0) focus = seen.focus();
  }
  std::string text = given(call, focus);
  for (const Seen& seen : outputs)
    text += came_out(call.arguments[seen.argument], result.outputs[seen.argument], seen);
  return text;
}

}  // namespace gridstride
