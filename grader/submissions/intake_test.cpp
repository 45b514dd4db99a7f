// A class's submissions in every form in which they are downloaded, with what goes wrong in each.
#include "grader/submissions/intake.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "grader/sandbox/sandbox.h"
#include "grader/submissions/platforms.h"
#include "grader/submissions/test_archives.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

LabConfig lab(const std::string& name, const std::vector<std::string>& stages) {
  LabConfig config;
  config.name = name;
  for (const std::string& stage : stages) config.stages.emplace_back().name = stage;
  return config;
}

class IntakeTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!sandbox_status().available) GTEST_SKIP() << sandbox_status().reason;
    options_.labs = {lab("sums", {"1_first", "2_second"}), lab("scan", {"1_first", "3_third"})};
    fs::create_directories(class_);
  }
  ClassIntake take_in(const fs::path& place) { return take_in_class(place, options_); }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories((class_ / path).parent_path());
    write_file(class_ / path, text);
  }
  /// "lab/stage=text lab/stage=text …"
  static std::string files(const ClassIntake& intake, const std::string& id) {
    std::string all;
    for (const StageFile& file : submission(intake, id).files)
      all += (all.empty() ? "" : " ") + file.lab + "/" + file.stage + "=" +
             (file.kind == StageFile::Kind::plain ? file.text : name_of(file.kind));
    return all;
  }
  static const Submission& submission(const ClassIntake& intake, const std::string& id) {
    for (const Submission& one : intake.submissions)
      if (one.student.id == id) return one;
    throw std::runtime_error("there is no student " + id);
  }
  static std::string remarks(const ClassIntake& intake, const std::string& id) {
    std::string all;
    for (const std::string& words : submission(intake, id).remarks) all += words + "\n";
    return all;
  }
  static bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  TemporaryFolder folder_;
  fs::path class_ = folder_.path() / "class";
  IntakeOptions options_;
};

TEST_F(IntakeTest, AFolderOfFoldersAndArchives) {
  write("ada/sums/1_first.cu", "a1");
  write("ada/scan/1_first.cu", "a2");
  write("ada/sums/notes.txt", "n");
  write_archive(class_ / "bob.zip", {{"homework/labs/sums/1_first.cu", "b1"},
                                     {"homework/solutions/sums/2_second.cu", "the course's"},
                                     {"__MACOSX/sums/._1_first.cu", "no"},
                                     {"homework/.lab/backup/sums/2_second.cu", "old"}});
  write_archive(class_ / "cy.tar.gz", {{"2_second.cu", "c2"}, {"1_first.cu", "c1"}});
  write("README", "for the teacher");
  const ClassIntake intake = take_in(class_);
  EXPECT_EQ(intake.platform, Platform::folder);
  EXPECT_EQ(files(intake, "ada"), "scan/1_first=a2 sums/1_first=a1");
  EXPECT_EQ(submission(intake, "ada").ignored, std::vector<std::string>{"sums/notes.txt"});
  EXPECT_EQ(files(intake, "bob"), "sums/1_first=b1");
  EXPECT_EQ(files(intake, "cy"), "sums/1_first=c1 sums/2_second=c2")
      << "what lies beside it says which lab is meant";
  EXPECT_EQ(intake.submissions.size(), 3u);
  EXPECT_EQ(intake.remarks,
            std::vector<std::string>{"README is no folder and no archive: it was left out."});
}

TEST_F(IntakeTest, WhatOneDoesCostsNobodyElseAnything) {
  write("good/sums/1_first.cu", "g");
  write("broken.zip", "no zip");
  write("empty.tar", "");
  fs::create_directories(class_ / "nothing");
  fs::create_directory_symlink("/etc", class_ / "link");
  write("unclear/1_first.cu", "u");
  write("other/hello.cu", "o");
  write_bomb(class_ / "bomb.tgz", "1_first.cu", 40);
  fs::create_directories(class_ / "odd\n\x1b[31mname");
  write_archive(class_ / "out.zip", {{"../../sums/1_first.cu", "x"}, {"sums/2_second.cu", "y"}});
  const ClassIntake intake = take_in(class_);
  EXPECT_EQ(files(intake, "good"), "sums/1_first=g");
  EXPECT_EQ(remarks(intake, "good"), "");
  EXPECT_TRUE(holds(remarks(intake, "broken"), "broken.zip: It is no zip or tar archive"));
  EXPECT_EQ(remarks(intake, "empty"), "empty.tar: The archive is empty: 0 bytes.\n");
  EXPECT_EQ(remarks(intake, "nothing"), "It holds no file.\n");
  EXPECT_TRUE(holds(remarks(intake, "link"), "It is a link, which is not followed."));
  EXPECT_TRUE(holds(remarks(intake, "unclear"), "can be of several labs (sums and scan)"));
  EXPECT_TRUE(holds(remarks(intake, "other"), "It holds no stage's file"));
  EXPECT_TRUE(holds(remarks(intake, "bomb"), "200 times its size"));
  EXPECT_TRUE(holds(remarks(intake, "out"), "leads out of it"));
  EXPECT_EQ(files(intake, "out"), "sums/2_second=y");
  EXPECT_EQ(remarks(intake, "odd\\n\\x1b[31mname"), "It holds no file.\n");
  options_.asked = {"scan"};
  EXPECT_EQ(files(take_in(class_), "unclear"), "scan/1_first=u") << "--lab says which is meant";
}

TEST_F(IntakeTest, TwiceIsSaidAndTheNewestCounts) {
  write("ada/sums/1_first.cu", "new");
  write_archive(class_ / "ada.zip", {{"sums/1_first.cu", "old"}, {"sums/2_second.cu", "old"}});
  fs::last_write_time(class_ / "ada.zip", fs::file_time_type::clock::now() - std::chrono::hours(2));
  write("bob/sums/1_first.cu", "near");
  write("bob/deep/sums/1_first.cu", "far");
  const ClassIntake intake = take_in(class_);
  EXPECT_EQ(files(intake, "ada"), "sums/1_first=new");
  EXPECT_TRUE(holds(remarks(intake, "ada"),
                    "It was handed in 2 times (ada and ada.zip): ada is graded, the newest."))
      << remarks(intake, "ada");
  EXPECT_EQ(files(intake, "bob"), "sums/1_first=near");
  EXPECT_TRUE(holds(remarks(intake, "bob"),
                    "sums/1_first is there 2 times: sums/1_first.cu is graded, "
                    "not deep/sums/1_first.cu."));
}

TEST_F(IntakeTest, AnArchiveWithinAnArchiveIsOpenedOnce) {
  write_archive(folder_.path() / "inner.zip", {{"sums/1_first.cu", "inside"}});
  const std::string inner = read_file(folder_.path() / "inner.zip");
  write_archive(class_ / "ada.zip", {{"ada/hw.zip", inner}});
  write("bob/hw.zip", inner);
  write_archive(folder_.path() / "deeper.zip", {{"hw.zip", inner}});
  write("cy/deeper.zip", read_file(folder_.path() / "deeper.zip"));
  const ClassIntake intake = take_in(class_);
  EXPECT_EQ(files(intake, "ada"), "sums/1_first=inside");
  EXPECT_EQ(files(intake, "bob"), "sums/1_first=inside");
  EXPECT_EQ(files(intake, "cy"), "");
}

TEST_F(IntakeTest, AnExportOfMoodle) {
  write_archive(folder_.path() / "hw.zip", {{"sums/1_first.cu", "packed"}});
  const std::string packed = read_file(folder_.path() / "hw.zip");
  const std::vector<TestEntry> entries = {{"Ada Lovelace_11_assignsubmission_file_/hw.zip", packed},
                                          {"Bob_22_assignsubmission_file_/sums/2_second.cu", "b"},
                                          {"Cy Zoë_33_assignsubmission_file_2_second.cu", "c"},
                                          {"Dee_44_assignsubmission_file_hw.zip", packed},
                                          {"grades.xlsx", "no student"}};
  write_archive(folder_.path() / "moodle.zip", entries);
  const ClassIntake intake = take_in(folder_.path() / "moodle.zip");
  EXPECT_EQ(intake.platform, Platform::moodle);
  EXPECT_EQ(files(intake, "11"), "sums/1_first=packed");
  EXPECT_EQ(submission(intake, "11").student.name, "Ada Lovelace");
  EXPECT_EQ(files(intake, "22"), "sums/2_second=b");
  EXPECT_EQ(files(intake, "33"), "sums/2_second=c");
  EXPECT_EQ(files(intake, "44"), "sums/1_first=packed");
  ASSERT_EQ(intake.remarks.size(), 1u);
  EXPECT_TRUE(holds(intake.remarks[0], "grades.xlsx has no name that moodle gives"));
  // Unpacked it is the same.
  for (const TestEntry& entry : entries) write(entry.path, entry.text);
  const ClassIntake unpacked = take_in(class_);
  for (const char* id : {"11", "22", "33", "44"}) EXPECT_EQ(files(unpacked, id), files(intake, id));
}

TEST_F(IntakeTest, AnExportOfCanvas) {
  write_archive(folder_.path() / "old.zip", {{"sums/1_first.cu", "old"}});
  write_archive(folder_.path() / "new.zip", {{"sums/1_first.cu", "new"}});
  write_archive(folder_.path() / "submissions.zip",
                {{"lovelaceada_7_100_hw.zip", read_file(folder_.path() / "old.zip")},
                 {"lovelaceada_7_200_hw-1.zip", read_file(folder_.path() / "new.zip")},
                 {"hopper_LATE_8_300_2_second.cu", "h2"},
                 {"hopper_LATE_8_301_2_second-1.cu", "h3"}});
  const ClassIntake intake = take_in(folder_.path() / "submissions.zip");
  EXPECT_EQ(intake.platform, Platform::canvas);
  EXPECT_EQ(files(intake, "7"), "sums/1_first=new") << "the later attachment, whatever its name";
  EXPECT_FALSE(submission(intake, "7").late);
  EXPECT_EQ(files(intake, "8"), "sums/2_second=h3");
  EXPECT_TRUE(submission(intake, "8").late);
  EXPECT_TRUE(holds(remarks(intake, "8"), "It is late"));
}

TEST_F(IntakeTest, AnExportOfGradescope) {
  const std::string metadata =
      "---\nsubmission_1:\n  :submitters:\n  - :name: Ada\n    :sid: a1\n    :email: a@x.org\n"
      "  - :name: Bob\n    :sid: b2\n    :email: b@x.org\n  :created_at: 2026-11-20 10:00:00 Z\n"
      "submission_2:\n  :submitters:\n  - :name: Cy\n    :sid: ''\n    :email: c@x.org\n"
      "  :created_at: 2026-11-22 10:00:00 Z\n";
  write_archive(folder_.path() / "export.zip",
                {{"assignment_9_export/submission_metadata.yml", metadata},
                 {"assignment_9_export/submission_1/1_first.cu", "ab"},
                 {"assignment_9_export/submission_1/2_second.cu", "ab2"},
                 {"assignment_9_export/submission_2/sums/1_first.cu", "c"}});
  options_.due = time_in("2026-11-21T00:00Z");
  const ClassIntake intake = take_in(folder_.path() / "export.zip");
  EXPECT_EQ(intake.platform, Platform::gradescope);
  EXPECT_EQ(files(intake, "a1"), "sums/1_first=ab sums/2_second=ab2");
  EXPECT_EQ(files(intake, "b2"), files(intake, "a1")) << "they hand in together";
  EXPECT_EQ(files(intake, "c@x.org"), "sums/1_first=c");
  EXPECT_FALSE(submission(intake, "a1").late);
  EXPECT_TRUE(submission(intake, "c@x.org").late);
}

TEST_F(IntakeTest, ClonesAndListsOfRepositories) {
  if (find_program("git").empty()) GTEST_SKIP() << "needs git";
  for (const std::string student : {"ada", "bob"}) {
    write("sums-" + student + "/sums/1_first.cu", student);
    const std::string home = (class_ / ("sums-" + student)).string();
    const std::string git = "git -C '" + home + "' ";
    Subprocess make;
    make.command = {"sh", "-c",
                    git + "init -q && " + git +
                        "add . && GIT_COMMITTER_DATE=2026-11-20T10:00:00Z " + git +
                        "-c user.name=x -c user.email=x@x.org commit -q -m x"};
    ASSERT_TRUE(run_process(make).succeeded());
  }
  // What the student's own configuration names is run, if it is, where it can do no harm.
  const fs::path trace = folder_.path() / "was_here";
  const std::string config = read_file(class_ / "sums-bob/.git/config");
  write("sums-bob/.git/config",
        config + "[core]\n\tfsmonitor = touch '" + trace.string() + "'\n\tpager = touch '" +
            trace.string() + "'\n[log]\n\tshowSignature = true\n[gpg]\n\tprogram = /bin/touch\n");
  options_.due = time_in("2026-11-19T00:00Z");
  const ClassIntake clones = take_in(class_);
  EXPECT_EQ(clones.platform, Platform::classroom);
  EXPECT_EQ(files(clones, "ada"), "sums/1_first=ada");
  EXPECT_EQ(files(clones, "bob"), "sums/1_first=bob");
  EXPECT_TRUE(submission(clones, "ada").late) << submission(clones, "ada").handed_in;
  EXPECT_FALSE(fs::exists(trace));

  write_file(folder_.path() / "list.txt", "# the class\nfile://" + (class_ / "sums-ada").string() +
                                              "\nclass/sums-bob\n" +
                                              "file:///nowhere/sums-cy.git\nno/such/folder\n");
  const ClassIntake listed = take_in(folder_.path() / "list.txt");
  EXPECT_EQ(files(listed, "ada"), "sums/1_first=ada");
  EXPECT_EQ(files(listed, "bob"), "sums/1_first=bob");
  EXPECT_TRUE(holds(remarks(listed, "cy"), "It cannot be cloned. git says:"))
      << remarks(listed, "cy");
  ASSERT_EQ(listed.remarks.size(), 1u);
  EXPECT_TRUE(holds(listed.remarks[0], "\"no/such/folder\" in the list is no folder"));
}

TEST_F(IntakeTest, NothingAtAllIsAnError) {
  EXPECT_THROW(take_in(class_), std::runtime_error);
  EXPECT_THROW(take_in(folder_.path() / "nowhere"), std::runtime_error);
  write_file(folder_.path() / "list.txt", "\n# nobody\n");
  EXPECT_THROW(take_in(folder_.path() / "list.txt"), std::runtime_error);
}

}  // namespace
}  // namespace gridstride
