// dflash dump chat as a person starts it: texts, errors, a clock that stands still, rows that bring their template.
#include <gtest/gtest.h>

#include "common/base/json.h"
#include "tests/support/run_program.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

using test::run_program;

std::vector<Json> lines(const std::string& output) {
  std::vector<Json> rows;
  for (size_t begin = 0; begin < output.size();) {
    const size_t end = output.find('\n', begin);
    rows.push_back(Json::parse(output.substr(begin, end - begin)));
    begin = end + 1;
  }
  return rows;
}

class DumpChat : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  [[nodiscard]] test::ProgramResult dump(const std::string& options) const {
    return run_program("dflash dump chat --input " + path("rows.jsonl") + " " + options);
  }
  TempFolder folder_;
};

TEST_F(DumpChat, RowsAndTheirErrors) {
  write_text(
      path("t.jinja"),
      "{{ bos_token }}{% for m in messages %}{% if m.role == 'odd' %}{{ raise_exception('odd role') }}{% endif %}"
      "<{{ m.role }}>{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}{{ strftime_now('%d %b %Y') }}"
      "{{ style }}{% if add_generation_prompt %}<assistant>{% endif %}");
  write_text(path("rows.jsonl"), R"({"messages": [{"role": "user", "content": "é"}], "bos_token": "<s>", "style": "!"})"
                                 "\n"
                                 R"({"messages": [{"role": "odd", "content": ""}]})"
                                 "\n"
                                 R"({"messages": [], "add_generation_prompt": true})"
                                 "\n");
  const auto result = dump("--template " + path("t.jinja") + " --now '2026-01-02 03:04:05'");
  EXPECT_EQ(result.exit_code, 11);
  const auto rows = lines(result.output);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].dump(), R"({"text":"<s><user>é02 Jan 2026!","generated":[[9,10]]})");
  EXPECT_EQ(rows[1].dump(), R"({"error":"odd role"})");
  EXPECT_EQ(rows[2].at("text"), "02 Jan 2026<assistant>");
}

TEST_F(DumpChat, RawRowsBringTheirTemplate) {
  write_text(path("rows.jsonl"), R"({"template": "{{ x | upper }}", "context": {"x": "a"}})"
                                 "\n"
                                 R"({"template": "{{ x.y.z }}", "context": {}})"
                                 "\n");
  const auto result = dump("--raw");
  EXPECT_EQ(result.exit_code, 11);
  const auto rows = lines(result.output);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].dump(), R"({"text":"A"})");
  EXPECT_EQ(rows[1].dump(), R"({"error":"'x' is undefined"})");
}

TEST_F(DumpChat, VariablesAreThoseOfTheRowThenThoseOfTheCommand) {
  write_text(path("t.jinja"), "{{ style }} {{ date_string }} {{ messages[0].content }}");
  write_text(path("rows.jsonl"), R"({"messages": [{"role": "user", "content": "a"}]})"
                                 "\n"
                                 R"({"messages": [{"role": "user", "content": "b"}], "style": "own"})"
                                 "\n");
  const std::string options = "--template " + path("t.jinja");
  const auto result =
      dump(options + R"( --template-variable style=false --template-variable 'date_string="26 Jul 2024"')");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  const auto rows = lines(result.output);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("text"), "False 26 Jul 2024 a");
  EXPECT_EQ(rows[1].at("text"), "own 26 Jul 2024 b");
  const auto refused = [&](const std::string& variable, const std::string& why) {
    const auto told = dump(options + " --template-variable " + variable);
    EXPECT_EQ(told.exit_code, 10);
    EXPECT_NE(told.output.find(why), std::string::npos) << told.output;
  };
  refused("stile=false", "template variable stile: the chat template never reads it; it reads date_string, style");
  refused("messages=[]", "each row brings its own");
  refused("style=calm", "the value is not JSON");
  EXPECT_EQ(dump("--raw --template-variable style=1").exit_code, 10) << "needs --template";
}

TEST_F(DumpChat, WhatCannotBeUsedIsNamed) {
  write_text(path("rows.jsonl"), "{}\n");
  write_text(path("t.jinja"), "\n{% if %}");
  const auto broken = dump("--template " + path("t.jinja"));
  EXPECT_EQ(broken.exit_code, 11);
  EXPECT_NE(broken.output.find("t.jinja, line 2: "), std::string::npos) << broken.output;
  const auto time = dump("--raw --now tomorrow");
  EXPECT_EQ(time.exit_code, 10);
  EXPECT_NE(time.output.find("expected YYYY-MM-DD HH:MM:SS"), std::string::npos) << time.output;
}

}  // namespace
}  // namespace dflash
