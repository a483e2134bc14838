// Every small template of golden/text/templates/features.jsonl: its text, or how it fails.
#include <gtest/gtest.h>

#include "common/text/chat_template/chat_template.h"
#include "tests/text/chat_options.h"
#include "tests/text/golden_text.h"

namespace dflash {
namespace {

TemplateFailure failure_named(const std::string& name) {
  if (name == "syntax") return TemplateFailure::syntax;
  if (name == "undefined") return TemplateFailure::undefined;
  if (name == "security") return TemplateFailure::security;
  return name == "raise_exception" ? TemplateFailure::raised : TemplateFailure::runtime;
}

std::string render(const Json& row) {
  const auto chat = ChatTemplate::parse(row.at("template").get<std::string>(), row.at("name").get<std::string>());
  return chat.render_plain(row.at("context"), test::options_at_fixed_time());
}

void expect_failure(const Json& row) {
  try {
    ADD_FAILURE() << row.at("name") << ": expected an error, got " << render(row);
  } catch (const TemplateError& error) {
    EXPECT_EQ(error.failure(), failure_named(row.at("error_kind"))) << row.at("name") << ": " << error.what();
    EXPECT_EQ(error.kind(), ErrorKind::input_file);
    if (error.failure() == TemplateFailure::syntax) return;
    EXPECT_EQ(error.reason(), row.at("error")) << row.at("name");
  }
}

TEST(TemplateFeatures, AreThoseOfTheReference) {
  size_t rows = 0;
  test::for_each_row(test::golden_text_folder() / "templates" / "features.jsonl.gz", [&](const Json& row) {
    ++rows;
    if (row.contains("error")) return expect_failure(row);
    try {
      EXPECT_EQ(render(row), row.at("expected").get<std::string>()) << row.at("name");
    } catch (const TemplateError& error) {
      ADD_FAILURE() << row.at("name") << ": " << error.what();
    }
  });
  EXPECT_EQ(rows, 148U);
}

}  // namespace
}  // namespace dflash
