// Conversations through the templates of models, against golden/text/templates/cases.jsonl: the text, the errors, and
// what {% generation %} blocks printed. One family lies in the repository, the others beside it.
#include <gtest/gtest.h>

#include <map>

#include "common/base/file.h"
#include "common/text/chat_template/chat_template.h"
#include "common/text/chat_template/prepare_messages.h"
#include "tests/text/chat_options.h"
#include "tests/text/golden_text.h"

namespace dflash {
namespace {

/// A folder with templates.json, *.jinja and the cases.
class CaseFolder {
 public:
  explicit CaseFolder(std::filesystem::path folder)
      : folder_(std::move(folder)), index_(read_json_file(folder_ / "templates.json")) {}

  const ChatTemplate& chat(const std::string& name) {
    const auto place = templates_.find(name);
    if (place != templates_.end()) return place->second;
    const MappedFile file(folder_ / (name + ".jinja"));
    return templates_.emplace(name, ChatTemplate::parse(file.text(), name + ".jinja")).first->second;
  }

  [[nodiscard]] ChatOptions options(const Json& row) const {
    const Json& tokens = index_.at(row.at("template").get<std::string>());
    ChatOptions options = test::options_at_fixed_time();
    if (tokens.at("bos_token").is_string()) options.bos_token = tokens.at("bos_token");
    if (tokens.at("eos_token").is_string()) options.eos_token = tokens.at("eos_token");
    options.tools = row.at("tools");
    options.add_generation_prompt = row.at("add_generation_prompt");
    if (row.contains("enable_thinking")) options.extra["enable_thinking"] = row.at("enable_thinking");
    return options;
  }

 private:
  std::filesystem::path folder_;
  Json index_;
  std::map<std::string, ChatTemplate> templates_;
};

std::string label(const Json& row) {
  return row.at("template").get<std::string>() + "/" + row.at("chat").get<std::string>();
}

Json spans_json(const std::vector<CharacterSpan>& spans) {
  Json list = Json::array();
  for (const CharacterSpan& span : spans) list.push_back({span.begin, span.end});
  return list;
}

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
