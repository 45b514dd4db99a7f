// What `lab watch` shows: a head, a body that can be scrolled, and the keys.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/terminal.h"
#include "grader/cli/watch/terminal_mode.h"

namespace gridstride::cli {

struct Page {
  std::vector<std::string> head, body, keys;  ///< lines; may hold colours
  std::size_t first = 0;                      ///< row of the body that is shown first
};

/// Rows of the body that fit.
std::size_t body_rows(const Page& page, TerminalSize size);

/// Scrolls by `rows`, as far as there is something to see.
void scroll(Page& page, long rows, TerminalSize size);

/// The bytes that draw the page over what is there. Lines of the body that are too wide are folded,
/// all others cut by the terminal.
std::string drawn(const Page& page, TerminalSize size, const TextStyle& style);

/// `text` as lines.
std::vector<std::string> lines_of(const std::string& text);

/// `lines` as rows of at most `columns`, broken wherever they are full. Colours take no room.
std::vector<std::string> folded(const std::vector<std::string>& lines, std::size_t columns);

}  // namespace gridstride::cli
