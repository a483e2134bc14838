#include "common/eval/prompts.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

class PromptsTest : public ::testing::Test {
 protected:
  std::vector<Prompt> read(const std::string& text) {
    write_text(folder_.path() / "prompts.jsonl", text);
    return read_prompts(folder_.path() / "prompts.jsonl", 100);
  }
  TempFolder folder_;
};

TEST_F(PromptsTest, ReadsIdsAndKinds) {
  const auto prompts = read("{\"id\":\"a\",\"prompt_ids\":[1,99],\"kind\":\"code\"}\r\n\n{\"prompt_ids\":[0]}");
  ASSERT_EQ(prompts.size(), 2U);
  EXPECT_EQ(prompts[0].ids, (std::vector<int64_t>{1, 99}));
  EXPECT_EQ(prompts[0].kind, "code");
  EXPECT_EQ(prompts[1].kind, "all");
}

TEST_F(PromptsTest, NamesTheLineThatIsNotUsable) {
  const std::string good = "{\"prompt_ids\":[1]}\n";
  const std::vector<std::pair<std::string, std::string>> bad{{"{\"prompt_ids\":[]}", "at least one token"},
                                                             {"{\"prompt_ids\":[100]}", "token id 100"},
                                                             {"{\"prompt_ids\":[-1]}", "token id -1"},
                                                             {"{\"prompt_ids\":[1.5]}", "token id 1.5"},
                                                             {"{\"ids\":[1]}", "prompt_ids"},
                                                             {"[1]", "prompt_ids"},
                                                             {"{\"prompt_ids\":[1]", "not JSON"},
                                                             {"{\"prompt_ids\":[1],\"kind\":3}", "kind"},
                                                             {"{\"prompt_ids\":[18446744073709551615]}", "token id"}};
  for (const auto& [line, why] : bad) {
    const Error error = error_of([&, text = good + line] { (void)read(text); });
    EXPECT_EQ(error.kind(), ErrorKind::input_file);
    EXPECT_TRUE(says(error, {"prompts.jsonl:2", why}));
  }
  EXPECT_TRUE(says(error_of([&] { (void)read("\n"); }), {"no prompt"}));
}

}  // namespace
}  // namespace dflash
