// Whole sets: the quick start's prompts, and those of shared beside the checkout when they are there.
#include <gtest/gtest.h>

#include <map>

#include "common/data/prompts/prompt_encoder.h"
#include "common/data/prompts/prompt_file.h"
#include "tests/support/paths.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

const fs::path kData = test::source_dir() / "deploy/quickstart-data";
// The same prompts, tokenised elsewhere.
const fs::path kTokens = test::source_dir() / "tests/data/prompts/quickstart_prompt_ids.jsonl";

fs::path shared() {
  return test::source_dir().parent_path() / "shared";
}

std::vector<PromptRow> rows_of(const fs::path& path) {
  PromptFile file(path.string());
  std::vector<PromptRow> rows;
  for (PromptRow row; file.next(row);) {
    EXPECT_FALSE(row.verdict.dropped) << prompt_row_error(file, row);
    rows.push_back(row);
  }
  return rows;
}

PromptEncoder quickstart() {
  return PromptEncoder::read({.model = kData / "target", .tokenizer = {}, .chat_template = {}});
}

/// The messages of a text in ChatML that ends with a generation prompt.
Json messages_of(std::string_view text) {
  constexpr std::string_view kStart = "<|im_start|>", kEnd = "<|im_end|>\n";
  Json messages = Json::array();
  while (text.find(kEnd) != std::string_view::npos) {
    const size_t role_end = text.find('\n'), end = text.find(kEnd);
    messages.push_back({{"role", text.substr(kStart.size(), role_end - kStart.size())},
                        {"content", text.substr(role_end + 1, end - role_end - 1)}});
    text.remove_prefix(end + kEnd.size());
  }
  EXPECT_EQ(text, "<|im_start|>assistant\n");
  return messages;
}

TEST(PromptSets, TheQuickStartsTokensComeBackFromTheirText) {
  const PromptEncoder encoder = quickstart();
  TokenizerScratch scratch;
  const std::vector<PromptRow> rows = rows_of(kTokens);
  EXPECT_EQ(rows.size(), 256U);
  for (const PromptRow& row : rows) {
    const std::vector<int32_t>& ids = row.verdict.conversation.input_ids;
    const std::string text = encoder.tokenizer().decode(std::vector<uint32_t>(ids.begin(), ids.end()), false);
    EXPECT_EQ(encoder.encode_chat(messages_of(text), nullptr, scratch), ids) << text;
  }
}

TEST(PromptSets, TheQuickStartsRawPromptsGiveItsTokens) {
  std::map<std::string, std::vector<int32_t>> tokens;
  for (const PromptRow& row : rows_of(kTokens)) {
    tokens[row.verdict.conversation.id] = row.verdict.conversation.input_ids;
  }
  const PromptEncoder encoder = quickstart();
  TokenizerScratch scratch;
  size_t compared = 0;
  for (PromptRow& row : rows_of(kData / "eval.jsonl")) {
    encoder.encode(row.verdict, scratch);
    ASSERT_TRUE(tokens.contains(row.verdict.conversation.id)) << row.verdict.conversation.id;
    EXPECT_EQ(row.verdict.conversation.input_ids, tokens[row.verdict.conversation.id]);
    ++compared;
  }
  EXPECT_EQ(compared, tokens.size());
}

TEST(PromptSets, EveryPublishedPromptIsUsable) {
  const fs::path folder = shared() / "data/eval";
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const PromptEncoder encoder = quickstart();
  TokenizerScratch scratch;
  size_t prompts = 0, later = 0;
  for (const std::string& path : expand_inputs({(folder / "*.jsonl").string()})) {
    for (PromptRow& row : rows_of(path)) {
      encoder.encode(row.verdict, scratch);
      EXPECT_FALSE(row.verdict.dropped) << path << ":" << row.line_number << ": " << row.verdict.detail;
      ++prompts;
      later += row.verdict.conversation.later_questions.size();
    }
  }
  EXPECT_EQ(prompts, 995U);
  EXPECT_EQ(later, 80U);  // MT-Bench asks twice
}

}  // namespace
}  // namespace dflash
