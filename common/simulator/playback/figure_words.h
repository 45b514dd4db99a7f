// The texts of a figure: what stands in braces is filled in from the recording, so that nobody types a number that
// the code decides.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "common/simulator/trace/trace.h"

namespace gridstride::sim {

/// A text or a step of a figure's description that does not fit the recording.
class FigureError : public TraceError {
 public:
  FigureError(const std::string& message, std::string its_key, int its_step = -1)
      : TraceError(message), key(std::move(its_key)), step(its_step) {}
  std::string key;  ///< "array", "line", "says", "title" …
  int step = -1;    ///< number of the [[step]], from 0; -1: the figure's own key
};

/// By name: {"passes", "8"}.
using FigureValues = std::map<std::string, std::string>;

/// `text` with the value for each {name}, or {name|one|many} with the word that fits behind it; "{{" is a brace. Throws std::invalid_argument with the names that there are
/// where one has no value.
std::string filled(const std::string& text, const FigureValues& values);

}  // namespace gridstride::sim
