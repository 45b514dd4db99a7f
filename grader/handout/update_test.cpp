// A handout in a student's hands, and archives: newer ones, and hostile ones.
#include "grader/handout/update.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "grader/handout/pack.h"
#include "grader/handout/places.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

class HandoutUpdateTest : public testing::Test {
 protected:
  HandoutUpdateTest() {
    fs::create_directories(source() / "ready/bin");
    put(source() / "ready/bin/gridstride", "old program");
    put(source() / "handout.json", R"({"labs": ["scan"]})");
    give("lab", "#!/bin/sh\n");
    give("docs/student.md", "old words");
    give("labs/scan/1_first.cu", "old first TODO");
    give("labs/scan/2_second.cu", "old second TODO");
    give("labs/scan/3_third.cu", "old third TODO");
    fs::copy(source(), tree_, fs::copy_options::recursive);
    put(source() / "ready/bin/gridstride", "new program");
  }

  static void put(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    write_file(file, text);
  }
  fs::path source() const { return folder_.path() / "source" / handout_top; }
  /// Has the next archive hold this text.
  void give(const std::string& name, const std::string& text) const {
    put(source() / name, text);
    put(source() / handed_out_texts / name, text);
  }
  void take_away(const std::string& name) const {
    fs::remove(source() / name);
    fs::remove(source() / handed_out_texts / name);
  }
  fs::path archive() const { return folder_.path() / "new one.tar.zst"; }
  HandoutUpdate update() const {
    pack(folder_.path() / "source", archive());
    return update_handout(tree_, archive());
  }
  std::string here(const std::string& name) const { return read_file(tree_ / name); }

  /// Packs what `script` does with tar in a folder beside the handout; the words of the refusal.
  std::string refusal_of(const std::string& script) const {
    const std::string before = everything();
    const fs::path evil = folder_.path() / "evil";
    fs::create_directories(evil);
    Subprocess shell;
    shell.command = {"/bin/bash", "-ec",
                     "cd '" + evil.string() + "'; cp -r '" + source().string() + "' .; " + script +
                         "; zstd -q -f evil.tar -o '" + archive().string() + "'"};
    EXPECT_TRUE(run_process(shell).succeeded()) << script;
    std::string words;
    try {
      update_handout(tree_, archive());
    } catch (const std::runtime_error& error) {
      words = error.what();
    }
    EXPECT_EQ(everything(), before) << "something was changed by " << script;
    fs::remove_all(evil);
    return words;
  }
  /// Names and texts of all that is below the folder, the archive left out.
  std::string everything() const {
    return output_of({"/bin/sh", "-c",
                      "cd '" + folder_.path().string() +
                          "' && find tree outside -type f -exec sha256sum {} + | sort"});
  }

  TemporaryFolder folder_;
  fs::path tree_ = folder_.path() / "tree";
};

TEST_F(HandoutUpdateTest, TakesWhatTheStudentHasNotChanged) {
  give("docs/student.md", "new words");
  give("labs/scan/4_fourth.cu", "new fourth TODO");
  take_away("labs/scan/3_third.cu");
  fs::remove(tree_ / "lab");
  const HandoutUpdate done = update();
  EXPECT_EQ(done.changed,
            (std::vector<std::string>{"docs/student.md", "lab", "labs/scan/3_third.cu",
                                      "labs/scan/4_fourth.cu"}));
  EXPECT_TRUE(done.kept.empty());
  EXPECT_TRUE(done.conflicts.empty());
  EXPECT_EQ(here("docs/student.md"), "new words");
  EXPECT_EQ(here("labs/scan/4_fourth.cu"), "new fourth TODO");
  EXPECT_EQ(here("lab"), "#!/bin/sh\n");
  EXPECT_FALSE(fs::exists(tree_ / "labs/scan/3_third.cu"));
  EXPECT_EQ(here("ready/bin/gridstride"), "new program");
  EXPECT_FALSE(fs::exists(tree_ / ".lab/update")) << "nothing is left of the work";
  EXPECT_TRUE(update().changed.empty()) << "a second time there is nothing to do";
}

TEST_F(HandoutUpdateTest, KeepsWhatTheStudentHasChanged) {
  put(tree_ / "labs/scan/1_first.cu", "my first");
  put(tree_ / "labs/scan/2_second.cu", "my second");
  put(tree_ / "labs/scan/3_third.cu", "my third");
  put(tree_ / "labs/scan/notes.txt", "my notes");
  give("labs/scan/2_second.cu", "new second TODO");
  take_away("labs/scan/3_third.cu");
  const HandoutUpdate done = update();
  EXPECT_EQ(done.kept, (std::vector<std::string>{"labs/scan/1_first.cu", "labs/scan/3_third.cu"}));
  ASSERT_EQ(done.conflicts.size(), 1u);
  EXPECT_EQ(done.conflicts[0].file, "labs/scan/2_second.cu");
  EXPECT_EQ(done.conflicts[0].beside, "labs/scan/2_second.cu.new");
  EXPECT_EQ(here("labs/scan/1_first.cu"), "my first");
  EXPECT_EQ(here("labs/scan/2_second.cu"), "my second");
  EXPECT_EQ(here("labs/scan/2_second.cu.new"), "new second TODO");
  EXPECT_EQ(here("labs/scan/3_third.cu"), "my third");
  EXPECT_EQ(here("labs/scan/notes.txt"), "my notes");
}

TEST_F(HandoutUpdateTest, AFileBesideIsNotOverwritten) {
  put(tree_ / "labs/scan/2_second.cu", "my second");
  put(tree_ / "labs/scan/2_second.cu.new", "my notes about the new one");
  put(tree_ / "labs/scan/5_fifth.cu", "my own fifth");
  give("labs/scan/2_second.cu", "new second TODO");
  give("labs/scan/5_fifth.cu", "new fifth TODO");
  const HandoutUpdate done = update();
  ASSERT_EQ(done.conflicts.size(), 2u);
  EXPECT_EQ(done.conflicts[0].beside, "labs/scan/2_second.cu.new2");
  EXPECT_EQ(here("labs/scan/2_second.cu.new"), "my notes about the new one");
  EXPECT_EQ(here("labs/scan/2_second.cu.new2"), "new second TODO");
  EXPECT_EQ(here("labs/scan/5_fifth.cu"), "my own fifth");
  EXPECT_EQ(here("labs/scan/5_fifth.cu.new"), "new fifth TODO");
}

TEST_F(HandoutUpdateTest, TheSameFilesGiveTheSameBytes) {
  fs::permissions(source() / "lab", fs::perms::owner_all);
  pack(folder_.path() / "source", archive());
  const std::string first = read_file(archive());
  // Another time, another folder, another umask.
  fs::copy(folder_.path() / "source", folder_.path() / "copy", fs::copy_options::recursive);
  fs::permissions(folder_.path() / "copy" / handout_top / "lab",
                  fs::perms::owner_all | fs::perms::group_all);
  fs::last_write_time(folder_.path() / "copy" / handout_top / "lab",
                      fs::file_time_type::clock::now() - std::chrono::hours(5));
  pack(folder_.path() / "copy", archive());
  EXPECT_EQ(read_file(archive()), first);
  put(folder_.path() / "copy" / handout_top / "lab", "another");
  pack(folder_.path() / "copy", archive());
  EXPECT_NE(read_file(archive()), first);
}

/// Somebody else's, or of a second `lab handout` into the same folder.
TEST_F(HandoutUpdateTest, PackingWritesToTheArchiveAlone) {
  const fs::path part = archive().string() + ".part";
  put(part, "mine");
  pack(folder_.path() / "source", archive());
  EXPECT_EQ(here("../" + part.filename().string()), "mine");
  const fs::path nowhere = folder_.path() / "no/such/x.tar.zst";
  EXPECT_THROW(pack(folder_.path() / "source", nowhere), std::runtime_error);
}

/// Who reads of a full disk where the download was cut off looks in the wrong place.
TEST_F(HandoutUpdateTest, ADamagedArchiveIsNoFullDisk) {
  pack(folder_.path() / "source", archive());
  const std::string whole = read_file(archive());
  for (const std::string& text : {whole.substr(0, whole.size() / 2), std::string("# A README\n")}) {
    write_file(archive(), text);
    try {
      update_handout(tree_, archive());
      FAIL() << "it was taken";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(
          error.what(),
          archive().filename().string() +
              " is not taken: it is damaged, or no archive of zstd. Nothing has been changed.");
    }
  }
}

TEST_F(HandoutUpdateTest, AFolderInPlaceOfTheArchiveIsSaid) {
  try {
    update_handout(tree_, folder_.path());
    FAIL() << "nothing was said";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()),
              folder_.path().string() + " is a folder: name the archive, course.tar.zst.");
  }
}

TEST_F(HandoutUpdateTest, RefusesHostileArchives) {
  put(folder_.path() / "outside/file", "not yours");
  const std::string handout = handout_top;
  const auto says = [&](const std::string& script, const std::string& words) {
    const std::string refusal = refusal_of(script);
    EXPECT_NE(refusal.find(words), std::string::npos) << script << ": " << refusal;
    EXPECT_NE(refusal.find("Nothing has been changed."), std::string::npos) << refusal;
  };
  says("tar -cPf evil.tar --transform='s,^" + handout + "/lab$,../outside/file,' " + handout,
       "leads out of its folder");
  says(
      "tar -cPf evil.tar --transform='s,^" + handout + "/lab$," + handout + "/../../x,' " + handout,
      "leads out of its folder");
  says("tar -cPf evil.tar --transform='s,^" + handout + "/lab$,/tmp/gridstride-evil,' " + handout,
       "the absolute name");
  says("ln -sf ../outside " + handout + "/labs/link; tar -cf evil.tar " + handout, "is a link");
  says("ln -f " + handout + "/lab " + handout + "/hard; tar -cf evil.tar " + handout,
       "is a hard link");
  says("mkfifo " + handout + "/fifo; tar -cf evil.tar " + handout, "is a FIFO");
  says("touch extra; tar -cf evil.tar extra " + handout, "so it is no handout");
  says("rm " + handout + "/handout.json; tar -cf evil.tar " + handout, "it has no handout.json");
  says("rm " + handout + "/lab; tar -cf evil.tar " + handout, "is not as it was packed");
  says("mkdir -p " + handout + "/ready/texts/.git; touch " + handout +
           "/ready/texts/.git/config; tar -cf evil.tar " + handout,
       "which is none");
  says("echo no archive > evil.tar", "damaged");
  says("tar -cf evil.tar " + handout + "; truncate -s 3000 evil.tar", "is not taken");
  EXPECT_FALSE(fs::exists("/tmp/gridstride-evil"));
}

TEST_F(HandoutUpdateTest, RefusesADamagedFile) {
  write_file(archive(), "no zstd");
  EXPECT_THROW(update_handout(tree_, archive()), std::runtime_error);
  EXPECT_THROW(update_handout(tree_, folder_.path() / "not there"), std::runtime_error);
  EXPECT_EQ(here("ready/bin/gridstride"), "old program");
}

TEST_F(HandoutUpdateTest, RefusesOneThatWouldTakeALabAway) {
  put(tree_ / "handout.json", R"({"labs": ["reduction", "scan"]})");
  try {
    update();
    ADD_FAILURE() << "it was taken";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("it has no reduction, which is here"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(here("ready/bin/gridstride"), "old program");
}

TEST_F(HandoutUpdateTest, AnUpdateThatWasStoppedIsEndedByTheNext) {
  give("docs/student.md", "new words");
  give("labs/scan/1_first.cu", "new first TODO");
  put(tree_ / "labs/scan/2_second.cu", "my second");
  // As the first was left: one file is in its place, the programs are not.
  put(tree_ / "docs/student.md", "new words");
  put(tree_ / ".lab/update/gridstride/half", "of an archive");
  const HandoutUpdate done = update();
  EXPECT_EQ(done.changed, (std::vector<std::string>{"labs/scan/1_first.cu"}));
  EXPECT_EQ(done.kept, (std::vector<std::string>{"labs/scan/2_second.cu"}));
  EXPECT_TRUE(done.conflicts.empty());
  EXPECT_EQ(here("ready/bin/gridstride"), "new program");
}

}  // namespace
}  // namespace gridstride
