// The command line of programs that our own programs start, and people seldom: CLI11, which only program_options.cpp
// includes, because each source that does takes seconds to compile.
#pragma once

#include <charconv>
#include <concepts>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace gridstride {

/// What is wrong with a command line.
class OptionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// All of `text` as a number of at least `least`. Throws OptionError.
template <std::integral Number>
Number number_in(const std::string& text, Number least) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || value < least)
    throw OptionError("expected a number from " + std::to_string(least) + " on, found '" + text +
                      "'");
  return value;
}

/// Names are as in "-j,--jobs".
class ProgramOptions {
 public:
  /// Gets what was written behind the name; throws OptionError, without the name.
  using Take = std::function<void(const std::string& value)>;

  /// `about` is the help's first line.
  ProgramOptions(const std::string& program, const std::string& about);
  ~ProgramOptions();
  ProgramOptions(const ProgramOptions&) = delete;
  ProgramOptions& operator=(const ProgramOptions&) = delete;

  /// `value` names what comes behind, in the help. Of several the last counts.
  void option(const std::string& names, const std::string& value, const std::string& help,
              Take take);
  /// May be given several times.
  void options(const std::string& names, const std::string& value, const std::string& help,
               Take take);
  /// Words without a name, in "WORD", and with one, in "WORD,--word".
  void words(const std::string& names, std::vector<std::string>& to, const std::string& help);
  void flag(const std::string& names, const std::string& help, std::function<void()> take);
  void require(const std::string& name);
  /// Comes last in the help.
  void footer(const std::string& text);

  void text(const std::string& names, std::string& to, const std::string& help);
  void path(const std::string& names, std::filesystem::path& to, const std::string& help);
  void folder(const std::string& names, std::filesystem::path& to, const std::string& help);
  template <std::integral Number>
  void number(const std::string& names, Number& to, const std::string& help, Number least = 0) {
    option(names, "N", help,
           [&to, least](const std::string& value) { to = number_in(value, least); });
  }
  template <std::integral Number>
  void number(const std::string& names, std::optional<Number>& to, const std::string& help,
              Number least = 0) {
    option(names, "N", help,
           [&to, least](const std::string& value) { to = number_in(value, least); });
  }

  /// False when help was asked for, and has been printed. Throws OptionError.
  bool parse(const std::vector<std::string>& arguments);

 private:
  struct Parser;  ///< CLI11's
  std::unique_ptr<Parser> parser_;
};

}  // namespace gridstride
