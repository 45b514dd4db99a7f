// What is opened, drawn, written and kept: without a grader.
#include "grader/gradebook/gradebook.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/files.h"

namespace gridstride {
namespace {

Submission submission(const std::string& id, const std::string& text) {
  Submission one;
  one.student = {id, "Name of " + id, "", ""};
  one.origin = id;
  if (!text.empty()) one.files.push_back({"sums", "1_first", StageFile::Kind::plain, text});
  return one;
}

class GradebookTest : public testing::Test {
 protected:
  GradebookTest() : book_(folder_.path(), /*create=*/true) {
    worker_.host = "here";
    worker_.pid = 1;
    book_.enlist(worker_);
  }
  TakenIn hand_in(const std::map<std::string, std::string>& texts) {
    std::vector<Submission> all;
    for (const auto& [id, text] : texts) all.push_back(submission(id, text));
    return book_.take_in(all, {"sums"});
  }
  std::optional<Task> draw() { return book_.draw(worker_, {{"sums", version_}}); }
  static LabResult result(Verdict verdict = Verdict::pass) {
    LabResult lab;
    lab.name = "sums";
    StageResult& stage = lab.stages.emplace_back();
    stage.name = "1_first";
    stage.verdict = verdict;
    stage.max_score = 10;
    stage.score = verdict == Verdict::pass ? 10 : 0;
    stage.message = "words";
    stage.speedup = Speedup{2.5, 2, 3, 1};
    stage.counters = {{"barriers", 7}};
    lab.score = stage.score;
    lab.max_score = 10;
    return lab;
  }
  void grade_all(Verdict verdict = Verdict::pass) {
    while (const auto task = draw()) ASSERT_TRUE(book_.finish(worker_, *task, result(verdict)));
  }
  std::int64_t open() { return book_.progress().open; }

  TemporaryFolder folder_;
  Gradebook book_;
  Worker worker_;
  std::string version_ = "v1";
};

TEST_F(GradebookTest, ATaskIsOneStudentsOneLab) {
  const TakenIn taken = hand_in({{"ada", "a"}, {"bob", "b"}, {"cy", ""}});
  EXPECT_EQ(taken.students, 3);
  EXPECT_EQ(taken.tasks_opened, 3);
  const auto task = draw();
  ASSERT_TRUE(task);
  EXPECT_EQ(task->student, "ada");
  ASSERT_EQ(task->files.size(), 1u);
  EXPECT_EQ(task->files[0].text, "a");
  EXPECT_EQ(book_.progress().running, 1);
  EXPECT_TRUE(book_.finish(worker_, *task, result()));
  EXPECT_EQ(book_.progress().done, 1);
  const StudentRecord ada = book_.students().at(0);
  EXPECT_EQ(ada.student.name, "Name of ada");
  const LabRecord& lab = ada.labs.at("sums");
  EXPECT_TRUE(lab.done);
  EXPECT_EQ(lab.version, "v1");
  EXPECT_EQ(lab.result.score, 10);
  EXPECT_EQ(lab.result.stages.at(0).message, "words");
  EXPECT_EQ(lab.result.stages.at(0).counters.at("barriers"), 7);
  EXPECT_EQ(lab.result.stages.at(0).speedup->required, 1);
}

TEST_F(GradebookTest, WhatHasNotChangedIsNotGradedAgain) {
  hand_in({{"ada", "a"}, {"bob", "b"}});
  grade_all();
  EXPECT_EQ(hand_in({{"ada", "a"}, {"bob", "b"}}).tasks_opened, 0);
  const TakenIn taken = hand_in({{"ada", "better"}, {"cy", "c"}});
  EXPECT_EQ(taken.changed, 1);
  EXPECT_EQ(taken.new_students, 1);
  EXPECT_EQ(taken.gone, 1) << "bob stays";
  EXPECT_EQ(open(), 2);
  EXPECT_EQ(book_.students().size(), 3u);
  EXPECT_FALSE(book_.students().at(0).labs.at("sums").done);
  grade_all();
  // A remark is another submission, but nothing to grade.
  Submission late = submission("ada", "better");
  late.late = true;
  late.remarks = {"It is late."};
  EXPECT_EQ(book_.take_in({late}, {"sums"}).tasks_opened, 0);
  EXPECT_TRUE(book_.students().at(0).late);
  EXPECT_EQ(book_.students().at(0).remarks, std::vector<std::string>{"It is late."});
}

TEST_F(GradebookTest, WhoIsGoneLosesNothing) {
  hand_in({{"ada", "a"}, {"bob", "b"}});
  Worker other;
  other.host = "here";
  other.pid = 2;
  other.scratch = "/tmp/other";
  book_.enlist(other);
  const auto lost = book_.draw(other, {{"sums", "v1"}});
  ASSERT_TRUE(lost);
  EXPECT_EQ(open(), 1);
  EXPECT_TRUE(book_.bury("here", [](const Worker&) { return true; }).empty());
  EXPECT_TRUE(book_.bury("elsewhere", [](const Worker&) { return false; }).empty())
      << "of another host's workers only silence tells";
  const auto scratch = book_.bury("here", [](const Worker& worker) { return worker.pid != 2; });
  EXPECT_EQ(scratch, std::vector<std::string>{"/tmp/other"});
  EXPECT_EQ(open(), 2);
  EXPECT_FALSE(book_.seen(other));
  EXPECT_TRUE(book_.seen(worker_));
  // It was not dead after all: what it brings comes too late, and is graded once.
  EXPECT_FALSE(book_.finish(other, *lost, result(Verdict::wrong)));
  grade_all();
  EXPECT_EQ(book_.students().at(0).labs.at("sums").result.stages.at(0).verdict, Verdict::pass);
}

TEST_F(GradebookTest, WhatWasHandedInMeanwhileIsGraded) {
  hand_in({{"ada", "old"}});
  const auto task = draw();
  hand_in({{"ada", "new"}});
  EXPECT_FALSE(book_.finish(worker_, *task, result()));
  EXPECT_EQ(draw()->files.at(0).text, "new");
}

TEST_F(GradebookTest, ATaskThatIsGivenBackIsOpen) {
  hand_in({{"ada", "a"}});
  book_.give_back(worker_, *draw());
  EXPECT_EQ(open(), 1);
  draw();
  book_.retire(worker_);
  EXPECT_EQ(open(), 1);
}

TEST_F(GradebookTest, AgainIsByName) {
  hand_in({{"ada", "a"}, {"bob", "b"}});
  grade_all();
  EXPECT_EQ(book_.again("ada"), 1);
  const auto task = draw();
  EXPECT_TRUE(task->anew);
  EXPECT_TRUE(book_.finish(worker_, *task, result()));
  EXPECT_EQ(book_.again("Name of bob/sums"), 1);
  EXPECT_EQ(draw()->student, "bob");
  EXPECT_THROW(book_.again("adda"), std::runtime_error);
  EXPECT_THROW(book_.again("ada/scan"), std::runtime_error);
  EXPECT_THROW(book_.again(""), std::runtime_error);
}

TEST_F(GradebookTest, WhatCouldNotBeGradedIsTriedAgain) {
  hand_in({{"ada", "a"}});
  grade_all(Verdict::infrastructure);
  EXPECT_EQ(open(), 0) << "not for ever in one run";
  EXPECT_EQ(book_.again_undecided(), 1);
  grade_all(Verdict::wrong);
  EXPECT_EQ(book_.again_undecided(), 0);
}

TEST_F(GradebookTest, KnowsByWhichCourse) {
  hand_in({{"ada", "a"}});
  grade_all();
  EXPECT_EQ(book_.outdated({{"sums", "v1"}}), 0);
  EXPECT_EQ(book_.outdated({{"sums", "v2"}}), 1);
  EXPECT_EQ(book_.versions().at("sums").at("v1"), 1);
  version_ = "v2";
  EXPECT_EQ(book_.again_outdated({{"sums", "v2"}}), 1);
  grade_all();
  EXPECT_EQ(book_.outdated({{"sums", "v2"}}), 0);
}

TEST_F(GradebookTest, TheSameTextHasTheSameVerdict) {
  hand_in({{"ada", "same"}, {"bob", "slow"}});
  ASSERT_TRUE(book_.finish(worker_, *draw(), result(Verdict::wrong)));
  ASSERT_TRUE(book_.finish(worker_, *draw(), result(Verdict::timeout)));
  const StageFile file{"sums", "1_first", StageFile::Kind::plain, "same"};
  const auto known = book_.known("v1", "sums", "1_first", hash_of(&file));
  ASSERT_TRUE(known);
  EXPECT_EQ(known->verdict, Verdict::wrong);
  EXPECT_FALSE(book_.known("v2", "sums", "1_first", hash_of(&file)));
  EXPECT_FALSE(book_.known("v1", "scan", "1_first", hash_of(&file)));
  EXPECT_FALSE(book_.known("v1", "sums", "2_second", hash_of(&file)));
  const StageFile slow{"sums", "1_first", StageFile::Kind::plain, "slow"};
  EXPECT_FALSE(book_.known("v1", "sums", "1_first", hash_of(&slow))) << "that hangs on time";
  const StageFile link{"sums", "1_first", StageFile::Kind::link, ""};
  EXPECT_EQ(hash_of(&link), "link");
  EXPECT_EQ(hash_of(nullptr), "missing");
}

TEST_F(GradebookTest, SaysWhatMakesResultsAsAShellTakesIt) {
  const std::string folder = (folder_.path() / "no results").string();
  try {
    Gradebook(folder, /*create=*/false);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("--out \"" + folder + "\"`"), std::string::npos)
        << error.what();
  }
}

TEST_F(GradebookTest, OtherFilesAreRefused) {
  EXPECT_THROW(Gradebook(folder_.path() / "none", /*create=*/false), std::runtime_error);
  const TemporaryFolder other;
  std::ofstream(other.path() / "gradebook.sqlite") << "this is no database, but it is long enough";
  EXPECT_THROW(Gradebook(other.path(), /*create=*/true), std::runtime_error);
  const TemporaryFolder newer;
  {
    Gradebook made(newer.path(), /*create=*/true);
    Database(Gradebook::file_in(newer.path())).execute("PRAGMA user_version = 99");
  }
  EXPECT_THROW(Gradebook(newer.path(), /*create=*/true), std::runtime_error);
}

}  // namespace
}  // namespace gridstride
