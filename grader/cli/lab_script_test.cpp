// ./lab on machines that lack something, in a course in miniature with programs that only pretend.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "common/files.h"
#include "grader/cli/lab_script_test_fixture.h"
#include "grader/cli/mini_course.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride::cli {
namespace {
namespace fs = std::filesystem;

/// What CMake is told to make code for, on a machine whose GPU has the capability that nvidia-smi says.
TEST_F(LabScriptTest, StagesGetCodeForTheGpuAtHand) {
  pretend("nvcc", "[ \"$1\" != --list-gpu-code ] || printf 'sm_75\\nsm_80\\nsm_90\\n'");
  const auto told = [&](const std::string& preset, const std::string& nvidia_smi) {
    pretend("nvidia-smi", nvidia_smi);
    fs::remove(calls());
    run_shell("LAB_PRESET=" + preset + " PATH='" + programs_.string() + "':/usr/bin '" +
              (course_.tree() / "lab").string() + "' list");
    const std::string calls = called();
    const auto at = calls.find("ARCHITECTURES=");
    return at == std::string::npos ? "" : calls.substr(at, calls.find('\n', at) - at);
  };
  EXPECT_EQ(told("gpu", "echo 8.0; echo 9.0"), "ARCHITECTURES=80-real;75-virtual");
  EXPECT_EQ(told("gpu", "echo 99.0"), "");  // newer than the toolkit
  EXPECT_EQ(told("gpu", "echo No devices were found; exit 6"), "");
  EXPECT_EQ(told("student", "echo 8.0"), "");
}

TEST_F(LabScriptTest, HelpNeedsNothing) {
  const RunResult result = run("");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(contains(result, "grade [LAB[/STAGE]]")) << result.output;
  EXPECT_TRUE(contains(run("grade --help"), "Usage: lab grade"));
  EXPECT_EQ(called(), "") << "what is built knows its options, and building takes minutes";
}

/// In a pipe it is the help, as above.
TEST_F(LabScriptTest, AloneOnATerminalItWatches) {
  pretend("cmake", "true");
  fs::remove(course_.program());
  std::ofstream(course_.program()) << "#!/bin/sh\necho \"program $*\"\n";
  fs::permissions(course_.program(), fs::perms::owner_all);
  write_file(course_.build() / "build.ninja", "");
  write_file(course_.build() / "CMakeCache.txt",
             "CMAKE_HOME_DIRECTORY:INTERNAL=" + course_.tree().string() +
                 "\nCMAKE_CUDA_COMPILER:STRING=" + (programs_ / "nvcc").string() + "\n");
  write_file(course_.build() / "configured", "");
  const auto on_terminal = [&](const std::string& arguments) {
    return run_shell("cd / && TERM=xterm LAB_PRESET=student PATH='" + programs_.string() +
                     "':/usr/bin:/bin script --quiet --return --command \"'" +
                     (course_.tree() / "lab").string() + "' " + arguments + "\" /dev/null");
  };
  EXPECT_TRUE(contains(on_terminal(""), "program watch\r\n")) << on_terminal("").output;
  EXPECT_TRUE(contains(on_terminal("--help"), "Usage: ./lab COMMAND"));
  EXPECT_TRUE(contains(on_terminal("list"), "program list\r\n"));
}

TEST_F(LabScriptTest, ConfiguresBuildsAndHandsOver) {
  pretend("cmake", "echo \"cmake $*\" >> '" + calls().string() + "'; mkdir -p build/student; cd '" +
                       course_.build().string() +
                       "'; touch build.ninja; printf 'CMAKE_HOME_DIRECTORY:INTERNAL=" +
                       course_.tree().string() + "\\nCMAKE_CUDA_COMPILER:STRING=" +
                       (programs_ / "nvcc").string() + "\\n' > CMakeCache.txt");
  const RunResult first = run("list");
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_TRUE(contains(first, "Configuring build/student")) << first.output;
  EXPECT_TRUE(contains(first, "1_first")) << first.output;
  EXPECT_NE(called().find("--preset student"), std::string::npos) << called();
  EXPECT_NE(called().find("--target gridstride"), std::string::npos) << called();
  EXPECT_FALSE(contains(run("list"), "Configuring")) << "a second time there is nothing to do";
  EXPECT_EQ(run("grad").exit_code, 2) << "the program's exit code is the script's";
}

/// Which may take minutes.
TEST_F(LabScriptTest, WhoWaitsForAnothersBuildIsToldSo) {
  const auto list_while = [&](const std::string& other) {
    return run_shell("export LAB_PRESET=student PATH='" + programs_.string() + "':/usr/bin; cd '" +
                     course_.build().string() + "'; " + other + "; '" +
                     (course_.tree() / "lab").string() + "' list; wait");
  };
  const std::string words = "Another ./lab builds in build/student: this one waits for it.\n";
  const RunResult waited = list_while("flock lock sleep 3 & until [ -e lock ]; do :; done");
  EXPECT_TRUE(contains(waited, words)) << waited.output;
  EXPECT_TRUE(contains(waited, "1_first")) << waited.output;
  EXPECT_FALSE(contains(list_while("true"), words));
}

TEST_F(LabScriptTest, NoBuildAsksForNothing) {
  need("program:no-such-program package package package package package\n");
  const RunResult result = run("grade --no-build");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(called(), "");
  fs::remove_all(course_.build());
  EXPECT_EQ(run("grade --no-build").output,
            "lab: nothing is built here yet: leave out --no-build\n");
}

TEST_F(LabScriptTest, MistypedNamesNeedNoBuild) {
  // What is built may be of an older text: that is brought up to date first, which takes minutes.
  const RunResult built = run("grade redction/1_first");
  EXPECT_EQ(built.exit_code, 2);
  EXPECT_EQ(built.output.find("lab: there is no lab 'redction'. The labs are: "), 0u)
      << built.output;
  EXPECT_EQ(called(), "");
  fs::remove_all(course_.build());
  const RunResult lab = run("grade redction/1_first");
  EXPECT_EQ(lab.exit_code, 2);
  EXPECT_EQ(lab.output.find("lab: there is no lab 'redction'. The labs are: "), 0u) << lab.output;
  EXPECT_TRUE(contains(lab, " reduction")) << lab.output;
  const RunResult second = run("grade reduction 1 redction");
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_EQ(second.output.find("lab: there is no lab 'redction'. "), 0u) << second.output;
  const RunResult command = run("graed reduction");
  EXPECT_EQ(command.exit_code, 2);
  EXPECT_EQ(command.output, "lab: there is no command 'graed': ./lab --help lists them\n");
  EXPECT_EQ(called(), "");
  for (const char* right : {"grade reduction/1_first", "explain kernel.cu", "grade --solutions",
                            "grade reduction 1 scan", "sim -- program", "list",
                            "handout course.tar.zst", "update x.tar.zst"})
    EXPECT_NE(run(right).exit_code, 2) << right;
  const std::string file = "'" + course_.stage("reduction", "1_first").string() + "'";
  for (const std::string name : {"grade ", "debug ", "hint "}) {
    for (const std::string& stage :
         {file, std::string("labs/reduction/1_first"), std::string("labs/scan/")})
      EXPECT_NE(run(name + stage).output.find("there is no lab"), 0u) << name << stage;
  }
}

/// The user's folder is what paths begin in, also where the script has to configure first.
TEST_F(LabScriptTest, TheProgramRunsInTheUsersFolder) {
  const fs::path lab = course_.tree() / "labs/reduction";
  const RunResult hint = run_shell("cd '" + lab.string() + "' && LAB_PRESET=student PATH='" +
                                   programs_.string() + "':/usr/bin ../../lab hint 2_second.cu");
  EXPECT_TRUE(contains(hint, "Configuring")) << hint.output;
  EXPECT_TRUE(contains(hint, "reduction/2_second: Stage 2_second")) << hint.output;
}

/// A program and a library that no machine has.
const std::string missing_rows =
    "program:no-such-program a-program d-program z-program p-program -\n"
    "header:no/such/header.h a-header d-header pkgconfig(header) p-header c-header\n";

const std::string as_user = "--unshare-user --uid 1000", as_root = "--unshare-user --uid 0";

TEST_F(LabScriptTest, MissingPackagesAreNamedToAUser) {
  if (!can_mount()) GTEST_SKIP() << sandbox_status().reason;
  need(missing_rows);
  const std::pair<std::string, std::string> commands[] = {
      {"apt-get",
       "sudo apt-get update && sudo apt-get install --yes --no-install-recommends a-program "
       "a-header\n"},
      {"dnf", "sudo dnf install --assumeyes d-program d-header\n"},
      {"zypper", "sudo zypper --non-interactive install z-program pkgconfig\\(header\\)\n"},
      {"pacman", "sudo pacman --sync --needed --noconfirm p-program p-header\n"},
      {"conda", "  conda install --yes --channel conda-forge c-header\n"},
  };
  for (const auto& [manager, command] : commands) {
    pretend_system(manager);
    const RunResult result = run("list", as_user);
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_TRUE(contains(result, command)) << manager << ": " << result.output;
    EXPECT_FALSE(contains(result, "-true")) << result.output;
    EXPECT_EQ(called(), "") << "nothing is done without asking";
    fs::remove(programs_ / manager);
  }
}

TEST_F(LabScriptTest, AnEnvironmentOfCondaComesBeforeTheSystem) {
  if (!can_mount()) GTEST_SKIP() << sandbox_status().reason;
  need(missing_rows);
  pretend_system("apt-get");
  pretend("conda", "true");
  EXPECT_TRUE(
      contains(run("list", as_user + " --setenv CONDA_PREFIX /opt/conda"), "conda install"));
  EXPECT_TRUE(contains(run("list", as_user), "sudo apt-get install"));
}

TEST_F(LabScriptTest, RootInstallsThem) {
  if (!can_mount()) GTEST_SKIP() << sandbox_status().reason;
  need(missing_rows);
  pretend_system("apt-get");
  run("list", as_root);
  EXPECT_NE(called().find("apt-get update\napt-get install --yes --no-install-recommends "
                          "a-program a-header\n"),
            std::string::npos)
      << called();
  pretend("apt-get", "echo no network; exit 100");
  const RunResult result = run("list", as_root);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "no network")) << result.output;
  EXPECT_TRUE(contains(result, "could not be installed")) << result.output;
}

TEST_F(LabScriptTest, WhatIsThereByOtherMeansIsNotMissing) {
  need("program:no-such-program a d z p c\nheader:" + (folder_.path() / "by_hand.h").string() +
       " a d z p c\n");
  pretend("no-such-program", "true");
  std::ofstream(folder_.path() / "by_hand.h") << "\n";
  pretend_system("apt-get");
  EXPECT_FALSE(contains(run("list"), "missing")) << run("list").output;
  EXPECT_NE(called().find("cmake"), std::string::npos) << called();
}

TEST_F(LabScriptTest, LibrariesMayBeFetchedWhereThatIsAskedFor) {
  if (!can_mount()) GTEST_SKIP() << sandbox_status().reason;
  need("header:no/such/header.h a d z p c\n");
  pretend_system("apt-get");
  EXPECT_TRUE(contains(run("list", as_user), "LAB_FETCH=1")) << run("list", as_user).output;
  run("list", as_user + " --setenv LAB_FETCH 1");
  EXPECT_NE(called().find("cmake --preset student"), std::string::npos) << called();
}

TEST_F(LabScriptTest, OnAnUnknownSystemProgramsAreNamedAndLibrariesLeftToCMake) {
  pretend_system("");
  need(missing_rows);
  const RunResult result = run("list");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "no-such-program no/such/header.h")) << result.output;
  need("header:no/such/header.h a d z p c\n");
  run("list");
  EXPECT_NE(called().find("cmake --preset student"), std::string::npos) << called();
}

/// nvcc of a toolkit that takes GCC up to 3.
const std::string old_nvcc =
    "case \"$*\" in *'-ccbin g++-3 '*) exit 0 ;; esac\n"
    "echo 'host_config.h: #error unsupported GNU version! gcc versions later than 3 are not "
    "supported!' >&2; exit 1";

TEST_F(LabScriptTest, ACompilerThatTheToolkitTakesIsAskedFor) {
  if (!can_mount()) GTEST_SKIP() << sandbox_status().reason;
  pretend("nvcc", old_nvcc);
  pretend_system("apt-get");
  EXPECT_TRUE(contains(run("list", as_user), "--no-install-recommends g++-3\n"))
      << run("list", as_user).output;
  fs::remove(programs_ / "apt-get");
  pretend_system("dnf");
  EXPECT_TRUE(contains(run("list", as_user), "--assumeyes gcc3-c++\n"))
      << run("list", as_user).output;
}

TEST_F(LabScriptTest, ACompilerThatTheToolkitTakesIsFound) {
  pretend("nvcc", old_nvcc);
  const auto found = [&] {
    return run_shell("PATH='" + programs_.string() + "':/usr/bin '" +
                     (course_.tree() / "common/tools/host_compiler.sh").string() + "' nvcc");
  };
  EXPECT_EQ(found().exit_code, 1);
  EXPECT_EQ(found().output, "g++-3\n") << "what would do";
  pretend("g++-3", "true");
  EXPECT_EQ(found().exit_code, 0);
  EXPECT_EQ(found().output, (programs_ / "g++-3").string() + "\n");
  pretend("nvcc", "exit 0");
  EXPECT_EQ(found().output, "") << "the system's will do";
  pretend("g++", "true");
  EXPECT_EQ(found().output, (programs_ / "g++").string() + "\n")
      << "which stands before the system's only in this PATH";
}

TEST_F(LabScriptTest, AFolderForTemporaryFilesThatCannotBeUsedIsNoMissingCompiler) {
  if (!can_mount()) GTEST_SKIP() << sandbox_status().reason;
  pretend("nvcc", "exit 1");  // as it does where it cannot write
  const RunResult missing = run("list", as_user + " --setenv TMPDIR /no/such");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_EQ(missing.output.find("lab: no temporary files can be made in /no/such: "), 0u)
      << missing.output;
  const RunResult full = run("list", as_user + " --size 4096 --tmpfs /mnt --setenv TMPDIR /mnt");
  EXPECT_EQ(full.output.find("lab: no temporary files can be written in /mnt: No space"), 0u)
      << full.output;
}

TEST_F(LabScriptTest, AMissingToolkitIsNamed) {
  if (!can_mount()) GTEST_SKIP() << sandbox_status().reason;
  fs::remove(programs_ / "nvcc");
  const RunResult result = run("list", "--tmpfs /usr/local");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "the CUDA toolkit was not found")) << result.output;
}

/// What bubblewrap is told so that there is no nvcc, and the system is another.
class ToolkitTest : public LabScriptTest {
 protected:
  ToolkitTest() { fs::remove(programs_ / "nvcc"); }
  std::string system_of(const std::string& release) const {
    write_file(folder_.path() / "os-release", release);
    return "--tmpfs /usr/local --ro-bind '" + (folder_.path() / "os-release").string() +
           "' /usr/lib/os-release ";
  }
  const std::string debian_ = "PRETTY_NAME=\"Debian\"\nVERSION_ID=\"12\"\nID=debian\n";
};

TEST_F(ToolkitTest, TheCommandsOfTheSystemAreNamed) {
  if (!can_mount()) GTEST_SKIP() << sandbox_status().reason;
  const RunResult debian = run("list", system_of(debian_) + as_user);
  EXPECT_EQ(debian.exit_code, 3);
  for (const char* words :
       {"`./lab --install-toolkit`", "repos/debian12/x86_64/cuda-keyring_1.1-1_all.deb\n",
        "  sudo apt-get install --yes --no-install-recommends g++ cuda-nvcc-13-0 "
        "cuda-cudart-dev-13-0 cuda-cccl-13-0\n"})
    EXPECT_TRUE(contains(debian, words)) << words << debian.output;
  EXPECT_EQ(called(), "") << "nothing is done without asking";
  const RunResult fedora = run("list", system_of("ID=fedora\nVERSION_ID=42\n") + as_root);
  EXPECT_TRUE(contains(fedora, "\n  dnf install --assumeyes gcc-c++ cuda-nvcc-13-0 "))
      << fedora.output;
  const RunResult leap =
      run("list", system_of("ID=\"opensuse-leap\"\nVERSION_ID=\"15.6\"\n") + as_user);
  EXPECT_TRUE(contains(leap, "sudo zypper addrepo https://")) << leap.output;
  for (const char* unknown : {"ID=debian\nVERSION_ID=\"9\"\n", "ID=debian\n", "ID=plan9\n"}) {
    const RunResult result = run("list", system_of(unknown) + as_user);
    EXPECT_TRUE(contains(result, "https://developer.nvidia.com/cuda-downloads")) << result.output;
    EXPECT_FALSE(contains(result, "--install-toolkit")) << result.output;
  }
}

TEST_F(ToolkitTest, ItIsInstalledWhereThatIsAskedFor) {
  if (!can_mount()) GTEST_SKIP() << sandbox_status().reason;
  const auto note = [this](const std::string& name, const std::string& script = "true") {
    pretend(name, "echo \"" + name + " $*\" >> '" + calls().string() + "'\n" + script);
  };
  const std::string install =
      "case \"$*\" in *cuda-nvcc-13-0*) mkdir -p /usr/local/cuda-13.0/bin && "
      "ln -s /usr/bin/true /usr/local/cuda-13.0/bin/nvcc ;; esac";
  note("apt-get", install);
  note("wget");
  note("dpkg");
  RunResult result = run("--install-toolkit", system_of(debian_) + as_root);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(contains(result, "Installed: /usr/local/cuda-13.0/bin/nvcc\n")) << result.output;
  EXPECT_NE(called().find("/cuda-keyring_1.1-1_all.deb\ndpkg --install /"), std::string::npos)
      << called();
  EXPECT_NE(called().find(".deb\napt-get update\n"
                          "apt-get install --yes --no-install-recommends g++ cuda-nvcc-13-0 "),
            std::string::npos)
      << called();

  fs::remove(calls());
  note("wget", "exit 4");
  result = run("--install-toolkit", system_of(debian_) + as_root);
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_TRUE(contains(result, "the last command above says why")) << result.output;
  EXPECT_EQ(called().find("dpkg"), std::string::npos) << "it stops at the first that fails";

  pretend("nvcc", "true");
  EXPECT_TRUE(contains(run("--install-toolkit"), "There is a CUDA toolkit: "));
}

/// A course as students get it: programs that pretend, in ready/.
TEST_F(LabScriptTest, AHandoutAsksForACompilerAlone) {
  if (!can_mount()) GTEST_SKIP() << sandbox_status().reason;
  write_file(course_.tree() / "handout.json", "{\n  \"glibc\": \"2.34\"\n}\n");
  fs::create_directories(course_.tree() / "ready/bin");
  const fs::path program = course_.tree() / "ready/bin/gridstride";
  write_file(program, "#!/bin/sh\necho \"program $*\"\n");
  fs::permissions(program, fs::perms::owner_all);
  need(missing_rows + "program:c++ a-compiler d-compiler z-compiler p-compiler c-compiler\n");
  pretend_system("apt-get");
  EXPECT_EQ(run("grade reduction").output, "program grade reduction\n");
  EXPECT_EQ(run("bench").exit_code, 2);
  fs::remove(system_ / "c++");
  const RunResult result = run("grade reduction", as_user);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "sudo apt-get install --yes --no-install-recommends a-compiler\n"))
      << result.output;
  EXPECT_EQ(run("list").output, "program list\n") << "nothing is compiled for it";
  EXPECT_EQ(run("grade --no-build").output, "program grade --no-build\n");
  EXPECT_EQ(called(), "") << "no CMake, and nothing is installed without asking";
}

TEST_F(LabScriptTest, AReadOnlyTreeIsNamed) {
  if (!can_mount()) GTEST_SKIP() << sandbox_status().reason;
  const std::string read_only =
      "--ro-bind '" + course_.tree().string() + "' '" + course_.tree().string() + "'";
  const RunResult result = run("list", read_only);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "cannot write to")) << result.output;
  EXPECT_EQ(run("grade --no-build", read_only).exit_code, 0);
}

TEST_F(LabScriptTest, APathThatBuildToolsCannotTakeIsNamed) {
  const auto configures = [&](const std::string& name) {
    const fs::path tree = folder_.path() / name;
    fs::copy(course_.tree(), tree, fs::copy_options::recursive);
    fs::remove(calls());
    const RunResult result =
        run_command({"/usr/bin/env", "LAB_PRESET=student",
                     "PATH=" + programs_.string() + ":/usr/bin:/bin", tree / "lab", "list"});
    const bool refused = contains(result, "cannot be built in " + tree.string() + ":\n");
    EXPECT_EQ(refused, called().find("--preset") == std::string::npos) << result.output;
    return !refused;
  };
  for (const char* name : {"my course", "[1] (a) b", "[[a]]", "ümlaut & co"})
    EXPECT_TRUE(configures(name)) << name;
  for (const char* name : {"it's", "a,b", "a;b", "a$b", "a\"b", "a`b", "a\\b", "a[b", "a]b"})
    EXPECT_FALSE(configures(name)) << name;
}

TEST_F(LabScriptTest, AFailedConfigurationIsShownOnce) {
  pretend("cmake", "echo the reason; exit 1");
  const RunResult result = run("list");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result, "the reason")) << result.output;
  EXPECT_FALSE(fs::exists(course_.build() / "configured"));
}

TEST_F(LabScriptTest, TestEndsWithCTestsWordsAndSaysWhyTestsWereNotRun) {
  const fs::path logs = course_.build() / "Testing/Temporary";
  fs::create_directories(logs);
  std::ofstream(logs / "LastTest.log")
      << "[ RUN      ] A.OnGpu\n/a_test.cpp:7: Skipped\nneeds a GPU\n[  SKIPPED ] A.OnGpu (0 ms)\n"
         "[ RUN      ] B.OnGpu\n/b_test.cpp:9: Skipped\nneeds a GPU\n[  SKIPPED ] B.OnGpu (0 ms)\n"
         "[ RUN      ] C.Silent\n/c_test.cpp:9: Skipped\n\n[  SKIPPED ] C.Silent (0 ms)\n";
  pretend("ctest",
          "echo '1/2 Test #1: A.OnGpu ... Skipped'\n"
          "echo '100% tests passed, 0 tests failed out of 3'\necho last");
  const std::string expected =
      "1/2 Test #1: A.OnGpu ... Skipped\n2 not run: needs a GPU\n1 not run: no reason is given\n"
      "100% tests passed, 0 tests failed out of 3\nlast\n";
  RunResult result = run("test");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(result.output.ends_with(expected)) << result.output;
  pretend("ctest", "echo '66% tests passed, 1 tests failed out of 3'; exit 8");
  result = run("test");
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_TRUE(result.output.ends_with("66% tests passed, 1 tests failed out of 3\n"))
      << result.output;
}

TEST_F(LabScriptTest, CtrlCEndsWith130) {
  pretend("cmake", "sleep 30");
  const RunResult result = run_shell("LAB_PRESET=student PATH='" + programs_.string() +
                                     "':/usr/bin:/bin timeout --preserve-status -s INT "
                                     "0.5 '" +
                                     (course_.tree() / "lab").string() + "' list");
  EXPECT_EQ(result.exit_code, 130) << result.output;
  EXPECT_TRUE(contains(result, "lab: stopped")) << result.output;
}

}  // namespace
}  // namespace gridstride::cli
