// What users type, right and wrong, and what they get: output, exit codes, files.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include "common/files.h"
#include "common/subprocess.h"
#include "grader/cli/cli_test_fixture.h"
#include "grader/cli/mini_course.h"
#include "grader/report/json.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride::cli {
namespace {
namespace fs = std::filesystem;

TEST_F(CliTest, WrongUsageIsAnsweredInOneLine) {
  expect_message("grad", 2, "lab: There is no command 'grad'. Did you mean 'grade'?");
  expect_message("grade reductoin", 2,
                 "lab: There is no lab 'reductoin'. Did you mean 'reduction'?");
  expect_message("grade reduction/2_secnd --no-build", 2,
                 "lab: The lab 'reduction' has no stage '2_secnd'. Did you mean "
                 "'reduction/2_second'?");
  expect_message(
      "grade --device cpu", 2,
      "lab: --device: expected auto, gpu, sim or ssh:HOST, found 'cpu'. `lab grade --help` "
      "lists what there\nis.");
  expect_message("explain reduction --device gpu", 2,
                 "lab: --device: expected sim or ssh:HOST, found 'gpu'. `lab explain --help` lists "
                 "what there is.");
  for (const std::string option : {"--from", "--case", "--json"})
    expect_message(
        "grade reduction/1 " + option, 2,
        "lab: " + option + ": its value is missing. `lab grade --help` lists what there is.");
  expect_message("trace reduction/1 --html", 2,
                 "lab: --html: its value is missing. `lab trace --help` lists what there is.");
  for (const std::string files : {"grade --json x --junit ./x", "explain scan --json x --html x",
                                  "trace scan/1 --json ./x --html x"})
    expect_message(files + " --no-build", 2,
                   "lab: " + files.substr(files.rfind(' ') + 1) +
                       " is named twice: each result wants a file of its own.");
  expect_message("handout /no/such/folder/x.tar.zst", 2,
                 "lab: There is no folder /no/such/folder to write x.tar.zst into.");
  for (const std::string jobs : {"0", "-3", "abc", "1.5", "99999999999"})
    expect_message("grade --no-build -j " + jobs, 2,
                   "lab: --jobs: expected 1 or more, found '" + jobs +
                       "'. `lab grade --help` lists what there is.");
  expect_message("grade --no-build --json /no/such/folder/x.json", 2,
                 "lab: There is no folder /no/such/folder to write x.json into.");
  expect_message("grade --solutions --no-build", 2, "lab: This tree holds no solutions/ to grade.");
  expect_message("bench reduction/2_secnd", 2,
                 "lab: The lab 'reduction' has no stage '2_secnd'. Did you mean "
                 "'reduction/2_second'?");
  expect_message("grade reduction --no-build --case n=1", 2,
                 "lab: --case shows one case of one stage: name the stage, as in reduction/1.");
  expect_message("grade reduction/1 --no-build --case n=1 --json x.json", 2,
                 "lab: --case grades nothing, so there are no results to write to a file.");
  expect_message("bench reduction 1 scan", 2, "lab: One lab at a time, or all of them.");
  expect_message("hint scan", 2,
                 "lab: 'scan' is a whole lab. Name one of its stages: scan/1_first.");
  expect_message("explain scan --no-build --profile v100", 2,
                 "lab: --profile: there is no device profile 'v100': neither a file nor one of "
                 "h200 a100 t4.");
  expect_message("grade --no-build --profile t4 --device gpu", 2,
                 "lab: --profile says which GPU is simulated; with --device gpu none is.");
  for (const std::string seconds : {"-1", "abc", "inf", "nan"})
    expect_message("sim --time-limit " + seconds + " -- true", 2,
                   "lab: --time-limit: expected 0 or more seconds, found '" + seconds +
                       "'. `lab sim --help` lists what there is.");
  for (const std::string bytes : {"4X", "1", "2T"})
    expect_message("sim --memory " + bytes + " -- true", 2,
                   "lab: --memory: expected 1M to 1T, as in 4G, found '" + bytes +
                       "'. `lab sim --help` lists what there is.");
  expect_message("debug", 2, "lab: Say what to debug: LAB/STAGE, or a program's .cu file.");
  expect_message("debug reduction/2_secnd --no-build", 2,
                 "lab: The lab 'reduction' has no stage '2_secnd'. Did you mean "
                 "'reduction/2_second'?");
  expect_message("debug reduction/1 --solutions --no-build", 2,
                 "lab: This tree holds no solutions/ to debug.");
  expect_message("debug hello.cu --size 3", 2,
                 "lab: --solutions, --case, --size and --from are for labs, not for a program.");
  expect_message("debug nothing.cu --no-build", 2, "lab: There is no file nothing.cu.");
  expect_message("sim -- no-such-program", 2,
                 "lab: There is no program 'no-such-program' that can be run.");
}

TEST_F(CliTest, ABrokenLabTomlIsShownWithItsPlace) {
  std::ofstream(course_.tree() / "labs/scan/lab.toml") << "title = 'T'\nfunktion = 'f'\n";
  expect_message("grade scan --no-build", 3,
                 "lab: labs/scan/lab.toml:2:1: expected the key 'function' (a string), found "
                 "'funktion'");
  EXPECT_EQ(course_.run("grade reduction --no-build").exit_code, 0) << "the other lab is well";
}

TEST_F(CliTest, GradeAddsUpLabs) {
  course_.set_grader("scan", MiniCourse::reporting("scan", "wrong"));
  const fs::path json = course_.tree() / "out.json", junit = course_.tree() / "out.xml";
  const RunResult result = course_.run("grade --no-build --json '" + json.string() + "' --junit '" +
                                       junit.string() + "'");
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_TRUE(contains(result, "score 10 of 20")) << result.output;
  EXPECT_TRUE(contains(result, "It is wrong.")) << result.output;
  const Results results = from_json(read_file(json));
  EXPECT_EQ(results.labs.size(), 2u);
  EXPECT_EQ(results.score, 10);
  EXPECT_EQ(results.device.name, "A simulated GPU");
  EXPECT_NE(read_file(junit).find("tests=\"2\" failures=\"1\" errors=\"0\""), std::string::npos);
}

TEST_F(CliTest, GradePassesSelectedStagesOn) {
  course_.set_grader("reduction", "echo \"$stages\" > \"$json.stages\"; cp \"$json.stages\" '" +
                                      (course_.tree() / "asked").string() + "'\n" +
                                      MiniCourse::reporting("reduction", "pass"));
  EXPECT_EQ(course_.run("grade labs/reduction/1_first.cu --no-build").exit_code, 0);
  EXPECT_EQ(read_file(course_.tree() / "asked"), " 1_first\n");
}

TEST_F(CliTest, GradePassesTheNumberOfJobsOn) {
  const fs::path asked = course_.tree() / "asked";
  const fs::path grader = course_.build() / "bin/grade-scan";
  write_file(grader, "#!/bin/sh\necho \"$*\" > '" + asked.string() + "'\nexit 3\n");
  fs::permissions(grader, fs::perms::owner_all);
  course_.run("grade scan --no-build");
  EXPECT_EQ(read_file(asked).find("--jobs"), std::string::npos) << read_file(asked);
  course_.run("grade scan --no-build -j 3");
  EXPECT_NE(read_file(asked).find(" --jobs 3"), std::string::npos) << read_file(asked);
  const RunResult result = course_.run("grade scan --no-build --jobs 2 --device gpu");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result, "--jobs is for the simulated GPU.")) << result.output;
}

TEST_F(CliTest, WhatTheLibrariesSayIsForWhoAsksTwice) {
  Results results;
  results.device = {"sim", "A simulated GPU", "", ""};
  StageResult stage;
  stage.name = "1_first";
  stage.verdict = Verdict::pass;
  stage.counters = {{"bank_conflicts", 1}, {"flops", 2}, {"barriers", 3}};
  stage.limits = {{"barriers", 5, 3, true, ""}};
  results.labs = {{"scan", 0, 0, {stage}}};
  course_.set_grader("scan", "echo '[ RUN      ] of GoogleTest'\ncat > \"$json\" <<'END'\n" +
                                 to_json(results) + "END\n");
  write_file(course_.tree() / "labs/scan/README.md", "Look at `flops` and barriers.\n");
  const RunResult plain = course_.run("grade scan --no-build");
  EXPECT_FALSE(contains(plain, "barriers")) << plain.output;
  for (const char* flag : {"-v", "--verbose"}) {
    const RunResult once = course_.run("grade scan --no-build " + std::string(flag));
    EXPECT_TRUE(contains(once, "    barriers        3        5  met\n    flops           2\n"))
        << once.output;
    EXPECT_FALSE(contains(once, "bank_conflicts")) << once.output;
    EXPECT_FALSE(contains(once, "GoogleTest")) << once.output;
  }
  const RunResult twice = course_.run("grade scan --no-build -vv");
  EXPECT_TRUE(contains(twice, "    flops                 2\n    bank_conflicts        1\n"))
      << twice.output;
  EXPECT_TRUE(contains(twice, "[ RUN      ] of GoogleTest\n")) << twice.output;
}

TEST_F(CliTest, AGraderThatDiesIsInfrastructure) {
  course_.set_grader("reduction", "kill -SEGV $$");
  const RunResult result = course_.run("grade reduction --no-build");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "infrastructure")) << result.output;
  EXPECT_TRUE(contains(result, "score 0 of 20")) << result.output;
}

TEST_F(CliTest, AMissingGraderNamesTheRepair) {
  fs::remove(course_.build() / "bin/grade-scan");
  const RunResult result = course_.run("grade scan --no-build");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "has not been built.")) << result.output;
}

TEST_F(CliTest, CtrlCEndsWith130AndLeavesNothingBehind) {
  course_.set_grader("reduction", "kill -INT $PPID; exec sleep 30");
  const fs::path json = course_.tree() / "out.json";
  const RunResult result = course_.run("grade reduction --no-build --json '" + json.string() + "'");
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_TRUE(result.output.ends_with("lab: stopped by Ctrl-C\n")) << result.output;
  EXPECT_FALSE(fs::exists(json));
}

TEST_F(CliTest, WithoutASandboxOneWarningIsSaid) {
  if (!sandbox_status().available) GTEST_SKIP() << sandbox_status().reason;
  for (const std::string lab : {"reduction", "scan"})
    course_.set_grader(lab, "[ \"$sandbox\" = off ] || echo 'Warning: no sandbox'\n" +
                                MiniCourse::reporting(lab, "pass"));
  EXPECT_FALSE(contains(course_.run("grade --no-build"), "To mend it:"));
  // A container in which no namespaces can be made.
  const RunResult result =
      run_shell("bwrap --bind / / --dev /dev --unshare-user --disable-userns '" +
                course_.program().string() + "' grade --no-build");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  const std::size_t first = result.output.find("Warning: no sandbox");
  EXPECT_NE(first, std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("Warning: no sandbox", first + 1), std::string::npos)
      << result.output;
}

/// Some clusters give it to a group of users alone.
TEST_F(CliTest, ABubblewrapThatOneMayNotRunIsNoSandbox) {
  if (!sandbox_status().available) GTEST_SKIP() << sandbox_status().reason;
  const TemporaryFolder fake;
  write_file(fake.path() / "bwrap", "not for you");
  const std::string there = "bwrap --bind / / --dev /dev --ro-bind '" +
                            (fake.path() / "bwrap").string() + "' /usr/bin/bwrap '" +
                            course_.program().string() + "' ";
  const RunResult graded = run_shell(there + "grade --no-build");
  EXPECT_EQ(graded.exit_code, 0) << graded.output;
  EXPECT_TRUE(contains(graded, "you may not run /usr/bin/bwrap")) << graded.output;
  const RunResult doctor = run_shell(there + "doctor");
  EXPECT_TRUE(contains(doctor, "-> ask whoever runs this machine")) << doctor.output;
}

TEST_F(CliTest, ASignalDuringTheSandboxsTrialLeavesNothingBehind) {
  if (!sandbox_status().available) GTEST_SKIP() << sandbox_status().reason;
  const TemporaryFolder scratch, fake;
  write_file(fake.path() / "bwrap", "#!/bin/sh\nsleep 30\n");
  fs::permissions(fake.path() / "bwrap", fs::perms::owner_all);
  write_file(fake.path() / "script",
             "export TMPDIR='" + scratch.path().string() + "'\n'" + course_.program().string() +
                 "' grade --no-build & graded=$!\n"
                 "until ls \"$TMPDIR\" | grep -q .; do sleep 0.02; done\n"
                 "kill -TERM $graded; wait $graded; echo \"ended with $?\"\n");
  const RunResult result =
      run_shell("bwrap --bind / / --dev /dev --ro-bind '" + (fake.path() / "bwrap").string() +
                "' /usr/bin/bwrap bash '" + (fake.path() / "script").string() + "'");
  EXPECT_TRUE(contains(result, "ended with 143\n")) << result.output;
  EXPECT_TRUE(fs::is_empty(scratch.path())) << *fs::directory_iterator(scratch.path());
}

/// With a driver whose GPU is the simulated one.
TEST_F(CliTest, DoctorAsksTheProgramThatDrivesAGpu) {
  const auto doctor = [this] {
    return run_shell("LD_LIBRARY_PATH='" GRIDSTRIDE_TEST_DRIVER "' '" + course_.program().string() +
                     "' doctor");
  };
  EXPECT_TRUE(contains(doctor(), "(1/33); what drives it is built"));
  const fs::path program = course_.build() / "bin/gridstride-gpu-device";
  const auto write_program = [&program](const std::string& script) {
    std::ofstream(program) << "#!/bin/sh\n" << script << '\n';
    fs::permissions(program, fs::perms::owner_all);
  };
  write_program("[ \"$1\" = --why-not ] || echo 'asked for something else'; exit 0");
  const RunResult well = doctor();
  EXPECT_TRUE(contains(well, "ok  GPU")) << well.output;
  write_program("echo 'memory for the clock: out of memory' >&2; exit 2");
  const RunResult ill = doctor();
  EXPECT_TRUE(contains(ill, "bad GPU")) << ill.output;
  EXPECT_TRUE(contains(ill, "cannot be used for grading: memory")) << ill.output;
  EXPECT_TRUE(contains(ill, "Not ready yet")) << ill.output;
  EXPECT_EQ(ill.exit_code, 3);
}

TEST_F(CliTest, OutputInAPipeHasNoControlCodes) {
  for (const char* command :
       {"list", "list --no-build", "doctor", "grade --no-build", "hint scan/1_first", "grad"}) {
    const RunResult result =
        run_shell("TERM=xterm '" + course_.program().string() + "' " + command);
    EXPECT_EQ(result.output.find('\x1b'), std::string::npos) << result.output;
    EXPECT_EQ(result.output.find('\r'), std::string::npos) << result.output;
  }
}

TEST_F(CliTest, NoBuildIsRightForListToo) {
  EXPECT_EQ(course_.run("list --no-build").exit_code, 0);
}

TEST_F(CliTest, ATerminalGetsColoursUnlessNoColorIsSet) {
  const std::string on_terminal = "script --quiet --return --command \"'" +
                                  course_.program().string() + "' grade --no-build\" /dev/null";
  EXPECT_TRUE(contains(run_shell("env -u NO_COLOR TERM=xterm " + on_terminal), "\x1b[32mpass"));
  const RunResult plain = run_shell("env NO_COLOR=1 TERM=xterm " + on_terminal);
  EXPECT_EQ(plain.output.find("\x1b[3"), std::string::npos) << plain.output;
  EXPECT_TRUE(contains(plain, "pass")) << plain.output;
  for (const std::string term : {"TERM=dumb ", "TERM= "}) {
    const RunResult dumb = run_shell("env -u NO_COLOR " + term + on_terminal);
    EXPECT_EQ(dumb.output.find('\x1b'), std::string::npos) << dumb.output;
  }
}

TEST_F(CliTest, AFullDiskIsNoticed) {
  for (const std::string command : {"list", "grade --no-build", "hint scan/1_first"})
    EXPECT_EQ(
        run_shell("'" + course_.program().string() + "' " + command + " > /dev/full").exit_code, 3)
        << command;
}

TEST_F(CliTest, WhatIsNoPlainFileIsWrittenToAndStays) {
  const fs::path pipe = course_.tree() / "pipe", link = course_.tree() / "link.json",
                 file = course_.tree() / "file.json";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::ofstream(file) << "earlier";
  fs::create_symlink(file, link);
  const RunResult result =
      run_shell("cat '" + pipe.string() + "' & '" + course_.program().string() +
                "' grade scan --no-build --json '" + pipe.string() + "' --junit '" + link.string() +
                "'; wait");
  EXPECT_TRUE(contains(result, "\"schema\": 1")) << result.output;
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_NE(read_file(file).find("<testsuite"), std::string::npos);
}

TEST_F(CliTest, ResultsAreShownEvenWhereTheyCannotBeWritten) {
  const RunResult result = course_.run("grade scan --no-build --json /dev/full");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "score ")) << result.output;
  EXPECT_TRUE(contains(result, "lab: cannot write /dev/full")) << result.output;
}

TEST_F(CliTest, ExplainShowsStagesAndWritesFiles) {
  const fs::path page = course_.tree() / "page.html", json = course_.tree() / "out.json";
  course_.set_grader("reduction", R"(cat > "$json" <<'END'
[{"name": "1_first", "source": "/nowhere/1_first.cu", "verdict": "pass", "message": "",
  "report": {"device": {"name": "Simulated", "roofs": {}}, "seconds": 1e-6, "kernels": [],
             "refusals": [], "notes": []}},
 {"name": "2_second", "source": "/nowhere/2_second.cu", "verdict": "crash", "message": "It fell.",
  "report": null}]
END)");
  RunResult result = course_.run("explain reduction --no-build --html " + page.string() +
                                 " --json " + json.string());
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_TRUE(contains(result, "reduction/1_first  answer right\n  Simulated, 1.00 us"))
      << result.output;
  EXPECT_TRUE(contains(result,
                       "reduction/2_second  crash\n  It fell.\n  See it: ./lab trace "
                       "reduction/2_second --html steps.html\n"))
      << result.output;
  EXPECT_NE(read_file(page).find("reduction/2_second"), std::string::npos);
  EXPECT_NE(read_file(json).find("\"verdict\": \"crash\""), std::string::npos);
  for (const char* name : {"reduction/1_first", "reduction 1", "labs/reduction/1_first.cu"})
    EXPECT_EQ(course_.run("explain --no-build " + std::string(name)).exit_code, 0) << name;
}

TEST_F(CliTest, ExplainNamesTheRepair) {
  expect_message("explain reduction/2_secnd --no-build", 2,
                 "lab: The lab 'reduction' has no stage '2_secnd'. Did you mean "
                 "'reduction/2_second'?");
  expect_message("explain scan --no-build --html /no/such/folder/x.html", 2,
                 "lab: There is no folder /no/such/folder to write x.html into.");
  course_.set_grader("scan", "exit 3");
  const RunResult result = course_.run("explain scan --no-build");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "grade-scan recorded nothing (exit code 3)")) << result.output;
}

TEST_F(CliTest, HintsComeOneAtATime) {
  const RunResult first = course_.run("hint scan/1_first");
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_EQ(
      first.output,
      "scan/1_first: Stage 1_first\n\nHint 1 of 4: The idea\n  first hint\n\n3 more: ask again.\n");
  EXPECT_TRUE(contains(course_.run("hint scan/1_first"), "second hint\n\n2 more"));
  EXPECT_TRUE(contains(course_.run("hint reduction/1_first"), "first hint")) << "counted apart";
  EXPECT_TRUE(contains(course_.run("hint scan/1_first"),
                       "Hint 3 of 4: The line\n  third hint\n\n    third = line;\n\n1 more"));
  EXPECT_TRUE(contains(course_.run("hint scan/1_first"), "fourth hint\n\nThat was the last one."));
  const RunResult all = course_.run("hint scan/1_first");
  EXPECT_TRUE(contains(all, "first hint")) << all.output;
  EXPECT_TRUE(contains(all, "There are no more hints.")) << all.output;
}

/// The program where its tree cannot be written to; root can write to anything but a read-only
/// mount, which bubblewrap makes.
class ReadOnlyCliTest : public CliTest {
 protected:
  void SetUp() override {
    if (!sandbox_status().available) GTEST_SKIP() << sandbox_status().reason;
  }
  RunResult run(const std::string& arguments, const std::string& mounts = "") {
    return run_shell("HOME='" + home_.path().string() +
                     "' bwrap --bind / / --dev /dev --ro-bind '" + course_.tree().string() + "' '" +
                     course_.tree().string() + "' " + mounts + " '" + course_.program().string() +
                     "' " + arguments);
  }
  TemporaryFolder home_;
};

TEST_F(ReadOnlyCliTest, GradesWithoutBuilding) {
  const RunResult result = run("grade --no-build");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(contains(result, "score 20 of 20")) << result.output;
}

TEST_F(ReadOnlyCliTest, CountsHintsInTheHomeFolder) {
  EXPECT_TRUE(contains(run("hint scan/1_first"), "first hint"));
  EXPECT_TRUE(contains(run("hint scan/1_first"), "second hint"));
  EXPECT_FALSE(fs::exists(course_.tree() / ".lab"));
}

TEST_F(ReadOnlyCliTest, WhereNothingCanBeRememberedTheRepairIsSaid) {
  const RunResult hint = run("hint scan/1_first", "--setenv HOME /proc");
  EXPECT_EQ(hint.exit_code, 3);
  EXPECT_TRUE(contains(hint, "name a folder of yours in XDG_STATE_HOME")) << hint.output;
}

TEST_F(ReadOnlyCliTest, TheDebuggerSaysWhatCannotBeWritten) {
  const RunResult result = run("debug scan/1_first --no-build");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "lab: cannot write to ")) << result.output;
  EXPECT_TRUE(contains(result, "Copy the course to a folder of your own")) << result.output;
}

TEST_F(ReadOnlyCliTest, ResultsAreRefusedBeforeGrading) {
  const RunResult result =
      run("grade --no-build --json '" + (course_.tree() / "out.json").string() + "'");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "cannot be written to")) << result.output;
  EXPECT_FALSE(contains(result, "score")) << result.output;
}

TEST_F(ReadOnlyCliTest, AFullDiskLeavesNoHalfFile) {
  course_.set_grader("scan", MiniCourse::reporting("scan", "pass"));
  const RunResult result =
      run_shell("bwrap --bind / / --dev /dev --size 4096 --tmpfs /mnt sh -c \"'" +
                course_.program().string() +
                "' grade --no-build --json /mnt/a.json --junit /mnt/b.xml; code=\\$?; ls /mnt; "
                "exit \\$code\"");
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_TRUE(contains(result, "No space left on device")) << result.output;
  EXPECT_FALSE(contains(result, "b.xml\n")) << result.output;
}

}  // namespace
}  // namespace gridstride::cli
