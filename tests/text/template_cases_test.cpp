// Conversations through the templates of models, against golden/text/templates/cases.jsonl: the text, the errors, and
// what {% generation %} blocks printed. One family lies in the repository, the others beside it.
#include <gtest/gtest.h>

#include "common/text/chat_template/prepare_messages.h"
#include "tests/text/case_folder.h"

namespace dflash {
namespace {

using test::CaseFolder;
using test::label;
using test::spans_json;

/// What a row says of a rendering: its text, or its error and the kind of that.
struct Outcome {
  bool fails;
  std::string text;
  std::string kind;
};

/// `raw`: for messages as they stand in the row, where that differs.
Outcome outcome(const Json& row, bool raw) {
  const std::string suffix = raw && (row.contains("expected_raw") || row.contains("error_raw")) ? "_raw" : "";
  if (row.contains("expected" + suffix)) return {false, row.at("expected" + suffix), ""};
  const std::string kind = suffix.empty() ? "error_kind" : "error_raw_kind";
  return {true, row.at("error" + suffix), row.at(kind)};
}

void check(CaseFolder& cases, const Json& row, bool raw) {
  const Outcome expected = outcome(row, raw);
  try {
    const Json messages = raw ? row.at("messages") : prepare_messages(row.at("messages"));
    const RenderedChat rendered = cases.chat(row.at("template")).render(messages, cases.options(row));
    EXPECT_FALSE(expected.fails) << label(row) << " rendered, expected: " << expected.text;
    EXPECT_EQ(rendered.text, expected.text) << label(row);
    if (!raw && row.value("rule", "") == "generation") {
      EXPECT_EQ(spans_json(rendered.generated), row.at("assistant_spans")) << label(row);
    }
  } catch (const TemplateError& error) {
    ASSERT_TRUE(expected.fails) << label(row) << ": " << error.what();
    const bool raised = expected.kind == "raise_exception";
    EXPECT_EQ(error.failure() == TemplateFailure::raised, raised) << label(row) << ": " << error.what();
    EXPECT_EQ(error.reason(), expected.text) << label(row);
  }
}

size_t check_all(const std::filesystem::path& folder, const std::string& file) {
  CaseFolder cases(folder);
  size_t rows = 0;
  test::for_each_row(folder / file, [&](const Json& row) {
    ++rows;
    check(cases, row, false);
    check(cases, row, true);
  });
  return rows;
}

TEST(TemplateCases, OwnTemplate) {
  EXPECT_EQ(check_all(test::golden_text_folder() / "templates", "cases.jsonl.gz"), 29U);
}

TEST(TemplateCases, PublishedTemplates) {
  const auto folder = test::shared_text_folder() / "templates";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no published templates beside the repository";
  EXPECT_EQ(check_all(folder, "cases.jsonl"), 464U);
}

}  // namespace
}  // namespace dflash
