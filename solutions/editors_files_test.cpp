// .vscode/launch.json and the extension that names the debugger, held against what `lab debug` takes.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/files.h"
#include "grader/tools/debug/test_dap_client.h"
#include "solutions/test_debugged.h"

namespace gridstride {
namespace {

/// What VS Code reads of the course: the debugger that the extension names, and what F5 launches.
class EditorsFilesTest : public testing::Test {
 protected:
  static json parsed(const std::string& file) {
    return json::parse(read_file(tree / ".vscode" / file));
  }
  /// The adapter as the editor starts it: a relative program is relative to the extension's folder.
  std::vector<std::string> adapter() const {
    const fs::path relative = debugger_.at("program").get<std::string>();
    std::vector<std::string> words = {
        "env", "LAB_PRESET=" + fs::relative(build, tree / "build").string(),
        (tree / ".vscode/extensions/gridstride" / relative).lexically_normal().string()};
    for (const json& word : debugger_.at("args")) words.push_back(word);
    words.emplace_back("--no-build");  // a test changes no programs
    return words;
  }
  /// A configuration's arguments while `file` is open.
  static json substituted(json configuration, const fs::path& file) {
    for (json& value : configuration)
      if (value == "${file}") value = file.string();
    return configuration;
  }

  json debugger_ =
      parsed("extensions/gridstride/package.json").at("contributes").at("debuggers").at(0);
  json properties_ = debugger_.at("configurationAttributes").at("launch").at("properties");
  TemporaryFolder folder_;
  cli::TestDapClient client_{adapter(), (folder_.path() / "errors").string()};
};

TEST_F(EditorsFilesTest, F5DebugsTheStageThatIsOpen) {
  const fs::path file = tree / "solutions/reduction/2_strided.cu";
  const json configuration = substituted(parsed("launch.json").at("configurations").at(0), file);
  ASSERT_EQ(configuration.at("program"), file.string());
  client_.launch(configuration);
  const std::int64_t line = line_with(file, "sums[index] += sums[index + s]");
  const json body = client_.ask("setBreakpoints", {{"source", {{"path", file.string()}}},
                                                   {"breakpoints", {{{"line", line}}}}});
  EXPECT_TRUE(body.at("breakpoints").at(0).at("verified").get<bool>()) << body;
  EXPECT_EQ(client_.stopped_after("configurationDone", json::object()).at("reason"), "breakpoint");
  EXPECT_EQ(client_.frames(1).at(0).at("line"), line);
  EXPECT_EQ(client_.frames(1).at(0).at("source").at("path"), file.string());
  client_.ask("disconnect");
  EXPECT_EQ(client_.ended(), 0) << "stage 2's solution is right";
}

TEST_F(EditorsFilesTest, ConfigurationsHoldWhatTheExtensionKnows) {
  json all = parsed("launch.json").at("configurations");
  all.push_back(debugger_.at("initialConfigurations").at(0));
  all.push_back(debugger_.at("configurationSnippets").at(0).at("body"));
  ASSERT_EQ(all.size(), 4u);
  for (const json& one : all) {
    EXPECT_EQ(one.at("type"), debugger_.at("type"));
    EXPECT_EQ(one.at("request"), "launch");
    for (const auto& [key, value] : one.items())
      EXPECT_TRUE(key == "type" || key == "request" || key == "name" || properties_.contains(key))
          << key;
    for (const json& key : debugger_.at("configurationAttributes").at("launch").at("required"))
      EXPECT_TRUE(one.contains(key.get<std::string>())) << one;
  }
}

/// An argument that the adapter did not read would not be refused for its type.
TEST_F(EditorsFilesTest, TheAdapterReadsEachAttribute) {
  client_.ask("initialize");
  const auto refused = [&](const std::string& key, const json& value) {
    json arguments = {{"program", "reduction/9"}};
    if (!key.empty()) arguments[key] = value;
    return client_.request("launch", arguments).at("message").get<std::string>();
  };
  EXPECT_NE(refused("", {}).find("has no stage"), std::string::npos);
  EXPECT_NE(refused("nonsense", {1}).find("has no stage"), std::string::npos);
  EXPECT_EQ(properties_.size(), 11u);
  for (const auto& [key, property] : properties_.items()) {
    const json wrong = property.at("type") == "array" ? json{5} : json::object();
    EXPECT_NE(refused(key, wrong).find("not as the protocol has it"), std::string::npos) << key;
  }
}

}  // namespace
}  // namespace gridstride
