// Whose fault is it? The student's for what the compiler says about the source, whatever that says;
// never for what goes wrong around it.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/compile/guarded_stage.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

class BlameTest : public GuardTest {
 protected:
  /// A compiler that does `script` first, then what a compiler does. $* are its arguments.
  void pretend_compiler(const std::string& script) {
    const fs::path compiler = toolkit_.path() / "bin/g++";
    fs::create_directories(compiler.parent_path());
    write_file(compiler, "#!/bin/sh\n" + script + "\nexec " GRIDSTRIDE_HOST_COMPILER " \"$@\"\n");
    fs::permissions(compiler, fs::perms::owner_all);
    guarded_.command[0] = compiler;
  }
  static std::string on_the_source(const std::string& script) {
    return "case $* in *1_first.cu*) " + script + ";; esac";
  }
  void link(std::vector<std::string> more = {}) {
    guarded_.command = {guarded_.command[0], "-shared", "-Wl,-z,defs", "-o",
                        guarded_.library,    object_};
    guarded_.command.insert(guarded_.command.end(), more.begin(), more.end());
  }

  void expect_infrastructure(const std::string& words) {
    std::ofstream(guarded_.log) << "of yesterday";
    std::ofstream(guarded_.library) << "of yesterday";
    EXPECT_THROW(run_guarded(guarded_), std::runtime_error);
    EXPECT_FALSE(fs::exists(guarded_.log));
    EXPECT_FALSE(fs::exists(guarded_.library));
    const std::string told = read_file(infrastructure_of(guarded_.log));
    EXPECT_NE(told.find(words), std::string::npos) << told;
    EXPECT_NE(told.find("Repair: "), std::string::npos) << told;
  }
  void expect_theirs(const std::string& words) {
    std::ofstream(guarded_.library) << "of yesterday";
    std::ofstream(infrastructure_of(guarded_.log)) << "of yesterday";
    EXPECT_FALSE(run_guarded(guarded_));
    EXPECT_FALSE(fs::exists(guarded_.library));
    EXPECT_FALSE(fs::exists(infrastructure_of(guarded_.log)));
    EXPECT_NE(log().find(words), std::string::npos) << log();
  }
  void write_source(const std::string& text) { write_file(source_, text); }

  TemporaryFolder toolkit_;
};

TEST_F(BlameTest, WordsOfTheSourceAreTheStudentsWhateverTheySay) {
  for (const std::string words :
       {"No space left on device", "cannot open dependency file x/link.d", "Disk quota exceeded",
        "Killed signal terminated program cc1plus", "sh: 1: cicc: not found",
        "The toolchain fails on a text of the course's own too"}) {
    write_source("#error " + words + "\n");
    expect_theirs(words);
    write_source("#line 1 \"bwrap: " + words + "\"\n#error bwrap: " + words + "\n");
    expect_theirs(words);
    write_source("static_assert(sizeof(int) == 1, \"" + words + "\");\n");
    expect_theirs(words);
  }
}

TEST_F(BlameTest, MistakesOfTheSourceAreTheStudents) {
  write_source("#include \"no_such_header.h\"\n");
  expect_theirs("no_such_header.h");
  write_source("#include \"/etc/passwd\"\n");
  expect_theirs("/etc/passwd");
  write_source(
      "template <int n> struct Bomb { using Left = typename Bomb<n + 1>::Left; };\n"
      "Bomb<0>::Left x;\n");
  expect_theirs("template instantiation depth");
  write_source("char bomb[1u << 30] = {1};\n");
  expect_theirs("File size limit exceeded");
  fs::remove(source_);
  fs::create_symlink("/etc/passwd", source_);
  expect_theirs("not a plain file");
}

/// Instances without end, and a list of which each macro doubles the length of the one before.
TEST_F(BlameTest, BombsAreTheStudents) {
  guarded_.wall_seconds = 5;
  write_source(
      "template <int n, int m> struct Bomb {\n"
      "  static constexpr int value = Bomb<n - 1, 2 * m>::value + Bomb<n - 1, 2 * m + 1>::value;\n"
      "};\n"
      "template <int m> struct Bomb<0, m> { static constexpr int value = m; };\n"
      "int x = Bomb<26, 0>::value;\n");
  expect_theirs("5 s");
  guarded_.wall_seconds = 90;
  std::string text = "#define A0 1, 1\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "A" + std::to_string(i - 1);
    text += "#define A" + std::to_string(i) + " " + before + ", " + before + "\n";
  }
  write_source(text + "int bomb[] = {A29};\n");
  expect_theirs("memory");
}

TEST_F(BlameTest, ASourceThatACompilerCannotTakeIsTheStudents) {
  write_source("int x;\n");
  pretend_compiler(on_the_source("exit 1"));
  expect_theirs("The compiler failed without a word.");
  pretend_compiler(on_the_source("kill -SEGV $$"));
  expect_theirs("signal 11");
  guarded_.wall_seconds = 5;
  pretend_compiler(on_the_source("sleep 10"));
  expect_theirs("5 s");
}

TEST_F(BlameTest, AMissingCompilerIsNot) {
  write_source("int x;\n");
  guarded_.command[0] = "/usr/bin/no-such-compiler";
  expect_infrastructure("there is no compiler /usr/bin/no-such-compiler");
  pretend_compiler("");
  write_file(guarded_.command[0], "#!/no/such/shell\n");
  expect_infrastructure("The stage could not be built.");
}

TEST_F(BlameTest, AToolchainThatFailsOnOurTextTooIsNot) {
  write_source("#error an error of the student's own makes no difference\n");
  for (const std::string& script :
       {std::string("exit 1"), std::string("echo 'sh: 1: cc1plus: not found' >&2; exit 127"),
        std::string("kill -SEGV $$"), std::string("echo 'cannot write: No space left'; exit 1")}) {
    pretend_compiler(script);
    expect_infrastructure("The toolchain fails on a text of the course's own too:\n  ");
  }
  pretend_compiler("echo 'sh: 1: cc1plus: not found' >&2; exit 127");
  expect_infrastructure("\n  sh: 1: cc1plus: not found\nRepair:");
}

TEST_F(BlameTest, AToolchainThatWritesNothingIsNot) {
  write_source("int x;\n");
  pretend_compiler("exit 0");
  expect_infrastructure("did not write");
}

TEST_F(BlameTest, AContractThatDoesNotCompileIsNot) {
  write_source("#include \"labs/tiny/tiny.h\"\n");
  write_file(tree_ / "labs/tiny/tiny.h", "the half of a head");
  expect_infrastructure("labs/tiny/tiny.h:1:");
}

TEST_F(BlameTest, APartThatTheToolkitLacksIsNot) {
  write_source("#include <cub/cub.cuh>\n");
  expect_infrastructure("cub/version.cuh");
}

TEST_F(BlameTest, ACompilerThatSomebodyKillsIsNot) {
  write_source("int x;\n");
  for (const std::string signal : {"KILL", "TERM"}) {
    pretend_compiler(on_the_source("kill -" + signal + " $$"));
    expect_infrastructure("somebody or something stopped it");
  }
}

TEST_F(BlameTest, AMachineThatIsTooSlowIsNot) {
  write_source("int x;\n");
  guarded_.wall_seconds = 3;
  pretend_compiler(on_the_source("sleep 10") + "\nsleep 1.5");
  expect_infrastructure("too busy or too slow");
}

TEST_F(BlameTest, ASandboxThatFailsIsNot) {
  if (!sandbox_status().available) GTEST_SKIP() << sandbox_status().reason;
  write_source("int x;\n");
  guarded_.readable.push_back(tree_ / "no such header.h");
  expect_infrastructure("no such header.h");
}

TEST_F(BlameTest, AFileInPlaceOfTheBuildsFolderIsNot) {
  write_file(tree_ / "file", "");
  object_ = tree_ / "file/1_first.o";
  guarded_.command.back() = object_;
  for (const std::string text : {"int x;\n", "#error no\n"}) {
    write_source(text);
    expect_infrastructure((tree_ / "file").string());
  }
}

TEST_F(BlameTest, WhatIsMendedIsNotToldAnyMore) {
  write_source("int x;\n");
  pretend_compiler("exit 1");
  expect_infrastructure("The toolchain");
  pretend_compiler("");
  EXPECT_TRUE(run_guarded(guarded_)) << log();
  EXPECT_FALSE(fs::exists(infrastructure_of(guarded_.log)));
  EXPECT_EQ(log(), "");
}

TEST_F(BlameTest, OfALinkOnlyTheObjectIsTheStudents) {
  ASSERT_TRUE(compile("void missing(); void tiny(int*) { missing(); }\n"));
  const std::string compiler = guarded_.command[0];
  link();
  expect_theirs("missing");
  link({"-lno-such-library"});
  expect_infrastructure("-lno-such-library");
  link({"-Wl,--version-script=" + (tree_ / "no/such/folder/x.map").string()});
  expect_infrastructure("x.map");
  pretend_compiler("case $* in *-shared*) echo 'ld: not found' >&2; exit 1;; esac");
  link();
  expect_infrastructure("\n  ld: not found\n");
}

/// Where files cannot be made: compile-guard as the build starts it, and below it mounts of its
/// own.
class MountedBlameTest : public BlameTest {
 protected:
  void SetUp() override {
    if (!sandbox_status().available) GTEST_SKIP() << sandbox_status().reason;
    write_source("#error a mistake\n");
  }
  int run_with(const std::string& mounts, const std::string& variables = "",
               const std::string& before = "") {
    std::string command = before + "bwrap --bind / / --dev /dev " + mounts + " env " + variables +
                          " '" + GRIDSTRIDE_GUARD + "' '--tree=" + tree_.string() +
                          "' '--log=" + guarded_.log.string() +
                          "' '--library=" + guarded_.library.string() + "'";
    for (const fs::path& path : guarded_.readable) command += " '--read=" + path.string() + "'";
    command += " --";
    for (const std::string& word : guarded_.command) command += " '" + word + "'";
    return WEXITSTATUS(std::system((command + " 2>'" + words_.string() + "'").c_str()));
  }
  std::string words() const { return read_file(words_); }
  fs::path words_ = folder_.path() / "words";
};

TEST_F(MountedBlameTest, AScratchFolderWithoutRoom) {
  const std::string scratch = (folder_.path() / "scratch").string();
  fs::create_directory(scratch);
  const auto with_room = [&](const std::string& bytes) {
    return run_with("--size " + bytes + " --tmpfs " + scratch, "TMPDIR=" + scratch);
  };
  EXPECT_EQ(with_room("8000000"), 3);
  EXPECT_NE(words().find("The disk of " + scratch + " has no room for a file of 128 MiB"),
            std::string::npos)
      << words();
  EXPECT_FALSE(fs::exists(guarded_.log));
  EXPECT_TRUE(fs::exists(infrastructure_of(guarded_.log)));
  EXPECT_EQ(with_room("200000000"), 1) << words();
  EXPECT_NE(log().find("a mistake"), std::string::npos);
}

/// As a quota does, a limit of the shell's stops a file where the disk has room.
TEST_F(MountedBlameTest, ALimitOnFiles) {
  EXPECT_EQ(run_with("", "", "ulimit -f 20000; "), 3);
  EXPECT_NE(words().find("File too large"), std::string::npos) << words();
}

TEST_F(MountedBlameTest, AMissingScratchFolder) {
  EXPECT_EQ(run_with("", "TMPDIR=/no/such/folder"), 3);
  EXPECT_NE(words().find("/no/such/folder"), std::string::npos) << words();
  EXPECT_NE(words().find("Repair: "), std::string::npos) << words();
}

TEST_F(MountedBlameTest, ABuildFolderWithoutRoom) {
  const std::string full = "--size 65536 --tmpfs " + (tree_ / "build").string();
  EXPECT_EQ(run_with(full), 3);
  EXPECT_NE(words().find("has no room for a file of 8 MiB"), std::string::npos) << words();
  write_source("char large[1 << 20] = {1};\n");
  EXPECT_EQ(run_with(full), 3);
  EXPECT_NE(words().find("No space left on device"), std::string::npos) << words();
  EXPECT_NE(words().find("Repair: make room"), std::string::npos) << words();
}

TEST_F(MountedBlameTest, AReadOnlyBuildFolder) {
  const std::string build = (tree_ / "build").string();
  for (const std::string text : {"int x;\n", "#error a mistake\n"}) {
    write_source(text);
    EXPECT_EQ(run_with("--ro-bind '" + build + "' '" + build + "'"), 3);
    EXPECT_NE(words().find("Read-only file system"), std::string::npos) << words();
  }
  EXPECT_FALSE(fs::exists(guarded_.log));
}

/// The real nvcc, as a stage is compiled with it.
class NvccBlameTest : public BlameTest {
 protected:
  void use(const fs::path& nvcc) {
    guarded_.command = {nvcc,
                        GRIDSTRIDE_NVCC_OPTIONS,
                        "-forward-unknown-to-host-compiler",
                        "-I" + tree_.string(),
                        "--generate-code=arch=compute_75,code=[sm_75]",
                        "-Xcompiler=-fPIC",
                        "-std=c++20",
                        "-x",
                        "cu",
                        "-rdc=true",
                        "-c",
                        source_,
                        "-o",
                        object_};
  }
  void link_on_device(const std::vector<std::string>& more = {}) {
    guarded_.command = {GRIDSTRIDE_NVCC,
                        GRIDSTRIDE_NVCC_OPTIONS,
                        "--generate-code=arch=compute_75,code=[sm_75]",
                        "-Xcompiler=-fPIC",
                        "-shared",
                        "-dlink",
                        object_,
                        "-o",
                        tree_ / "build/device_link.o",
                        "-lcudadevrt"};
    guarded_.command.insert(guarded_.command.end(), more.begin(), more.end());
  }
  /// The toolkit without one of its parts.
  fs::path toolkit_without(const fs::path& part) {
    const fs::path real = fs::canonical(GRIDSTRIDE_CUDA_TOOLKIT);  // its nvcc may be a wrapper
    const auto mirror = [](const fs::path& from, const fs::path& to, const fs::path& leave_out) {
      fs::create_directories(to);
      for (const auto& entry : fs::directory_iterator(from)) {
        if (entry.path().filename() != leave_out)
          fs::create_symlink(entry.path(), to / entry.path().filename());
      }
    };
    mirror(real, toolkit_.path(), "bin");
    mirror(real / "bin", toolkit_.path() / "bin", "nvcc");
    fs::copy_file(real / "bin/nvcc", toolkit_.path() / "bin/nvcc");  // it looks around itself
    const fs::path folder = part.parent_path();
    if (folder != "bin") {
      for (fs::path above; const fs::path& step : folder) {
        above /= step;
        fs::remove(toolkit_.path() / above);
        mirror(real / above, toolkit_.path() / above, "");
      }
    }
    fs::remove(toolkit_.path() / part);
    return toolkit_.path() / "bin/nvcc";
  }
};

TEST_F(NvccBlameTest, AToolkitThatLacksAProgramIsNotTheStudents) {
  write_source("__global__ void k(int* p) { *q = 1; }\n");
  use(toolkit_without("nvvm/bin/cicc"));
  expect_infrastructure("cicc");
}

TEST_F(NvccBlameTest, AMissingHeaderOfAPartThatIsThereIsTheStudents) {
  write_source("#include <cub/no_such_header.cuh>\n");
  use(GRIDSTRIDE_NVCC);
  expect_theirs("cub/no_such_header.cuh");
}

TEST_F(NvccBlameTest, OfADeviceLinkOnlyTheObjectIsTheStudents) {
  use(GRIDSTRIDE_NVCC);
  write_source("__device__ int missing();\n__global__ void k(int* p) { *p = missing(); }\n");
  ASSERT_TRUE(run_guarded(guarded_)) << log();
  link_on_device();
  expect_theirs("missing");
  link_on_device({"--no-such-option"});
  expect_infrastructure("no-such-option");
}

TEST_F(NvccBlameTest, AHostCompilerOutsideTheSystemsFoldersIsFound) {
  pretend_compiler("");
  const std::string host = guarded_.command[0];
  write_source("__global__ void k(int* p) { *p = 1; }\n");
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"-ccbin", host}, {"-ccbin=" + host}}) {
    guarded_.command = {GRIDSTRIDE_NVCC,
                        "-isystem",
                        GRIDSTRIDE_SOURCE_TREE "/common/glibc_overlay",
                        "-x",
                        "cu",
                        "-c",
                        source_,
                        "-o",
                        object_};
    guarded_.command.insert(guarded_.command.end(), option.begin(), option.end());
    EXPECT_TRUE(run_guarded(guarded_)) << log();
  }
}

TEST_F(NvccBlameTest, TheControlOfADeviceLinkHasItsHostCompiler) {
  use(GRIDSTRIDE_NVCC);
  write_source("__device__ int missing();\n__global__ void k(int* p) { *p = missing(); }\n");
  ASSERT_TRUE(run_guarded(guarded_)) << log();
  // An nvcc that does nothing without the host compiler it is given.
  const fs::path picky = toolkit_.path() / "nvcc";
  write_file(picky, "#!/bin/sh\ncase \"$*\" in *-ccbin=*) exec " GRIDSTRIDE_NVCC
                    " \"$@\";; esac\necho 'unsupported GNU version!'; exit 1\n");
  fs::permissions(picky, fs::perms::owner_all);
  link_on_device({std::string("-ccbin=") + GRIDSTRIDE_HOST_COMPILER});
  guarded_.command[0] = picky;
  expect_theirs("missing");
}

TEST_F(NvccBlameTest, OfALinkWithTheRuntimeOnlyTheObjectIsTheStudents) {
  use(GRIDSTRIDE_NVCC);
  std::erase(guarded_.command, "-rdc=true");
  write_source(
      "void missing();\n"
      "__global__ void k() {}\n"
      "void tiny() { k<<<1, 1>>>(); missing(); }\n");
  ASSERT_TRUE(run_guarded(guarded_)) << log();
  guarded_.command[0] = "/usr/bin/c++";
  link({"-L" GRIDSTRIDE_CUDA_LIBRARIES, "-lcudart"});
  expect_theirs("missing");
  const fs::path other = toolkit_.path() / "libcudart.so";
  ASSERT_EQ(std::system(("/usr/bin/c++ -shared -x c++ /dev/null -o " + other.string()).c_str()), 0);
  link({"-L" + toolkit_.path().string(), "-lcudart"});
  expect_infrastructure("__cudaRegisterFatBinary");
}

/// Every lab's headers compile together and on their own, or each mistake would be the toolchain's.
class EveryLab : public NvccBlameTest, public testing::WithParamInterface<std::string> {};

TEST_P(EveryLab, HasHeadersThatTheControlCanInclude) {
  const fs::path tree = GRIDSTRIDE_SOURCE_TREE;
  use(GRIDSTRIDE_NVCC);
  std::ranges::replace(guarded_.command, "-I" + tree_.string(), "-I" + tree.string());
  guarded_.readable = {source_, tree / "common"};
  for (const auto& entry : fs::directory_iterator(tree / "labs" / GetParam())) {
    if (entry.path().extension() == ".h" || entry.path().extension() == ".cuh")
      guarded_.readable.push_back(entry.path());
  }
  write_source("#error a mistake\n");
  expect_theirs("a mistake");
}

std::vector<std::string> labs() {
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(fs::path(GRIDSTRIDE_SOURCE_TREE) / "labs")) {
    if (entry.is_directory()) all.push_back(entry.path().filename());
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Labs, EveryLab, testing::ValuesIn(labs()), [](const auto& lab) {
  std::string name = lab.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace gridstride
