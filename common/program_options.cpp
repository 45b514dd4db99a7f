// See the header.
#include "common/program_options.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/text.h"

namespace gridstride {
namespace {

std::vector<std::string> split_names(const std::string& names) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    all.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

}  // namespace

ProgramOptions::ProgramOptions(std::string program, std::string about)
    : program_(std::move(program)), about_(std::move(about)) {}

void ProgramOptions::option(const std::string& names, std::string value, std::string help,
                            Take take) {
  options_.push_back({split_names(names), std::move(value), std::move(help), std::move(take)});
}

void ProgramOptions::flag(const std::string& names, std::string help, std::function<void()> take) {
  options_.push_back({split_names(names), "", std::move(help),
                      [take = std::move(take)](const std::string&) { take(); }});
}

void ProgramOptions::words(std::string value, std::string help, Take take) {
  words_ = {{}, std::move(value), std::move(help), std::move(take)};
}

void ProgramOptions::require(const std::string& name) { find(name).required = true; }

void ProgramOptions::text(const std::string& names, std::string& to, std::string help) {
  option(names, "TEXT", std::move(help), [&to](const std::string& value) { to = value; });
}

void ProgramOptions::path(const std::string& names, std::filesystem::path& to, std::string help) {
  option(names, "FILE", std::move(help), [&to](const std::string& value) { to = value; });
}

void ProgramOptions::folder(const std::string& names, std::filesystem::path& to, std::string help) {
  option(names, "FOLDER", std::move(help), [&to](const std::string& value) {
    if (!std::filesystem::is_directory(value))
      throw OptionError("there is no folder '" + value + "'");
    to = value;
  });
}

void ProgramOptions::texts(const std::string& names, std::vector<std::string>& to,
                           std::string help) {
  option(names, "TEXT", std::move(help), [&to](const std::string& value) { to.push_back(value); });
}

ProgramOptions::Option& ProgramOptions::find(const std::string& name) {
  for (Option& option : options_) {
    if (std::ranges::count(option.names, name) != 0) return option;
  }
  throw OptionError("there is no option " + name);
}

void ProgramOptions::take(Option& option, const std::string& name, const std::string& value) {
  try {
    option.take(value);
  } catch (const OptionError& error) {
    throw OptionError(name + ": " + error.what());
  }
  option.given = true;
}

void ProgramOptions::take_next(Option& option, const std::string& name,
                               const std::vector<std::string>& arguments, std::size_t& at) {
  if (option.value.empty()) return take(option, name, "");
  if (at + 1 == arguments.size()) throw OptionError(name + " wants " + option.value);
  take(option, name, arguments[++at]);
}

/// --name, --name value, --name=value
void ProgramOptions::take_long(const std::vector<std::string>& arguments, std::size_t& at) {
  const std::string& argument = arguments[at];
  const std::size_t equals = argument.find('=');
  const std::string name = argument.substr(0, equals);
  Option& option = find(name);
  if (equals == std::string::npos) return take_next(option, name, arguments, at);
  if (option.value.empty()) throw OptionError(name + " takes no value");
  take(option, name, argument.substr(equals + 1));
}

/// -v, -vv, -j 4, -j4
void ProgramOptions::take_short(const std::vector<std::string>& arguments, std::size_t& at) {
  const std::string argument = arguments[at];
  for (std::size_t letter = 1; letter < argument.size(); ++letter) {
    const std::string name = {'-', argument[letter]};
    Option& option = find(name);
    const std::string attached = argument.substr(letter + 1);
    if (!option.value.empty() && !attached.empty()) return take(option, name, attached);
    take_next(option, name, arguments, at);
  }
}

bool ProgramOptions::parse(const std::vector<std::string>& arguments) {
  bool only_words = false;
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    const std::string& argument = arguments[at];
    if (only_words || argument.size() < 2 || argument[0] != '-') {
      if (words_.take == nullptr) throw OptionError("what '" + argument + "' is for is not clear");
      take(words_, words_.value, argument);
    } else if (argument == "--") {
      only_words = true;
    } else if (argument == "-h" || argument == "--help") {
      std::fputs(help().c_str(), stdout);
      return false;
    } else if (argument.starts_with("--")) {
      take_long(arguments, at);
    } else {
      take_short(arguments, at);
    }
  }
  for (const Option& option : options_) {
    if (option.required && !option.given) throw OptionError(option.names.back() + " is missing");
  }
  return true;
}

std::string ProgramOptions::help() const {
  constexpr std::size_t column = 28, width = 100;
  std::string text = about_ + "\n\nUsage: " + program_ + " [OPTIONS]";
  text += words_.take == nullptr ? "\n\n" : " [" + words_.value + "]…\n\n";
  const auto line = [&](std::string names, const std::string& help) {
    names = "  " + names;
    if (names.size() + 2 > column) {
      text += names + "\n";
      names.clear();
    }
    names.resize(column, ' ');
    for (const std::string& part : wrap(help, width - column)) {
      text += names + part + "\n";
      names.assign(column, ' ');
    }
  };
  if (words_.take != nullptr) line(words_.value, words_.help);
  line("-h,--help", "Print this and end");
  for (const Option& option : options_) {
    std::string names;
    for (const std::string& name : option.names) names += (names.empty() ? "" : ",") + name;
    if (!option.value.empty()) names += " " + option.value;
    line(names, option.help);
  }
  if (!footer_.empty()) text += "\n" + footer_ + "\n";
  return text;
}

}  // namespace gridstride
