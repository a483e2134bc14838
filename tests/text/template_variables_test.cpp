// Variables that a user sets for a template: their words, the names that a template reads, and what is refused.
#include "common/text/chat_template/template_variables.h"

#include <gtest/gtest.h>

#include "common/base/format.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

std::string read_by(const std::string& source) {
  return format("{}", join(ChatTemplate::parse(source, "test").variables(), " "));
}

TEST(FreeNames, AreThoseThatATemplateReadsAndHasNotSet) {
  EXPECT_EQ(read_by("text"), "");
  EXPECT_EQ(read_by("{{ a.b[c](d=e) | join(f) }}{{ g is divisibleby h }}{{ 'i' ~ true ~ none }}"), "a c e f g h");
  EXPECT_EQ(read_by("{% for m in messages if m.x == y %}{{ m.z }}{{ loop.last }}{% else %}{{ m }}{% endfor %}"),
            "m messages y");
  EXPECT_EQ(read_by("{% for m in messages %}{{ m }}{% endfor %}"), "messages");
  EXPECT_EQ(read_by("{% for k, v in t | items %}{{ k }}{{ v }}{% endfor %}{{ v }}"), "t v");
  EXPECT_EQ(read_by("{% set a = b %}{{ a }}{% set c %}{{ d }}{% endset %}{{ c }}{% set e.f = g %}"), "b d g");
  EXPECT_EQ(read_by("{% set a = a or 1 %}"), "a");
  EXPECT_EQ(read_by("{% with a = b %}{{ a }}{% endwith %}{{ a }}"), "a b");
  EXPECT_EQ(read_by("{% macro m(x, y=z) %}{{ x }}{{ y }}{{ kwargs }}{{ w }}{% endmacro %}{{ m(1) }}"), "w z");
  EXPECT_EQ(read_by("{% call(x) y(x) %}{{ x }}{{ caller }}{% endcall %}"), "x y");
  EXPECT_EQ(read_by("{% if a %}{% generation %}{{ b }}{% endgeneration %}{% elif c %}{{ d }}{% endif %}"), "a b c d");
}

TEST(FreeNames, WhatIsSetInOneBranchStaysFreeBehindIt) {
  EXPECT_EQ(read_by("{% if not date_string is defined %}{% set date_string = '26' %}{% endif %}{{ date_string }}"),
            "date_string");
  EXPECT_EQ(read_by("{% if x %}{% set a = 1 %}{% endif %}{{ a }}"), "a x");
  EXPECT_EQ(read_by("{% for i in x %}{% set a = 1 %}{{ a }}{% endfor %}"), "x");
}

TEST(TemplateVariables, AreWordsOfNameAndJson) {
  EXPECT_EQ(parse_template_variables({}).dump(), "{}");
  EXPECT_EQ(parse_template_variables({"date_string=\"26 Jul = 2024\"", "b=false", "a=[1, {\"k\": 2.0}]"}).dump(),
            R"({"a":[1,{"k":2.0}],"b":false,"date_string":"26 Jul = 2024"})");
  EXPECT_EQ(parse_template_variables({"a={\"z\": 1, \"b\": {\"y\": -9223372036854775808, \"x\": 2}}"}).dump(),
            R"({"a":{"b":{"x":2,"y":-9223372036854775808},"z":1}})")
      << "by name, as run.toml keeps them";
}

TEST(TemplateVariables, OtherWordsAreRefusedInALine) {
  const auto refused = [](const std::vector<std::string>& words, const std::string& why) {
    expect_error(ErrorKind::config, why, [&] { (void)parse_template_variables(words); });
  };
  refused({"thinking"}, "template variable thinking: expected NAME=JSON");
  refused({"date_string=26 Jul 2024"}, "template variable date_string=26 Jul 2024: the value is not JSON");
  refused({"a=False"}, "the value is not JSON");
  refused({"a="}, "the value is not JSON");
  refused({"a={\"k\": 1, \"k\": 2}"}, "the value is not JSON");
  refused({"a=null"}, "null says nothing");
  refused({"a={\"k\": [1, null]}"}, "null says nothing");
  refused({"a=9223372036854775808"}, "an integer of over 63 bits");
  refused({"a=" + std::string(18, '[') + std::string(18, ']')}, "more than 16 deep");
  refused({"a=" + std::string(60000, '[') + std::string(60000, ']')}, "[[[...: longer than 65536 bytes");
  refused({"=1"}, "expected a name of letters");
  refused({"3a=1"}, "expected a name of letters");
  refused({"a.b=1"}, "expected a name of letters");
  refused({"a=1", "a=1"}, "set twice");
  refused({"a\n\x1b=1"}, "template variable a?\?=1:");
}

class VariablesOfATemplate : public testing::Test {
 protected:
  void check(const Json& variables, const std::string& source) const {
    write_text(folder_.path() / "t.jinja", source);
    check_template_variables(variables, ModelTemplates::read(folder_.path() / "t.jinja"));
  }
  void expect_refused(const Json& variables, const std::string& why) const {
    const char* source =
        "{% for m in messages %}{{ m }}{% endfor %}{{ tools }}{{ bos_token }}{{ strftime_now('%d') }}{{ range(3) }}"
        "{{ enable_thinking }}{{ date_string }}";
    expect_error(ErrorKind::config, why, [&] { check(variables, source); });
  }
  TempFolder folder_;
};

TEST_F(VariablesOfATemplate, ATypingErrorIsRefusedWithWhatItReads) {
  expect_refused({{"enable_thinkin", false}},
                 "template variable enable_thinkin: the chat template never reads it; it reads date_string, "
                 "enable_thinking");
  expect_refused({{"m", 1}}, "template variable m: the chat template never reads it");
  expect_error(ErrorKind::config, "it reads none but those that are always given",
               [&] { check({{"x", 1}}, "{{ messages }}"); });
  EXPECT_NO_THROW(check({{"enable_thinking", false}}, "{{ enable_thinking }}"));
  EXPECT_NO_THROW(check(Json::object(), "text"));
}

TEST_F(VariablesOfATemplate, WhatTheSystemGivesIsRefused) {
  for (const char* own : {"messages", "tools"}) expect_refused({{own, Json::array()}}, "each row brings its own");
  for (const char* own : {"add_generation_prompt", "bos_token", "eos_token", "strftime_now", "range"}) {
    expect_refused({{own, true}}, format("template variable {}: it is always given", own));
  }
}

TEST_F(VariablesOfATemplate, OneThatTheTemplateForToolsReadsIsRead) {
  const Json named = {{{"name", "default"}, {"template", "{{ a }}"}}, {{"name", "tool_use"}, {"template", "{{ b }}"}}};
  write_text(folder_.path() / "tokenizer_config.json", Json{{"chat_template", named}}.dump());
  EXPECT_NO_THROW(check_template_variables({{"a", 1}, {"b", 2}}, ModelTemplates::read(folder_.path())));
}

TEST(TemplateVariables, DocumentsReachTheTemplate) {
  const auto chat = ChatTemplate::parse("{{ documents is none }}{{ documents | length if documents else 0 }}", "test");
  ChatOptions options;
  EXPECT_EQ(chat.render(Json::array(), options).text, "True0");
  options.extra = {{"documents", {"one", "two"}}};
  EXPECT_EQ(chat.render(Json::array(), options).text, "False2");
}

}  // namespace
}  // namespace dflash
