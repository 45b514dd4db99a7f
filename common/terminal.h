// What the terminal can show: colour or not, how wide, and one line of progress that rewrites
// itself.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace gridstride {

/// How text is to be written to one stream.
struct TextStyle {
  bool color = false;       ///< escape sequences may be used
  std::size_t width = 100;  ///< columns

  /// `text` in the colour, or as it is where colours are off.
  std::string red(std::string_view text) const;
  std::string green(std::string_view text) const;
  std::string yellow(std::string_view text) const;
  std::string magenta(std::string_view text) const;
  std::string bold(std::string_view text) const;
  std::string dim(std::string_view text) const;
};

/// True when `stream` is a terminal that understands escape sequences (TERM is neither empty nor "dumb").
bool is_terminal(std::FILE* stream);

/// Colours only on a terminal and without NO_COLOR in the environment; the width is the terminal's,
/// 100 in a pipe or a file. With CLICOLOR_FORCE in the environment, and not "0", what reads the pipe
/// shows it on a terminal: colours are used there too, and COLUMNS is the width.
TextStyle style_of(std::FILE* stream);

/// What a command ends with that could not do what was asked: `message` on standard error, wrapped and
/// cleaned, behind what stands on standard output. Returns `exit_code`.
int complain(const std::string& message, int exit_code);

/// One line at the bottom of a terminal that says what is going on. In a pipe, and on a terminal
/// that cannot rewrite a line, it shows nothing: a log keeps the lines that stay.
class StatusLine {
 public:
  explicit StatusLine(std::FILE* stream);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(std::string_view text);
  void clear();

 private:
  std::FILE* stream_;
  bool live_ = false;  ///< the stream can rewrite its line
  bool shown_ = false;
};

}  // namespace gridstride
