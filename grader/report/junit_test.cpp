// CI services refuse XML that is not well-formed, and student code writes messages.
#include "grader/report/junit.h"

#include <gtest/gtest.h>

#include <pugixml.hpp>
#include <string>

namespace gridstride {
namespace {

StageResult stage(const char* name, Verdict verdict, const char* message) {
  StageResult result;
  result.name = name;
  result.verdict = verdict;
  result.max_score = 10;
  result.message = message;
  return result;
}

TEST(JUnit, TellsFailuresFromErrors) {
  Results results;
  results.device.name = "H200";
  StageResult passed = stage("1_interleaved", Verdict::pass, "");
  passed.score = 10;
  passed.cases = {5, 5};
  passed.speedup = Speedup{1.8, 1.7, 1.9, 1.5};
  passed.seconds = Seconds{0.25, 0.5};
  results.labs = {{"reduction",
                   10,
                   30,
                   {passed, stage("2_strided", Verdict::wrong, "index 3\nexpected 1"),
                    stage("3_sequential", Verdict::inconclusive, "busy machine")}}};
  EXPECT_EQ(to_junit(results), R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="gridstride" tests="3" failures="1" errors="1">
  <testsuite name="reduction" tests="3" failures="1" errors="1">
    <properties>
      <property name="device" value="H200" />
    </properties>
    <testcase classname="reduction" name="1_interleaved" time="0.25">
      <system-out>10 of 10 points, 5 of 5 cases, speedup 1.8 (required 1.5)</system-out>
    </testcase>
    <testcase classname="reduction" name="2_strided" time="0">
      <failure type="wrong" message="wrong: index 3">index 3
expected 1</failure>
      <system-out>0 of 10 points, 0 of 0 cases</system-out>
    </testcase>
    <testcase classname="reduction" name="3_sequential" time="0">
      <error type="inconclusive" message="inconclusive: busy machine">busy machine</error>
      <system-out>0 of 10 points, 0 of 0 cases</system-out>
    </testcase>
  </testsuite>
</testsuites>
)");
}

TEST(JUnit, WhatTheSimulatedDeviceDoesNotKnowIsAFailureOfTheStage) {
  Results results;
  results.labs = {{"scan", 0, 0, {stage("1_first", Verdict::unsupported, "unsupported: x in k")}}};
  EXPECT_NE(to_junit(results).find("<failure type=\"unsupported\""), std::string::npos);
}

TEST(JUnit, SaysWhichFilesWereIgnored) {
  Results results;
  results.labs = {{"scan", 0, 0, {stage("1_first", Verdict::pass, "")}, {"9_a;b.cu", "x<y.cu"}}};
  EXPECT_NE(to_junit(results).find(
                "    <system-out>Ignored, for lab.toml names no such stage: 9_a;b.cu and "
                "x&lt;y.cu.</system-out>\n  </testsuite>"),
            std::string::npos)
      << to_junit(results);
}

TEST(JUnit, EscapesWhatXmlCannotHold) {
  Results results;
  results.labs = {
      {"a&b", 0, 0, {stage("<x>", Verdict::crash, "\"]]>\x02</failure>\xC3(\uFFFE\ttab")}}};
  const std::string xml = to_junit(results);
  EXPECT_EQ(xml.find('\x02'), std::string::npos);
  EXPECT_EQ(xml.find("\uFFFE"), std::string::npos);
  EXPECT_NE(xml.find("]]&gt;"), std::string::npos) << "]]> may stand in no text: " << xml;
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(xml.c_str())) << xml;
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  const pugi::xml_node test = suite.child("testcase"), failure = test.child("failure");
  EXPECT_STREQ(suite.attribute("name").value(), "a&b");
  EXPECT_STREQ(test.attribute("name").value(), "<x>");
  const std::string message = "\"]]>\uFFFD</failure>\uFFFD(\uFFFD\ttab";
  EXPECT_EQ(failure.attribute("message").value(), "crash: " + message);
  EXPECT_EQ(failure.text().get(), message);
}

}  // namespace
}  // namespace gridstride
