// What a source may and may not do to the machine that compiles it.
//
// Most cases use the host compiler, which nvcc hands every source to; the last uses nvcc itself.
#include "grader/compile/guard.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "grader/compile/guarded_stage.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

TEST_F(GuardTest, CompilesAgainstTheContract) {
  EXPECT_TRUE(compile("#include \"labs/tiny/tiny.h\"\nvoid tiny(int* out) { *out = 1; }\n"))
      << log();
  EXPECT_TRUE(fs::exists(object_));
  const std::string dependencies = read_file(object_.string() + ".d");
  EXPECT_EQ(dependencies.find("target:"), 0u) << dependencies;
  EXPECT_NE(dependencies.find("labs/tiny/tiny.h"), std::string::npos);
}

TEST_F(GuardTest, AFailureLeavesTheCompilersWordsAndNoOldLibrary) {
  std::ofstream(guarded_.library) << "of yesterday";
  EXPECT_FALSE(compile("void tiny(int* out) { *out = missing; }\n"));
  EXPECT_FALSE(fs::exists(guarded_.library));
  EXPECT_NE(log().find("labs/tiny/1_first.cu:1:"), std::string::npos) << log();
  EXPECT_NE(log().find("missing"), std::string::npos) << log();
  EXPECT_EQ(log().find(tree_.string()), std::string::npos) << "the tree's path is noise";
}

TEST_F(GuardTest, LeavesTheTextAndTheHeadersThatALibraryIsBuiltFrom) {
  const std::string text = "#include \"labs/tiny/tiny.h\"\nvoid tiny(int*) {}\n";
  ASSERT_TRUE(compile(text)) << log();
  EXPECT_EQ(read_file(text_of(guarded_.library)), text);
  EXPECT_NE(read_file(headers_of(guarded_.library)).find("labs/tiny/tiny.h\n"), std::string::npos);
  EXPECT_FALSE(compile("broken"));
  EXPECT_EQ(read_file(text_of(guarded_.library)), "broken") << "what the log is about";
  EXPECT_FALSE(fs::exists(headers_of(guarded_.library)));
}

/// `#line` can say anything, and nobody but the preprocessor knows what it opened.
TEST_F(GuardTest, TheListOfHeadersHoldsNoWordsOfTheSource) {
  ASSERT_TRUE(compile("#line 1 \"x\\ny $z a.h: b\"\nint x;\n#line 1 \"/etc/passwd\"\nint y;\n"))
      << log();
  const std::string list = read_file(object_.string() + ".d");
  EXPECT_EQ(list.find("$z"), std::string::npos) << list;
}

TEST_F(GuardTest, ReadsNothingThatItIsNotGiven) {
  if (!sandbox_status().available) GTEST_SKIP() << sandbox_status().reason;
  for (const std::string& file :
       {std::string("/etc/passwd"), (tree_ / "solutions/tiny/1_first.cu").string()}) {
    EXPECT_FALSE(compile("#include \"" + file + "\"\n")) << file;
    const bool missing = log().find("No such file") != std::string::npos ||  // GCC's words
                         log().find("file not found") != std::string::npos;  // Clang's
    EXPECT_TRUE(missing) << log();
    EXPECT_EQ(log().find("root:"), std::string::npos) << log();
    EXPECT_FALSE(compile("__asm__(\".incbin \\\"" + file + "\\\"\");\n")) << file;
  }
}

TEST_F(GuardTest, InheritsNothingFromTheEnvironment) {
  ::setenv("CPLUS_INCLUDE_PATH", (tree_ / "solutions").c_str(), 1);
  EXPECT_FALSE(compile("#include <tiny/1_first.cu>\n"));
  ::unsetenv("CPLUS_INCLUDE_PATH");
}

TEST_F(GuardTest, RefusesSourcesThatAreNoPlainFiles) {
  fs::create_symlink(tree_ / "solutions/tiny/1_first.cu", source_);
  EXPECT_FALSE(run_guarded(guarded_));
  EXPECT_EQ(log(), "1_first.cu is not a plain file. Put the stage's source there.");
  fs::remove(source_);
  ASSERT_EQ(::mkfifo(source_.c_str(), 0600), 0);
  EXPECT_FALSE(run_guarded(guarded_));
  fs::remove(source_);
  EXPECT_FALSE(compile(std::string((1u << 20) + 1, ' ')));
  EXPECT_NE(log().find("larger than 1 MiB"), std::string::npos);
}

TEST_F(GuardTest, FloodsOfMessagesAreCut) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "#warning \x1b[31m flood of words that nobody reads\n";
  EXPECT_TRUE(compile(text));
  EXPECT_EQ(log(), "") << "it compiles";
  const std::string warnings = read_file(warnings_of(guarded_.log));
  EXPECT_NE(warnings.find("flood of words"), std::string::npos);
  EXPECT_LT(warnings.size(), 2u << 20);
  EXPECT_EQ(warnings.find('\x1b'), std::string::npos);
  EXPECT_TRUE(compile("int x;\n"));
  EXPECT_FALSE(fs::exists(warnings_of(guarded_.log))) << "of yesterday";
}

TEST_F(GuardTest, AnObjectOfAGigabyteIsNotWritten) {
  EXPECT_FALSE(compile("char bomb[1u << 30] = {1};\n"));
  EXPECT_NE(log().find("File size limit exceeded"), std::string::npos) << log();
}

TEST_F(GuardTest, LinksTheBuildsObjectsAndNothingUndefined) {
  ASSERT_TRUE(compile("void missing(); void tiny(int*) { missing(); }\n"));
  guarded_.command = {"/usr/bin/c++", "-shared",        "-Wl,-z,defs",
                      "-o",           guarded_.library, fs::relative(object_).string()};
  EXPECT_FALSE(run_guarded(guarded_));
  EXPECT_NE(log().find("cannot be linked:"), std::string::npos) << log();
  EXPECT_NE(log().find("missing"), std::string::npos) << log();
  guarded_.command.erase(guarded_.command.begin() + 2);
  EXPECT_TRUE(run_guarded(guarded_)) << log();
  EXPECT_TRUE(fs::exists(guarded_.library));
  EXPECT_EQ(log(), "") << "what is mended is not told any more";
}

/// CMake from 3.27 on asks the linker for it, in a folder that the sandbox does not hold.
TEST_F(GuardTest, ALinkersListOfInputsGoesWhereTheBuildWantsIt) {
  ASSERT_TRUE(compile("void tiny(int*) {}\n")) << log();
  const fs::path list = tree_ / "build/link.d";
  guarded_.command = {"/usr/bin/c++", "-shared",        "-Wl,--dependency-file=" + list.string(),
                      "-o",           guarded_.library, object_.string()};
  EXPECT_TRUE(run_guarded(guarded_)) << log();
  const std::string words = read_file(list);
  EXPECT_EQ(words.find(guarded_.library.string() + ":"), 0u) << words;
  EXPECT_NE(words.find(object_.string()), std::string::npos) << words;
}

TEST_F(GuardTest, SeesTheLibrariesThatItIsToldToLink) {
  guarded_.command.insert(guarded_.command.begin() + 1, "-fPIC");
  ASSERT_TRUE(compile("extern int answer; void tiny(int* out) { *out = answer; }\n")) << log();
  const TemporaryFolder toolkit;
  const fs::path library = toolkit.path() / "libanswer.so";
  write_file(toolkit.path() / "answer.cpp", "int answer = 42;\n");
  ASSERT_EQ(std::system(("/usr/bin/c++ -shared -fPIC -o " + library.string() + " " +
                         (toolkit.path() / "answer.cpp").string())
                            .c_str()),
            0);
  guarded_.command = {"/usr/bin/c++",
                      "-shared",
                      "-Wl,-z,defs",
                      "-o",
                      guarded_.library,
                      object_.string(),
                      "-L" + toolkit.path().string(),
                      "-lanswer"};
  EXPECT_TRUE(run_guarded(guarded_)) << log();
}

TEST_F(GuardTest, RunsNvcc) {
  guarded_.command = {GRIDSTRIDE_NVCC,
                      GRIDSTRIDE_NVCC_OPTIONS,
                      "-arch=compute_75",
                      "-lineinfo",
                      "-x",
                      "cu",
                      "-c",
                      source_.string(),
                      "-o",
                      object_.string()};
  EXPECT_TRUE(compile("__global__ void k(int* p) { *p = 1; }\n")) << log();
  EXPECT_FALSE(compile("__global__ void k(int* p) { *q = 1; }\n"));
  EXPECT_NE(log().find("labs/tiny/1_first.cu(1): error"), std::string::npos) << log();
}

class NvccTest : public GuardTest {
 protected:
  NvccTest() {
    guarded_.command = {GRIDSTRIDE_NVCC,
                        GRIDSTRIDE_NVCC_OPTIONS,
                        "-arch=compute_75",
                        "-MD",
                        "-MT",
                        "target",
                        "-MF",
                        object_.string() + ".d",
                        "-x",
                        "cu",
                        "-c",
                        source_.string(),
                        "-o",
                        object_.string()};
  }
  bool opened(const std::string& header) const {
    return read_file(headers_of(guarded_.library)).find("/" + header + "\n") != std::string::npos;
  }
};

/// One pass of nvcc's is for the host, one for the device; an include may be in one of them only.
TEST_F(NvccTest, ListsTheHeadersOfBothPassesHoweverTheyAreNamed) {
  const std::string with_zero("#\0include <ftw.h>\n", 18);
  ASSERT_TRUE(
      compile("\xef\xbb\xbf#include <fnmatch.h>\n"
              "#ifdef __CUDA_ARCH__\n#include <glob.h>\n#endif\n"
              "#ifndef __CUDA_ARCH__\n#include <search.h>\n#endif\n"
              "#inc\\\f\nlude <termios.h>\n" +
              with_zero +
              "#define S(x) 0\nint b = S(1'/*');\n#include <aliases.h>\n//'*/\n"
              "#define H <fmtmsg.h>\n#include H\n"
              "%:include <./argz.h>\n"
              "#include \"/proc/self/cwd/../../usr/include/utime.h\"\n"
              "#include \"/proc/self/root/usr/include/ulimit.h\"\n"
              "#line 1 \"/usr/include/stdio.h\"\n#include <envz.h>\n#line 2 \"x.cu\"\n"
              "# 1 \"/usr/include/stdio.h\" 1 3\n#include <spawn.h>\n# 2 \"x.cu\" 2\n"
              "#if __has_include(<libgen.h>)\nint asked;\n#endif\n"))
      << log();
  for (const std::string header :
       {"fnmatch.h", "glob.h", "search.h", "termios.h", "ftw.h", "aliases.h", "fmtmsg.h", "argz.h",
        "envz.h", "spawn.h", "utime.h", "ulimit.h"})
    EXPECT_TRUE(opened(header)) << header;
  EXPECT_FALSE(opened("libgen.h")) << "asking is not including";
}

TEST_F(NvccTest, RefusesDirectivesThatAreHiddenFromThePreprocessor) {
  EXPECT_FALSE(
      compile("#define H #\nH include \"" + (tree_ / "labs/tiny/tiny.h").string() + "\"\n"));
  EXPECT_NE(log().find("1_first.cu: error: a macro, or a line of a string, makes a line that "
                       "begins with #include: "),
            std::string::npos)
      << log();
}

}  // namespace
}  // namespace gridstride
