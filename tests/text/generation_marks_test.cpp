// What generation blocks mark beside the turn: by own templates, and by published ones.
#include "common/text/loss_mask/generation_marks.h"

#include <gtest/gtest.h>

#include "common/text/chat_template/prepare_messages.h"
#include "tests/text/case_folder.h"

namespace dflash {
namespace {

using test::CaseFolder;

constexpr const char* kBefore = "{% for m in messages %}{% if m.role == 'user' %}U:{{ m.content }}\n{% else %}";
constexpr const char* kBehind = "{% endif %}{% endfor %}{% if add_generation_prompt %}A:{% endif %}";

GenerationMarkCounts counts(const std::string& turn) {
  const auto chat = ChatTemplate::parse(kBefore + turn + kBehind, "test");
  const Json messages = prepare_messages({{{"role", "user"}, {"content", "é?"}},
                                          {{"role", "assistant"}, {"content", "ö"}},
                                          {{"role", "user"}, {"content", "ü?"}},
                                          {{"role", "assistant"}, {"content", "ä"}}});
  return count_marked(find_generation_marks(chat, {}), find_assistant_turns(chat, messages, {}));
}

TEST(GenerationMarks, HeaderAndSpaceAreCountedForEachTurn) {
  const auto exact = counts("A:{% generation %}{{ m.content }}</s>{% endgeneration %}\n");
  EXPECT_EQ(exact.headers, 0);
  EXPECT_EQ(exact.spaces, 0);
  const auto header = counts("{% generation %}A:{{ m.content }}</s>{% endgeneration %}\n");
  EXPECT_EQ(header.headers, 2);
  EXPECT_EQ(header.spaces, 0);
  const auto space = counts("A:{% generation %}{{ m.content }}</s>{{ '\\n' }}{% endgeneration %}");
  EXPECT_EQ(space.headers, 0);
  EXPECT_EQ(space.spaces, 2);
  const auto none = counts("A:{{ m.content }}</s>\n");
  EXPECT_EQ(none.headers + none.spaces, 0);
}

TEST(GenerationMarks, OfPublishedTemplates) {
  const auto folder = test::shared_text_folder() / "templates";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no published templates beside the repository";
  CaseFolder cases(folder);
  const auto marks = [&](const char* name) { return find_generation_marks(cases.chat(name), {}); };
  EXPECT_EQ(marks("deepseekv3_training").header, "<｜Assistant｜>");
  EXPECT_EQ(marks("deepseekv3_training").spaces, "");
  for (const char* name : {"qwen3_training", "gemma3_training"}) {
    EXPECT_EQ(marks(name).header, "") << name;
    EXPECT_EQ(marks(name).spaces, "\n") << name;
  }
  for (const char* name : {"chatml_gen", "llama3_training", "qwen3"}) {
    EXPECT_EQ(marks(name).header, "") << name;
    EXPECT_EQ(marks(name).spaces, "") << name;
  }
}

}  // namespace
}  // namespace dflash
