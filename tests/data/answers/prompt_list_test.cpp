// Rows of many files as one numbered list.

#include "common/data/answers/prompt_list.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

class PromptListTest : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    write_text(folder_.path() / name, text);
    return (folder_.path() / name).string();
  }
  /// number:question of what is left; number:! for a row that cannot be used.
  static std::string rest_of(PromptList& prompts) {
    std::string text;
    for (NumberedPrompt prompt; prompts.next(prompt);) {
      const RowVerdict& verdict = prompt.row.verdict;
      text += std::to_string(prompt.number) + ":" +
              (verdict.dropped ? "!" : verdict.conversation.messages.back()["content"].get<std::string>()) + " ";
    }
    return text;
  }

  TempFolder folder_;
  const std::string first_ = file("a.jsonl", "{\"prompt\": \"a\"}\n\nbroken\n{\"prompt\": \"b\"}\n");
  const std::string empty_ = file("b.jsonl", "");
  const std::string second_ = file("c.jsonl", "{\"messages\": [{\"role\": \"user\", \"content\": \"c\"}]}");
};

TEST_F(PromptListTest, RowsAreNumberedThroughAllFiles) {
  PromptList prompts({first_, empty_, second_}, std::nullopt);
  EXPECT_EQ(prompts.facts().rows, 4);
  EXPECT_EQ(rest_of(prompts), "0:a 1:! 2:b 3:c ");
}

TEST_F(PromptListTest, SkipsToAnyRow) {
  const std::string expected[] = {"0:a 1:! 2:b 3:c ", "1:! 2:b 3:c ", "2:b 3:c ", "3:c ", "", ""};
  for (int64_t number = 0; number < 6; ++number) {
    PromptList prompts({first_, empty_, second_}, std::nullopt);
    prompts.skip_to(number);
    EXPECT_EQ(rest_of(prompts), expected[number]) << number;
  }
}

TEST_F(PromptListTest, TheHashIsThatOfTheRows) {
  const auto hash = [](const std::vector<std::string>& paths) { return PromptList(paths, std::nullopt).facts().hash; };
  const std::string whole = hash({first_, second_});
  EXPECT_EQ(hash({first_, empty_, second_}), whole) << "no row more";
  EXPECT_NE(hash({second_, first_}), whole);
  EXPECT_NE(hash({first_}), whole);
  file("c.jsonl", "{\"messages\": [{\"role\": \"user\", \"content\": \"C\"}]}");
  EXPECT_NE(hash({first_, second_}), whole);
}

TEST_F(PromptListTest, RowsWithoutTurnsAreRefusedByFile) {
  const std::string text = file("text.jsonl", "{\"text\": \"once\"}\n");
  const Error error = error_of([&] { (void)PromptList({first_, text}, std::nullopt).facts(); });
  EXPECT_EQ(error.kind(), ErrorKind::input_file);
  EXPECT_TRUE(says(error, {"text.jsonl", "rows of text have no turns"}));
  PromptList unseen({text}, std::nullopt);
  EXPECT_TRUE(says(error_of([&] { (void)rest_of(unseen); }), {"no turns"}));
}

TEST_F(PromptListTest, StandardInputIsReadOnce) {
  PromptList prompts({first_, "-"}, std::nullopt);
  EXPECT_FALSE(prompts.facts().rows);
  EXPECT_EQ(prompts.facts().hash, "standard input");
  prompts.skip_to(0);
  EXPECT_TRUE(says(error_of([&] { prompts.skip_to(1); }), {"standard input cannot be gone on with"}));
}

}  // namespace
}  // namespace dflash
