// Hostile templates and rows end in a clear error: steps, text, depth, and what a template may not touch. One template
// serves many threads.
#include <gtest/gtest.h>

#include <thread>

#include "common/text/chat_template/chat_template.h"
#include "tests/text/chat_options.h"

namespace dflash {
namespace {

std::string render(const std::string& source, const Json& variables = Json::object()) {
  ChatOptions options = test::options_at_fixed_time();
  options.limits.steps = 300'000;  // sanitizers make the 50 million of the default slow
  options.limits.text_bytes = 1 << 20;
  return ChatTemplate::parse(source, "hostile").render_plain(variables, options);
}

/// The error of rendering `source`; its text when it renders.
std::string failure_of(const std::string& source, TemplateFailure failure) {
  try {
    return "rendered: " + render(source);
  } catch (const TemplateError& error) {
    EXPECT_EQ(error.failure(), failure) << error.what();
    EXPECT_EQ(error.kind(), ErrorKind::input_file);
    return error.what();
  }
}

std::string repeated(const std::string& text, size_t times) {
  std::string result;
  for (size_t i = 0; i < times; ++i) result += text;
  return result;
}

TEST(TemplateLimits, StepsAreCounted) {
  const std::string loops = "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}";
  EXPECT_EQ(failure_of("\n" + loops, TemplateFailure::limit), "hostile, line 2: more than 300000 steps");
}

TEST(TemplateLimits, RenderingsOfOneConversationMayHaveAnAllowance) {
  const auto chat = ChatTemplate::parse("{% for m in messages %}{{ m }}{% endfor %}", "hostile");
  TemplateAllowance allowance{.steps = 10'000};
  ChatOptions options = test::options_at_fixed_time();
  options.allowance = &allowance;
  const auto failure = [&](const Json& messages) -> std::string {
    try {
      (void)chat.render(messages, options);
    } catch (const TemplateError& error) {
      EXPECT_EQ(error.failure(), TemplateFailure::limit);
      return error.what();
    }
    return "";
  };
  const Json messages(std::vector<int>(50, 1));
  int rendered = 0;
  while (failure(messages).empty()) ++rendered;
  EXPECT_GT(rendered, 1);
  EXPECT_LT(rendered, 10);
  EXPECT_NE(failure(messages).find("rendering it for each of its turns took more than 10000 steps"), std::string::npos);
  allowance.used = 0;
  EXPECT_NE(failure(Json(std::vector<int>(390, 1))).find("more than 10000 steps"), std::string::npos) << "inside one";
  allowance.used = 0;
  std::atomic<bool> stop = false;
  allowance.stop = &stop;
  EXPECT_EQ(failure(messages), "");
  stop = true;
  EXPECT_NE(failure(messages).find("stopped"), std::string::npos);
}

TEST(TemplateLimits, TextIsCountedBeforeItIsMade) {
  for (const char* source :
       {"{{ 'ab' * 10000000000 }}", "{{ [0] * 10000000000 }}", "{{ 'a' | center(10000000000) }}",
        "{{ 'a'.zfill(10000000000) }}", "{{ 'a\nb' | indent(10000000000) }}",
        "{{ ('a' * 60000) | replace('a', 'b' * 1000) }}", "{{ [1] | batch(10000000000, 0) | list }}",
        "{% set ns = namespace(s='x') %}{% for i in range(40) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}"}) {
    EXPECT_NE(failure_of(source, TemplateFailure::limit).find("more than"), std::string::npos) << source;
  }
}

TEST(TemplateLimits, DepthIsCounted) {
  const std::string endless = "{% macro m(n) %}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}";
  EXPECT_EQ(failure_of(endless, TemplateFailure::limit), "hostile, line 1: nested deeper than 1000");
  const std::string list = "{% set ns = namespace(l=[]) %}{% for i in range(999) %}{% set ns.l = [ns.l] %}{% endfor %}";
  EXPECT_EQ(failure_of(list, TemplateFailure::limit), "hostile, line 1: values nest deeper than 200");
  EXPECT_EQ(failure_of("{{ " + repeated("(", 50000) + "1" + repeated(")", 50000) + " }}", TemplateFailure::syntax),
            "hostile, line 1: brackets nest deeper than 100");
  EXPECT_EQ(failure_of(repeated("{% if 1 %}", 50000), TemplateFailure::syntax),
            "hostile, line 1: blocks nest deeper than 100");
  EXPECT_EQ(failure_of("{{ 1" + repeated(" + 1", 50000) + " }}", TemplateFailure::syntax),
            "hostile, line 1: an expression of more than 4000 operators");
  EXPECT_EQ(failure_of("{{ 1" + repeated(" + 1", 3000) + " }}", TemplateFailure::limit),
            "hostile, line 1: nested deeper than 1000");
  EXPECT_EQ(render("{{ 1" + repeated(" + 1", 900) + " }}"), "901");
}

TEST(TemplateLimits, RowsAreCheckedToo) {
  Json deep = 1;
  for (int i = 0; i < 500; ++i) deep = Json::array({deep});
  EXPECT_THROW((void)render("{{ x }}", {{"x", deep}}), TemplateError);
  EXPECT_THROW((void)render("{{ x }}", {{"x", "\xff\xfe"}}), TemplateError);
  EXPECT_THROW((void)ChatTemplate::parse("\xff", "bytes"), TemplateError);
}

TEST(TemplateLimits, IntegersNeverWrap) {
  EXPECT_EQ(render("{{ 2 ** 126 }}"), "85070591730234615865843651857942052864");
  for (const char* source : {"{{ 2 ** 127 }}", "{{ 10 ** 50 }}", "{{ -(2 ** 126) * 4 }}", "{{ 1e300 | int }}",
                             "{{ 999999999999999999999999999999999999999999 }}"}) {
    EXPECT_NE(failure_of(source, TemplateFailure::limit).find("128 bits"), std::string::npos) << source;
  }
  EXPECT_EQ(render("{{ 1 ** 99999999 }} {{ (-1) ** 3 }} {{ 0 ** 9 }} {{ -7 // 2 }} {{ 7 % -3 }}"), "1 -1 0 -4 -2");
}

TEST(TemplateLimits, WhatHoldsItselfIsFreed) {  // told by the address sanitizer
  EXPECT_EQ(render("{% set ns = namespace() %}{% set ns.me = ns %}{% set ns.list = [ns] %}"
                   "{% macro m() %}{% endmacro %}{% set ns.m = m %}{% set l = [m, ns] %}"
                   "{% for x in [1] recursive %}{% set ns.loop = loop %}{% set mine = [loop] %}{% endfor %}ok"),
            "ok");
  EXPECT_NE(failure_of("{% for x in [1] %}{{ loop.changed([loop]) }}{% endfor %}", TemplateFailure::runtime)
                .find("not supported"),
            std::string::npos);
}

TEST(TemplateLimits, ErrorsNameTheirPlace) {
  EXPECT_EQ(failure_of("a\n{% for x in [1] %}\n{{ x.y.z }}\n{% endfor %}", TemplateFailure::undefined),
            "hostile, line 3: 'int object' has no attribute 'y'");
  EXPECT_EQ(failure_of("{% macro m() %}\n\n{{ 1 + 'a' }}{% endmacro %}\n{{ m() }}", TemplateFailure::runtime),
            "hostile, line 3: unsupported operand type(s) for +: 'int' and 'str'");
  EXPECT_EQ(failure_of("\n\n{{ 'a' | nosuch }}", TemplateFailure::syntax),
            "hostile, line 3: No filter named 'nosuch'.");
  EXPECT_EQ(failure_of("{% if x %}{% break %}{% endif %}", TemplateFailure::syntax),
            "hostile, line 1: 'break' outside loop");
}

TEST(TemplateLimits, OneTemplateServesManyThreads) {
  const auto chat = ChatTemplate::parse(
      "{% macro show(m) %}<{{ m.role }}>{{ m.content | upper }}{% endmacro %}{% set ns = namespace(n=0) %}"
      "{% for m in messages %}{% set ns.n = ns.n + loop.index %}{{ show(m) }}{{ 'abc'.split('b') }}{% endfor %}{{ ns.n "
      "}}",
      "shared");
  const Json messages = {{{"role", "user"}, {"content", "straße"}}, {{"role", "assistant"}, {"content", "ok"}}};
  const std::string expected = "<user>STRASSE['a', 'c']<assistant>OK['a', 'c']3";
  std::vector<std::thread> threads;
  std::vector<size_t> same(4, 0);
  for (size_t& count : same) {
    threads.emplace_back([&chat, &messages, &expected, &count] {
      for (int i = 0; i < 100; ++i) count += chat.render(messages, {}).text == expected ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, (std::vector<size_t>(4, 100)));
}

}  // namespace
}  // namespace dflash
