// The commands of gridstride-tools: what each is told and what it does. Parsing is command_line.cpp's,
// errors are main's (grader/cli/main.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grader/cli/command.h"

namespace gridstride::cli {

struct ExplainOptions {
  std::vector<std::string> names;  ///< LAB or LAB/STAGE, at least one; or one program's .cu file
  std::string profile;             ///< of the simulated GPU; empty: the default
  std::string device = "sim";      ///< or "ssh:HOST"
  std::string html, json;          ///< files to write; empty: none
  bool solutions = false, no_build = false;
};
struct SimOptions {
  std::string report;          ///< file to write, JSON or (NAME.html) a page; empty: none
  bool explain = false;        ///< in full, in place of the summary
  std::string profile;         ///< of the simulated GPU; empty: the default
  std::string check;           ///< mistakes to look for, as the simulator names them; empty: all
  std::uint64_t schedule = 0;  ///< order of blocks and warps; 0: in order
  std::optional<double> time_limit;  ///< seconds of modelled time for a launch; 0: none
  std::uint64_t memory = 0;          ///< bytes of the device's; 0: what the host can give
  std::string trace;   ///< file that says what to record (sim::TraceRequest); empty: nothing
  bool debug = false;  ///< compile the .cu file for a debugger
  bool no_build = false;
  std::vector<std::string> command;  ///< program, or its .cu file, and arguments
};
struct CalibrateOptions {
  std::vector<std::string> names;  ///< LAB; none: all labs
  std::string out;                 ///< file to write; empty: thresholds/<device>.toml
  int rounds = 3;
  bool no_build = false;
};
struct TraceOptions {
  std::vector<std::string> names;  ///< LAB/STAGE, or LAB and STAGE; or a program and its arguments
  std::string one_case;            ///< by name; empty: one is chosen
  std::optional<std::int64_t> size;     ///< of the input, in elements
  std::string kernel;                   ///< by its name or a part of it; empty: one is chosen
  std::optional<std::int64_t> launch;   ///< its number among all, from 1
  std::vector<std::string> blocks;      ///< "X", "X,Y" or "X,Y,Z"; none: one is chosen
  std::optional<std::uint32_t> thread;  ///< only what this one does
  std::string element;                  ///< "out[37]": who wrote it; empty: show steps
  std::string json, html;               ///< files to write; empty: none
  std::string figure;                   ///< file that says what to draw; empty: none
  std::string against;                  ///< LAB/STAGE to be played beside it; empty: none
  bool text = false;                    ///< show steps beside writing a file
  bool hide_source = false;             ///< what is shown and written has no text of the source
  bool solutions = false, no_build = false;
};
struct DebugOptions {
  TraceOptions
      recorded;  ///< what to record: names, case, size, kernel, launch, blocks, solutions, no_build
  std::string from;  ///< folder of what a student handed in; empty: labs/
  bool dap = false;  ///< speak the Debug Adapter Protocol; else a command line
};
struct HandoutOptions {
  std::string archive;            ///< file to write, NAME.tar.zst
  std::vector<std::string> labs;  ///< none: all
  bool no_build = false;
};
struct UpdateOptions {
  std::string archive;  ///< of the newer handout
};
struct BenchOptions {
  std::vector<std::string> names;  ///< LAB, or stages of one lab; none: all labs
  std::string html;                ///< file to write; empty: none
  bool raw = false;                ///< what Google Benchmark prints, in place of a table
  bool no_build = false;
  std::vector<std::string> arguments;  ///< for Google Benchmark
};

// Each returns the exit code (grader/report/results.h) and throws what main() turns into a message.
int explain(const Places& places, const ExplainOptions& options);
int trace(const Places& places, const TraceOptions& options);
int debug(const Places& places, const DebugOptions& options);
int sim(const Places& places, const SimOptions& options);
int bench(const Places& places, const BenchOptions& options);
int calibrate(const Places& places, const CalibrateOptions& options);
int handout(const Places& places, const HandoutOptions& options);
int update(const Places& places, const UpdateOptions& options);

}  // namespace gridstride::cli
