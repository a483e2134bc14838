// data.template_variables: a table of names and values, from run.toml and from --set.
#include "common/config/named_values.h"

#include <gtest/gtest.h>

#include "common/config/setting_changes.h"
#include "tests/config/settings_file.h"

namespace dflash {
namespace {

const std::string kTable =
    "[data.template_variables]\n"
    "enable_thinking = false\n"
    "date_string = \"26 Jul 2024\"\n"
    "depth = 3\n"
    "share = 1.0\n"
    "words = [\"a\", 2]\n"
    "more = {k = true}\n";

std::vector<std::string> variables(const RunConfig& config) {
  return {config.data().template_variables().begin(), config.data().template_variables().end()};
}

TEST(NamedValues, AreReadInTheOrderOfNames) {
  EXPECT_EQ(variables(SettingsFile(kRequired + kTable).load()),
            (std::vector<std::string>{"date_string=\"26 Jul 2024\"", "depth=3", "enable_thinking=false",
                                      "more={\"k\":true}", "share=1.0", "words=[\"a\",2]"}));
  EXPECT_TRUE(variables(SettingsFile(kRequired).load()).empty());
}

TEST(NamedValues, OverridesSetOneOrTheWholeTable) {
  const SettingsFile file(kRequired + std::string("[data.template_variables]\na = 1\nb = \"x\"\n"));
  EXPECT_EQ(variables(file.load({"data.template_variables.a=true", "data.template_variables.c=calm"})),
            (std::vector<std::string>{"a=true", "b=\"x\"", "c=\"calm\""}));
  EXPECT_EQ(variables(file.load({"data.template_variables={d = 2}"})), std::vector<std::string>{"d=2"});
  EXPECT_TRUE(variables(file.load({"data.template_variables={}"})).empty());
}

TEST(NamedValues, ReadBackFromTheirText) {
  const RunConfig config = SettingsFile(kRequired + kTable).load({R"(data.template_variables."odd é"="\u007f\"\n")"});
  const RunConfig again = SettingsFile(config_toml(config)).load();
  EXPECT_EQ(variables(again), variables(config)) << config_toml(config);
  EXPECT_EQ(config_hash(again), config_hash(config));
  const std::string table = config_table(SettingsFile(kRequired).load({"data.template_variables.a=1"}));
  EXPECT_NE(table.find("data.template_variables      {a = 1}\n"), std::string::npos) << table;
}

TEST(NamedValues, OfTomlAreThoseOfJson) {
  EXPECT_EQ(toml_text(Json::parse(R"({"a b": [1, 2.0, "x\"y"], "c": {}})")), R"({"a b" = [1, 2.0, "x\"y"], c = {}})");
}

TEST(NamedValues, OtherThingsAreRefused) {
  EXPECT_EQ(complaint(kRequired, {"data.template_variables=3"}),
            "--set data.template_variables=3: 'data.template_variables' expected a table of names and values, got an "
            "integer");
  const auto refused = [](const std::string& line) {
    return complaint(kRequired + std::string("[data.template_variables]\n") + line);
  };
  EXPECT_EQ(refused("a = 2024-07-26\n"),
            "run.toml:12:5: 'data.template_variables' expected texts, numbers, true or false, lists or tables, got a "
            "date or time");
  EXPECT_NE(refused("a = [nan]\n").find("must be a finite number"), std::string::npos);
  EXPECT_NE(refused("'a=b' = 1\n").find("holds the name 'a=b'"), std::string::npos);
  EXPECT_NE(complaint(kRequired, {"data.files.a=1"}).find("unknown key 'data.files.a'"), std::string::npos);
}

TEST(NamedValues, MayNotChangeWhenARunIsResumed) {
  const SettingsFile file(kRequired);
  const auto changes = setting_changes(file.load(), file.load({"data.template_variables.enable_thinking=false"}));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].key, "data.template_variables");
  EXPECT_EQ(changes[0].before, "{}");
  EXPECT_EQ(changes[0].now, "{enable_thinking = false}");
}

}  // namespace
}  // namespace dflash
