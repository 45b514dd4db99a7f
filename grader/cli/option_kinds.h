// Kinds of options that several commands take. CLI11 takes long to compile: only command lines include this.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>
#include <vector>

#include "common/simulator/link/host.h"

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

/// CLI11's words, and where to read more.
inline std::string what_is_wrong(const CLI::ParseError& error, const CLI::App& app) {
  const std::string command =
      app.get_subcommands().empty() ? "" : app.get_subcommands().front()->get_name() + " ";
  return std::string(error.what()) + ". `lab " + command + "--help` lists what there is.";
}

}  // namespace gridstride::cli
