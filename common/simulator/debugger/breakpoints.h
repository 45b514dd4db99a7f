// Places at which threads are to stop.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/simulator/debugger/source_steps.h"

namespace gridstride::sim {

struct Breakpoint {
  int number = 0;
  std::string file{};        ///< as it was named; of one in a function its name
  std::uint32_t wanted = 0;  ///< the line that was named; 0: a function
  std::uint32_t line = 0;    ///< where it is
  bool verified = false;     ///< some recorded thread comes there
  std::string says{};        ///< why it is not there, or not where it was wanted; else empty
  std::string condition{};   ///< an expression; empty: always
  std::vector<std::uint32_t> lines{};  ///< numbers in SourceSteps::lines()
};

/// Whether `path` is the file that a user calls `name`: its last parts are the same.
bool is_called(const std::string& path, const std::string& name);

class Breakpoints {
 public:
  Breakpoints(const Playback& playback, const SourceSteps& steps);

  /// A line that is run, or of which the source tells that nothing stands there: then the next that is run.
  const Breakpoint& add(const std::string& file, std::uint32_t line, std::string condition);
  /// Where a function's first line is run.
  const Breakpoint& add_function(const std::string& name, std::string condition);
  bool remove(int number);
  void clear() { all_.clear(); }
  void remove_file(const std::string& file);  ///< those that were set by this name
  void remove_functions();

  const std::map<int, Breakpoint>& all() const { return all_; }
  /// Those of a line, by its number in SourceSteps::lines().
  std::vector<const Breakpoint*> at(std::uint32_t line) const;
  /// The first of the names that lines of code have.
  std::vector<std::string> files() const;

 private:
  const Breakpoint& keep(Breakpoint breakpoint);
  bool is_empty_line(const std::string& file, std::uint32_t line) const;

  const Playback& playback_;
  const SourceSteps& steps_;
  std::map<int, Breakpoint> all_;
  int last_ = 0;
};

}  // namespace gridstride::sim
