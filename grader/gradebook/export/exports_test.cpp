// The exports of a small made-up class: what stands in them, and what names and messages cannot do there.
#include "grader/gradebook/export/exports.h"

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/files.h"
#include "common/test_browser.h"

namespace gridstride {
namespace {

constexpr const char* evil = "</td></style><script>document.title='acted'</script><img src=x>";

StageResult stage(const std::string& name, Verdict verdict, const std::string& message) {
  StageResult result;
  result.name = name;
  result.verdict = verdict;
  result.max_score = 10;
  result.score = verdict == Verdict::pass ? 10 : 2.5;
  result.message = message;
  result.speedup = Speedup{3.5, 3, 4, 2};
  return result;
}

StudentRecord student(const std::string& id, const std::string& name, Platform platform) {
  StudentRecord record;
  record.student = {id, name, id, id + "@example.org"};
  record.platform = platform;
  record.submission = std::string(64, 'a');
  LabRecord& lab = record.labs["sums"];
  lab.done = true;
  lab.version = "v1";
  lab.result.name = "sums";
  lab.result.stages = {stage("1_first", Verdict::pass, ""),
                       stage("2_second", Verdict::wrong, "expected 7, found 9 in \"x\"")};
  lab.result.stages.back().failed_case = "n = 7";
  lab.result.score = 12.5;
  lab.result.max_score = 20;
  return record;
}

ClassMarks marks() {
  ClassMarks all;
  LabConfig& lab = all.labs.emplace_back();
  lab.name = "sums";
  for (const char* name : {"1_first", "2_second"}) {
    StageConfig& config = lab.stages.emplace_back();
    config.name = name;
    config.correctness_points = 10;
  }
  all.device = "sim";
  all.students = {student("11", "=cmd|' /C calc'!A0", Platform::moodle),
                  student("22", evil, Platform::canvas)};
  all.students[1].remarks = {"A \"remark\", with a comma."};
  all.students[1].labs["sums"].result.stages[1].message = evil;
  all.students.push_back(student("33", "Cy", Platform::canvas));
  all.students[2].labs["sums"].done = false;
  return all;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Exports, CsvHasARowForEachStudentAndNoFormula) {
  const std::string csv = to_csv(marks());
  EXPECT_TRUE(
      csv.starts_with("student,name,number,email,late,handed_in,score,max_score,sums,sums/1_first "
                      "verdict,sums/1_first points,sums/1_first speedup,"));
  EXPECT_TRUE(holds(csv,
                    "\n11,\"'=cmd|' /C calc'!A0\",11,11@example.org,,,12.5,20,12.5,pass,10,3.5,"
                    "wrong,2.5,3.5,,aaaaaaaaaaaaaaaa\n"))
      << csv;
  EXPECT_TRUE(holds(csv, "\"A \"\"remark\"\", with a comma.\""));
  EXPECT_TRUE(holds(csv, "\n33,Cy,33,33@example.org,,,0,20,,,,,,,,,aaaaaaaaaaaaaaaa\n")) << csv;
  for (const char* start : {"=", "+", "-", "@", "\t", "|", "%"}) {
    ClassMarks other = marks();
    other.students[0].student.name = start + std::string("SUM(A1)");
    const std::string text = to_csv(other);
    EXPECT_TRUE(holds(text, "\"'" + std::string(start) + "SUM(A1)\"")) << start;
  }
}

TEST(Exports, MoodleAndCanvasGetTheirOwnStudents) {
  const std::string moodle = to_moodle(marks());
  EXPECT_TRUE(
      moodle.starts_with("Identifier,Full name,Email address,Grade,Maximum grade,Last modified "
                         "(grade),Feedback comments\n"))
      << "names that Moodle looks for";
  EXPECT_TRUE(holds(moodle, "Participant 11,"));
  EXPECT_TRUE(holds(moodle, ",12.5,20,,sums/1_first pass 10/10; sums/2_second wrong 2.5/10") ||
              holds(moodle, ",12.5,20,,\"sums/1_first pass 10/10; sums/2_second wrong 2.5/10\""))
      << moodle;
  EXPECT_FALSE(holds(moodle, "22"));
  const std::string canvas = to_canvas(marks());
  EXPECT_TRUE(
      canvas.starts_with("Student,ID,SIS User ID,SIS Login ID,Section,sums\n"
                         "    Points Possible,,,,,20\n"))
      << canvas;
  EXPECT_TRUE(holds(canvas, "\nCy,33,,,,\n")) << "what is not graded has no mark";
  ClassMarks none = marks();
  none.students.erase(none.students.begin());
  EXPECT_THROW(to_moodle(none), std::runtime_error);
}

TEST(Exports, JsonAndJunitReadBack) {
  const nlohmann::json json = nlohmann::json::parse(to_class_json(marks()));
  EXPECT_EQ(json.at("schema"), 1);
  ASSERT_EQ(json.at("students").size(), 3u);
  const auto& ada = json.at("students")[0];
  EXPECT_EQ(ada.at("score"), 12.5);
  EXPECT_EQ(ada.at("labs")[0].at("course_version"), "v1");
  EXPECT_EQ(ada.at("labs")[0].at("stages")[1].at("verdict"), "wrong");
  EXPECT_TRUE(json.at("students")[2].at("labs")[0].at("stages").is_null());
  pugi::xml_document xml;
  ASSERT_TRUE(xml.load_string(to_class_junit(marks()).c_str()));
  EXPECT_EQ(std::string(xml.child("testsuites").attribute("tests").value()), "4");
  EXPECT_EQ(std::string(xml.child("testsuites").child("testsuite").attribute("name").value()),
            "11/sums");
}

TEST(Exports, PagesActOnNothing) {
  const ClassMarks all = marks();
  for (const std::string& page : {class_page(all, "pages"), feedback_page(all.students[1], all)}) {
    EXPECT_FALSE(holds(page, "<script")) << page;
    EXPECT_FALSE(holds(page, "<img"));
    EXPECT_TRUE(holds(page, "default-src 'none'"));
  }
  const std::string page = class_page(all, "my pages");
  EXPECT_TRUE(holds(page, "href=\"./my%20pages/11.html\"")) << page;
  EXPECT_FALSE(holds(class_page(all, ""), "href"));
}

TEST(Exports, MessagesOfOneKindComeTogether) {
  ClassMarks all = marks();
  StageResult& first = all.students[0].labs["sums"].result.stages[1];
  StageResult& second = all.students[1].labs["sums"].result.stages[1];
  first.message = "case 12: out[3] is 1.5, see \"a\" in 2_second.cu:17";
  second.message = "case 7: out[90] is 2, see \"b\" in 2_second.cu:8";
  const std::string row =
      "<tr><td>2</td><td class=\"text\">sums/2_second</td><td class=\"text\">wrong"
      "</td><td class=\"text words\">";
  EXPECT_TRUE(holds(class_page(all, ""),
                    row + "case #: out[#] is #, see &quot;…&quot; in 2_second.cu:#</td>"))
      << class_page(all, "");
  first.message = "sum is -2.5e-07, expected 3 (off by -3): 2_second.cu:8 reads 0xa0000c";
  second.message = "sum is 1.5, expected 1e+10 (off by 7): 2_second.cu:17 reads 0x9";
  EXPECT_TRUE(holds(class_page(all, ""),
                    row + "sum is #, expected # (off by #): 2_second.cu:# reads #</td>"))
      << class_page(all, "");
  first.message =
      "2_second.cu:3 still has \"TODO\".\nThe compiler says:\n  | x.cu(3): error: expected a ;\n";
  second.message = "The compiler says:\n  | x.cu(9): error: expected a ;\n";
  EXPECT_TRUE(holds(class_page(all, ""), row + "expected a ;</td>"));
}

TEST(Exports, FeedbackNamesNobodyElse) {
  ClassMarks all = marks();
  all.students[0].student.name = "Ada Lovelace";
  all.students[1].student.name = "Grace Hopper";
  const std::string page = feedback_page(all.students[0], all);
  EXPECT_TRUE(
      holds(page, "`./lab trace sums/2_second --case &quot;n = 7&quot; --html steps.html` shows"))
      << page;
  EXPECT_TRUE(holds(page, "Ada Lovelace"));
  EXPECT_TRUE(holds(page, "expected 7, found 9"));
  for (const char* other : {"Grace", "Cy", "22@", "33@"}) EXPECT_FALSE(holds(page, other)) << other;
}

TEST(Exports, FilesOfFeedbackAreSafeAndApart) {
  std::vector<StudentRecord> students;
  for (const char* id : {"../../etc", "-rf", "a/b", "a_b", "A_B", "", "zoë", "con.html"})
    students.push_back(student(id, id, Platform::folder));
  std::set<std::string> names;
  for (const auto& [id, name] : feedback_names(students)) {
    std::string small = name;
    for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    EXPECT_TRUE(names.insert(small).second) << name;
    EXPECT_EQ(name.find('/'), std::string::npos);
    EXPECT_NE(name.front(), '-');
    EXPECT_NE(name.front(), '.');
  }
  EXPECT_EQ(names.size(), students.size());
}

TEST(Exports, PagesStandInABrowser) {
  if (test_browser().empty()) GTEST_SKIP() << "needs chromium (apt-get install chromium)";
  const TemporaryFolder folder;
  const std::filesystem::path page = folder.path() / "page.html";
  write_file(page, class_page(marks(), "pages"));
  const std::string dom = document_of(page, folder.path());
  EXPECT_TRUE(holds(dom, "<title>The class</title>"))
      << "no name on it acts: " << dom.substr(0, 500);
  EXPECT_TRUE(holds(dom, "What most students got wrong"));
  EXPECT_TRUE(holds(dom, "expected #, found # in \"…\""));
  EXPECT_FALSE(holds(dom, "<img"));
}

}  // namespace
}  // namespace gridstride
