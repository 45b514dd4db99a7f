// See the header.
#include "common/simulator/check/check_options.h"

#include <sstream>
#include <stdexcept>

namespace gridstride::sim {

CheckOptions checks_named(const std::string& list) {
  if (list == "all") return {};
  CheckOptions checks{
      .memory = false, .races = false, .uninitialized = false, .barriers = false, .leaks = false};
  if (list == "none") return checks;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    if (name == "memory") {
      checks.memory = true;
    } else if (name == "races") {
      checks.races = true;
    } else if (name == "init") {
      checks.uninitialized = true;
    } else if (name == "barriers") {
      checks.barriers = true;
    } else if (name == "leaks") {
      checks.leaks = true;
    } else {
      throw std::invalid_argument(
          "there is no check '" + name +
          "'; there are memory, races, init, barriers and leaks, all and none");
    }
  }
  return checks;
}

}  // namespace gridstride::sim
