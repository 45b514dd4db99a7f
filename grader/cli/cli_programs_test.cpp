// Programs of one's own under `lab sim` and `lab explain`, with an nvcc that only pretends.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "common/files.h"
#include "grader/cli/cli_test_fixture.h"
#include "grader/cli/mini_course.h"

namespace gridstride::cli {
namespace {
namespace fs = std::filesystem;

/// Stands in for nvcc: "compiles" to a program that leaves an empty report or ends as its file's name says, and
/// refuses bad.cu.
constexpr const char* pretended_nvcc = R"(#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    -o) program=$2; shift ;;
    */bad.cu) echo 'bad.cu(1): error: no'; exit 1 ;;
  esac
  shift
done
cat > "$program" <<'END'
#!/bin/sh
case $0 in
  */falls) kill -SEGV $$ ;;
  */aborts) kill -ABRT $$ ;;
  */is_piped) kill -PIPE $$ ;;
  */leaves) exit 4 ;;
  */does_nothing) exit 0 ;;
esac
echo "argument $1"
echo "profile $GRIDSTRIDE_SIM_PROFILE"
echo '{"device": {"name": "Simulated", "roofs": {}}, "seconds": 1e-6, "kernels": [],
       "findings": [], "refusals": [], "notes": []}' > "$GRIDSTRIDE_SIM_REPORT"
END
chmod +x "$program"
)";

class ProgramsCliTest : public CliTest {
 protected:
  ProgramsCliTest() {
    const fs::path runtime = course_.build() / "lib/sim";
    fs::create_directories(programs_);
    fs::create_directories(runtime);
    write_file(runtime / "libcudart.so.13", "");
    write_file(programs_ / "nvcc", pretended_nvcc);
    fs::permissions(programs_ / "nvcc", fs::perms::owner_all);
  }
  RunResult run(const std::string& arguments) const {
    return run_shell("cd '" + course_.tree().string() + "' && PATH='" + programs_.string() +
                     "':$PATH '" + course_.program().string() + "' " + arguments);
  }

  fs::path programs_ = course_.tree() / "programs";
};

TEST_F(ProgramsCliTest, ProgramsMayComeAsSource) {
  write_file(course_.tree() / "good.cu", "");
  write_file(course_.tree() / "bad.cu", "");
  const fs::path json = course_.tree() / "out.json";

  RunResult result = run("explain good.cu --no-build --json out.json");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(contains(result, "good.cu\n  Simulated, 1.00 us")) << result.output;
  EXPECT_NE(read_file(json).find("\"Simulated\""), std::string::npos);
  result = run("sim --no-build -- good.cu seven");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(contains(result, "argument seven\n")) << result.output;

  EXPECT_TRUE(contains(run("sim --no-build --profile t4 -- good.cu"), "profile t4\n"));
  EXPECT_TRUE(contains(run("explain --no-build --profile a100 good.cu"), "profile a100\n"));

  EXPECT_EQ(run("sim --no-build --check all,-global_race -- good.cu").exit_code, 0);
  result = run("sim --no-build --check global_rac -- good.cu");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(
      contains(result, "lab: --check: there is no check 'global_rac', did you mean 'global_race'?"))
      << result.output;

  result = run("explain bad.cu --no-build");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result, "bad.cu(1): error: no\n")) << result.output;
  EXPECT_TRUE(contains(result, "lab: bad.cu does not compile: see above.")) << result.output;
  EXPECT_EQ(result.output.find("-gencode"), std::string::npos)
      << "other options would not mend it: " << result.output;
  EXPECT_TRUE(contains(result, "There is no main() in it, ")) << result.output;
  write_file(course_.tree() / "bad.cu", "int main() { return nothing; }\n");
  result = run("sim --no-build -- bad.cu");
  EXPECT_FALSE(contains(result, "There is no main()")) << result.output;
  EXPECT_TRUE(contains(result, "-gencode")) << result.output;
  write_file(course_.tree() / "bad.cu", "#include <cublas_v2.h>\n");
  result = run("sim --no-build -- bad.cu");
  EXPECT_TRUE(
      contains(result, "cuBLAS (line 1:\n#include <cublas_v2.h>) is not part of the simulated "))
      << result.output;
  EXPECT_EQ(run("explain none.cu --no-build").exit_code, 2);
  EXPECT_EQ(run("explain good.cu bad.cu --no-build").exit_code, 2);
  EXPECT_EQ(run("explain good.cu --solutions --no-build").exit_code, 2);
}

TEST_F(ProgramsCliTest, WhyAFileIsNotCompiledIsSaid) {
  const auto says = [&](const std::string& words, int exit_code, const std::string& said) {
    const RunResult result = run(words + " --no-build");
    EXPECT_EQ(result.exit_code, exit_code) << result.output;
    EXPECT_TRUE(contains(result, said)) << result.output;
  };
  write_file(course_.tree() / "bad.cu", "int main() { return other(); }\n");
  write_file(course_.tree() / "other.cu", "");
  says("sim bad.cu other.cu", 1, "other.cu is an argument of the program");
  EXPECT_FALSE(contains(run("sim --no-build bad.cu 3 other"), "is an argument"));
  fs::create_directories(course_.tree() / "a$b");
  write_file(course_.tree() / "a$b/bad.cu", "int main() {}\n");
  says("sim 'a$b/bad.cu'", 1, "with $ in its path: rename it.");
  for (const std::string name : {"host.cpp", "host.CU", "./host.cpp"}) {
    write_file(course_.tree() / name, "");
    says("sim " + name, 2, "lab: " + name + " is not compiled here: that is done with FILE.cu.");
  }
}

/// `--report hello.cu` in place of `--report report.json hello.cu`, and a night's work would be gone.
TEST_F(ProgramsCliTest, NoResultIsWrittenOverASource) {
  write_file(course_.tree() / "good.cu", "int main() {}\n");
  for (const std::string words :
       {"sim --report good.cu good.cu", "explain good.cu --html ./good.cu",
        "trace good.cu --json good.cu", "grade --json good.cu", "grade --junit good.cu"}) {
    const RunResult result = run(words + " --no-build");
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_TRUE(contains(result, "good.cu is a source: nothing else is written there."))
        << result.output;
    EXPECT_EQ(read_file(course_.tree() / "good.cu"), "int main() {}\n");
  }
}

/// Whoever reads it has to know whether his program fell, or never used the GPU.
TEST_F(ProgramsCliTest, HowAProgramEndedIsSaidWhereItLeftNoReport) {
  for (const char* name : {"falls", "aborts", "is_piped", "leaves", "does_nothing"})
    write_file(course_.tree() / (std::string(name) + ".cu"), "");
  const auto says = [&](const std::string& name, int sim_code, int explain_code,
                        const std::string& words) {
    const RunResult sim = run("sim --no-build " + name + ".cu");
    EXPECT_EQ(sim.exit_code, sim_code) << sim.output;
    EXPECT_TRUE(contains(sim, "lab: " + name + ".cu " + words)) << sim.output;
    const RunResult explain = run("explain --no-build " + name + ".cu");
    EXPECT_EQ(explain.exit_code, explain_code) << explain.output;
    EXPECT_TRUE(contains(explain, "lab: " + name + ".cu " + words)) << explain.output;
    if (sim_code == 0) return;
    const RunResult trace = run("trace --no-build " + name + ".cu");
    EXPECT_EQ(trace.exit_code, 1) << trace.output;
    EXPECT_TRUE(contains(trace, "lab: " + name + ".cu " + words)) << trace.output;
  };
  says("falls", 139, 1, "was ended by signal 11 (Segmentation fault) in its code for the host");
  says("aborts", 134, 1, "was ended by signal 6 (Aborted)");
  says("is_piped", 141, 1, "was ended by signal 13 (Broken pipe)");
  says("leaves", 4, 1, "ended with exit code 4 and left no report");
  says("does_nothing", 0, 3, "ended with exit code 0 and left no report");
}

}  // namespace
}  // namespace gridstride::cli
