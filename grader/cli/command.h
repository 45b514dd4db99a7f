// The commands: what each is told and what it does. Parsing is command_line.cpp's, errors are
// main's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace gridstride::cli {

/// Something was asked for that makes no sense here: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What was asked for was done, and what it was done to is at fault: exit code 1.
class FallsShort : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where the program finds itself. Paths are looked up when asked for, so that `--help` works
/// anywhere.
struct Places {
  std::filesystem::path tree() const;   ///< the course
  std::filesystem::path build() const;  ///< the build folder that holds this program
  /// bin/`name` of the build folder. Throws std::runtime_error with the repair when it is missing.
  std::filesystem::path program(const std::string& name) const;
};

struct GradeOptions {
  std::vector<std::string> names;  ///< LAB or LAB/STAGE; none: the whole course
  std::string device = "auto";     ///< or "gpu", "sim", "ssh:HOST"
  std::string profile;             ///< of the simulated GPU, by name or file; empty: the default
  std::optional<int> jobs;         ///< at once on the simulated device; none: one for each core
  std::string json, junit;         ///< files to write; empty: none
  std::string gradescope;          ///< the same, as Gradescope reads results
  std::string classroom;           ///< the same, as GitHub Classroom's graders write them
  std::string format;              ///< "table", "gcc", "github"; empty: as the place asks for
  std::string one_case;            ///< only look at this case of one stage; empty: grade
  std::string from;                ///< folder of what a student handed in; empty: labs/
  bool solutions = false;          ///< in place of the student's stages
  bool measure_only = false;       ///< require no speedup
  bool no_build = false;
  int verbose = 0;  ///< 1: what limits and handout speak of; 2: everything
};
struct StageOptions {
  std::vector<std::string> names;  ///< LAB/STAGE, or LAB and STAGE
  bool yes = false;                ///< reset: without asking
};
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
  std::vector<std::string> blocks;      ///< "X", "X,Y" or "X,Y,Z"; none: one is chosen
  std::optional<std::uint32_t> thread;  ///< only what this one does
  std::string element;                  ///< "out[37]": who wrote it; empty: show steps
  std::string json, html;               ///< files to write; empty: none
  std::string figure;                   ///< file that says what to draw; empty: none
  std::string against;                  ///< LAB/STAGE to be played beside it; empty: none
  bool text = false;                    ///< show steps beside writing a file
  bool solutions = false, no_build = false;
};
struct DebugOptions {
  TraceOptions
      recorded;      ///< what to record: names, case, size, kernel, blocks, solutions, no_build
  std::string from;  ///< folder of what a student handed in; empty: labs/
  bool dap = false;  ///< speak the Debug Adapter Protocol; else a command line
};
struct WatchOptions {
  bool no_build = false;
};
struct HandoutOptions {
  std::string archive;            ///< file to write, NAME.tar.zst
  std::vector<std::string> labs;  ///< none: all
  bool no_build = false;
};
struct UpdateOptions {
  std::string archive;  ///< of the newer handout
};
struct ClassOptions {
  /// `class` and what stands behind it, or `export` and what stands behind that; as they were given.
  std::vector<std::string> arguments;
  bool no_build = false;
};
struct BenchOptions {
  std::vector<std::string> names;  ///< LAB, or stages of one lab; none: all labs
  std::string html;                ///< file to write; empty: none
  bool raw = false;                ///< what Google Benchmark prints, in place of a table
  bool no_build = false;
  std::vector<std::string> arguments;  ///< for Google Benchmark
};

// Each returns the exit code (grader/report/results.h) and throws what main() turns into a message.
int grade(const Places& places, const GradeOptions& options);
int list(const Places& places);
int hint(const Places& places, const StageOptions& options);
int reset(const Places& places, const StageOptions& options);
int solution(const Places& places, const StageOptions& options);
int doctor(const Places& places);
int explain(const Places& places, const ExplainOptions& options);
int trace(const Places& places, const TraceOptions& options);
int debug(const Places& places, const DebugOptions& options);
int sim(const Places& places, const SimOptions& options);
int bench(const Places& places, const BenchOptions& options);
int watch(const Places& places, const WatchOptions& options);
int calibrate(const Places& places, const CalibrateOptions& options);
int handout(const Places& places, const HandoutOptions& options);
int update(const Places& places, const UpdateOptions& options);
int whole_class(const Places& places, const ClassOptions& options);

}  // namespace gridstride::cli
