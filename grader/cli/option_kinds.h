// Kinds of options that several commands take. CLI11 takes long to compile: only command lines include this.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>
#include <vector>

#include "common/simulator/link/host.h"
#include "common/text.h"

namespace gridstride::cli {

inline void add_profile(CLI::App& command, std::string& profile) {
  command.add_option("--profile", profile,
                     "The GPU that is simulated: h200 (the default), a100 or t4, or a file like "
                     "common/simulator/model/profiles/h200.toml");
}

/// Numbers from `least` on; `expected` says that in the message.
template <class Number>
CLI::Validator from(Number least, const std::string& expected) {
  return CLI::Validator(
      [least, expected](const std::string& text) {
        Number value{};
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, value);
        const bool good =
            error == std::errc() && rest == end && std::isfinite(value) && value >= least;
        return good ? std::string() : "expected " + expected + ", found '" + text + "'";
      },
      "");
}

inline  /// One of `names`, or ssh:HOST.
    CLI::Validator
    device_of(const std::vector<std::string>& names) {
  return CLI::Validator([names](std::string& text) { return sim::link::wrong_device(text, names); },
                        "");
}

/// CLI11's words, but for "--from: 1 required TEXT missing", and where to read more.
inline std::string what_is_wrong(const CLI::ParseError& error, const CLI::App& app) {
  std::string words = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && words.ends_with(" missing"))
    words = words.substr(0, words.find(':')) + ": its value is missing";
  const std::string command =
      app.get_subcommands().empty() ? "" : app.get_subcommands().front()->get_name() + " ";
  return words + ". `" + app.get_name() + " " + command + "--help` lists what there is.";
}

/// Of a command that is made of commands, where its first word `word` names none; empty: it names one, or an option.
inline std::string about_first_word(const CLI::App& app, const std::string& word) {
  if (!app.get_subcommands().empty() || word.starts_with('-')) return "";
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  const std::string all = " There is " + listed(names) + ".";
  const std::string name = app.get_name();
  if (word.empty()) return "`" + name + "` wants a word more." + all;
  const std::string meant = nearest_name(word, names);
  return "There is no `" + name + " " + word + "`." +
         (meant.empty() ? all : " Did you mean '" + meant + "'?");
}

}  // namespace gridstride::cli
