// Text for people: made safe to print, measured, wrapped, cut; and the name they probably meant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride {

/// `text` as it may be shown and stored: valid UTF-8 without control characters (line feeds and
/// tabs stay; a carriage return before a line feed goes) and without characters that reorder what
/// stands around them. Whatever else is replaced by U+FFFD, one for each byte or character. Escape
/// sequences of terminals are removed whole.
std::string clean_text(std::string_view text);

/// `text` on one line, with all that clean_text() would remove or replace, and line feeds and
/// backslashes, as \n or \x1b: names of files, where two that differ must look different.
std::string escaped(std::string_view text);

/// Words that somebody else wrote, in quotation marks, escaped and cut to `width` columns.
std::string in_quotes(std::string_view text, std::size_t width = 200);

/// Lines that somebody else wrote, cleaned, each behind "  | ": none of them can be taken for ours.
std::string quoted_lines(std::string_view text);

/// Columns that `text` takes on a terminal: one for each code point. `text` is valid UTF-8.
std::size_t display_width(std::string_view text);

/// `text` cut to `width` columns, its end then replaced by "…".
std::string shorten(std::string_view text, std::size_t width);

/// `text` cut to `bytes`, "…" in place of its middle: of a path, the file's name stays.
std::string shorten_middle(std::string_view text, std::size_t bytes);

/// Breaks `text` at spaces into lines of at most `width` columns; line feeds stay. A word that is
/// too long stands alone. Lines that start with white space (source code, tables) are never broken.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// The candidate nearest to `name` by edit distance, or empty when none is near enough to be what
/// was meant.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& names);

/// `number` with at most `digits` places after the point, without trailing zeros: "4", "4.5".
std::string plain_number(double number, int digits = 2);

}  // namespace gridstride
