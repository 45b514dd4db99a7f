// What the course uses of CLI11.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

int run(int count, char** words) {
  CLI::App app("lab");
  std::string device;
  std::optional<int> jobs;
  std::vector<std::string> names;
  CLI::App* const grade = app.add_subcommand("grade", "Grade");
  grade->add_option("--device", device)->check(CLI::IsMember({"gpu", "sim"}));
  grade->add_option("--jobs", jobs)->check(CLI::PositiveNumber);
  grade->add_option("NAME", names)->check(CLI::Validator([](std::string&) { return ""; }, "NAME"));
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  return 0;
}
