// The command line of a lab's grader.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/sandbox/sandbox.h"

namespace gridstride {

struct Options {
  std::vector<std::string> stages;  ///< empty: all
  bool solutions = false;
  bool measure_only = false;     ///< require no speedup: what is required follows from what comes
  std::string device = "auto";   ///< "auto", "gpu" or "sim"
  std::string profile = "h200";  ///< of the simulated device, as sim::profile_named() takes it
  std::filesystem::path json, junit;
  std::string one_case;           ///< only look at this case of one stage; empty: grade
  std::filesystem::path explain;  ///< only record calls, to this file (record.h); empty: grade
  std::filesystem::path
      trace;                 ///< only record a launch, to this file (trace_stage.h); empty: grade
  std::string trace_kernel;  ///< of that launch
  std::optional<std::int64_t> trace_launch;  ///< its number, from 1
  std::vector<std::string> trace_blocks;     ///< "X", "X,Y" or "X,Y,Z"
  bool trace_registers = false;              ///< for a debugger: also what each instruction writes
  std::optional<std::uint64_t> trace_steps, trace_bytes;  ///< at most, as TraceRequest has them
  std::filesystem::path save_calls;  ///< only save the timed calls, to this folder (save_calls.h)
  std::optional<std::int64_t> size;  ///< elements of a saved call
  std::optional<int> redraw;         ///< save each stage's own call, after so many draws
  std::map<std::string, std::filesystem::path> library, source;  ///< by stage
  std::filesystem::path folder;     ///< of lab.toml and sources; empty: labs/<name>
  std::filesystem::path handed_in;  ///< of what a student handed in; empty: as `folder`
  std::filesystem::path libraries;  ///< of the stages; empty: the build's
  std::optional<std::uint64_t> seed;
  SandboxPolicy sandbox = SandboxPolicy::when_available;
  std::optional<int> jobs;  ///< on the simulated device; as many as there are cores otherwise
  int verbose = 0;          ///< TableOptions::verbose; from 2 on also what the libraries say
  bool no_table = false;
};

/// What a command line means.
struct ParsedOptions {
  Options options;
  std::optional<int>
      exit_code;  ///< nothing is left to do: help was asked for, or the line is wrong
};

/// Takes GoogleTest's and Google Benchmark's options as well and initialises both. Prints help and
/// errors.
ParsedOptions parse_options(const std::string& lab, int argc, char** argv);

}  // namespace gridstride
