// The command line of programs that our own programs start, and people seldom: --name value, --name=value, -n value,
// flags, and words without a name. What people type is read by CLI11, which is ten seconds of compiling for each
// program that includes it.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <filesystem>
#include <functional>
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

class ProgramOptions {
 public:
  /// Gets what was written behind the name; throws OptionError, without the name.
  using Take = std::function<void(const std::string& value)>;

  /// `about` is the help's first line.
  ProgramOptions(std::string program, std::string about);

  /// `names` are as in "-j,--jobs"; `value` names what comes behind, in the help.
  void option(const std::string& names, std::string value, std::string help, Take take);
  void flag(const std::string& names, std::string help, std::function<void()> take);
  /// What is no option and belongs to none.
  void words(std::string value, std::string help, Take take);
  void require(const std::string& name);
  /// Comes last in the help.
  void footer(std::string text) { footer_ = std::move(text); }

  void text(const std::string& names, std::string& to, std::string help);
  void path(const std::string& names, std::filesystem::path& to, std::string help);
  void folder(const std::string& names, std::filesystem::path& to, std::string help);
  void texts(const std::string& names, std::vector<std::string>& to, std::string help);
  template <std::integral Number>
  void number(const std::string& names, Number& to, std::string help, Number least = 0) {
    option(names, "N", std::move(help),
           [&to, least](const std::string& value) { to = number_in(value, least); });
  }
  template <std::integral Number>
  void number(const std::string& names, std::optional<Number>& to, std::string help,
              Number least = 0) {
    option(names, "N", std::move(help),
           [&to, least](const std::string& value) { to = number_in(value, least); });
  }

  /// False when help was asked for, and has been printed. Throws OptionError.
  bool parse(const std::vector<std::string>& arguments);
  std::string help() const;

 private:
  struct Option {
    std::vector<std::string> names;
    std::string value;  ///< what comes behind the name; empty: a flag
    std::string help;
    Take take;
    bool required = false, given = false;
  };
  Option& find(const std::string& name);  ///< throws OptionError
  void take(Option& option, const std::string& name, const std::string& value);
  void take_next(Option& option, const std::string& name, const std::vector<std::string>& arguments,
                 std::size_t& at);
  void take_long(const std::vector<std::string>& arguments, std::size_t& at);
  void take_short(const std::vector<std::string>& arguments, std::size_t& at);

  std::string program_, about_, footer_;
  Option words_;
  std::vector<Option> options_;
};

}  // namespace gridstride
