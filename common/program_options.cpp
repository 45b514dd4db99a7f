// Values are taken as they are read, so that a wrong one is told with the name it was given to.
#include "common/program_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gridstride {
namespace {

ProgramOptions::Take saying_whose(const std::string& names, ProgramOptions::Take take) {
  return [take = std::move(take),
          name = names.substr(names.rfind(',') + 1)](const std::string& value) {
    try {
      take(value);
    } catch (const OptionError& error) {
      throw OptionError(name + ": " + error.what());
    }
  };
}

}  // namespace

struct ProgramOptions::Parser {
  CLI::App app;
};

ProgramOptions::ProgramOptions(const std::string& program, const std::string& about)
    : parser_(std::make_unique<Parser>()) {
  parser_->app.name(program);
  parser_->app.description(about);
}

ProgramOptions::~ProgramOptions() = default;

void ProgramOptions::option(const std::string& names, const std::string& value,
                            const std::string& help, Take take) {
  const std::function<void(const std::string&)> take_it = saying_whose(names, std::move(take));
  parser_->app.add_option_function(names, take_it, help)->type_name(value)->take_last();
}

void ProgramOptions::options(const std::string& names, const std::string& value,
                             const std::string& help, Take take) {
  const std::function<void(const std::vector<std::string>&)> take_each =
      [take_it = saying_whose(names, std::move(take))](const std::vector<std::string>& values) {
        std::ranges::for_each(values, take_it);
      };
  parser_->app.add_option_function(names, take_each, help)
      ->type_name(value)
      ->allow_extra_args(false);
}

void ProgramOptions::words(const std::string& names, std::vector<std::string>& to,
                           const std::string& help) {
  parser_->app.add_option(names, to, help)->type_name("");
}

void ProgramOptions::flag(const std::string& names, const std::string& help,
                          std::function<void()> take) {
  const std::function<void(std::int64_t)> take_each = [take = std::move(take)](std::int64_t count) {
    for (; count > 0; --count) take();
  };
  parser_->app.add_flag_function(names, take_each, help);
}

void ProgramOptions::require(const std::string& name) { parser_->app.get_option(name)->required(); }

void ProgramOptions::footer(const std::string& text) { parser_->app.footer(text); }

void ProgramOptions::text(const std::string& names, std::string& to, const std::string& help) {
  option(names, "TEXT", help, [&to](const std::string& value) { to = value; });
}

void ProgramOptions::path(const std::string& names, std::filesystem::path& to,
                          const std::string& help) {
  option(names, "FILE", help, [&to](const std::string& value) { to = value; });
}

void ProgramOptions::folder(const std::string& names, std::filesystem::path& to,
                            const std::string& help) {
  option(names, "FOLDER", help, [&to](const std::string& value) {
    if (!std::filesystem::is_directory(value))
      throw OptionError("there is no folder '" + value + "'");
    to = value;
  });
}

bool ProgramOptions::parse(const std::vector<std::string>& arguments) {
  try {
    parser_->app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    return true;
  } catch (const CLI::CallForHelp&) {
    std::fputs(parser_->app.help().c_str(), stdout);
    return false;
  } catch (const CLI::ParseError& error) {
    throw OptionError(error.what());
  }
}

}  // namespace gridstride
