// Where the template of a model comes from: a file, a folder, tokenizer_config.json with one or several.
#include "common/text/chat_template/model_templates.h"

#include <gtest/gtest.h>

#include "common/text/chat_template/prepare_messages.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

class ModelTemplatesTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { write_text(folder_.path() / name, text); }
  void write_config(const Json& config) const { write("tokenizer_config.json", config.dump()); }
  [[nodiscard]] std::string rendered(bool has_tools) const {
    return ModelTemplates::read(folder_.path()).for_tools(has_tools).render(Json::array(), {}).text;
  }
  [[nodiscard]] std::string failure() const {
    try {
      (void)ModelTemplates::read(folder_.path());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input_file);
      return error.what();
    }
    return "read";
  }
  TempFolder folder_;
};

TEST_F(ModelTemplatesTest, OneTemplateAndItsTokens) {
  write_config(
      {{"bos_token", "<s>"}, {"eos_token", {{"content", "</s>"}, {"lstrip", false}}}, {"chat_template", "one"}});
  EXPECT_EQ(rendered(false), "one");
  EXPECT_EQ(rendered(true), "one");
  const auto model = ModelTemplates::read(folder_.path() / "tokenizer_config.json");
  EXPECT_EQ(model.bos_token(), "<s>");
  EXPECT_EQ(model.eos_token(), "</s>");
}

TEST_F(ModelTemplatesTest, NamedTemplates) {
  write_config({{"chat_template",
                 {{{"name", "default"}, {"template", "plain"}},
                  {{"name", "rag"}, {"template", "{% nonsense %}"}},
                  {{"name", "tool_use"}, {"template", "tools"}}}}});
  EXPECT_EQ(rendered(false), "plain");
  EXPECT_EQ(rendered(true), "tools");
}

TEST_F(ModelTemplatesTest, TheFileGoesBeforeTheConfig) {
  write_config({{"eos_token", "</s>"}, {"chat_template", "{% broken"}});
  write("chat_template.jinja", "from the file");
  EXPECT_EQ(rendered(false), "from the file");
  EXPECT_EQ(ModelTemplates::read(folder_.path()).eos_token(), "</s>");
  EXPECT_EQ(ModelTemplates::read(folder_.path() / "chat_template.jinja").for_tools(true).render(Json::array(), {}).text,
            "from the file");
}

TEST_F(ModelTemplatesTest, WhatIsMissingIsNamed) {
  EXPECT_NE(failure().find("no chat template"), std::string::npos);
  write_config({{"chat_template", 5}});
  EXPECT_NE(failure().find("expected a text or a list of named templates, got number"), std::string::npos);
  write_config({{"chat_template", {{{"name", "default"}}}}});
  EXPECT_NE(failure().find("expected objects with name and template"), std::string::npos);
  write_config({{"chat_template", "{{ 'a' | nosuch }}"}});
  EXPECT_NE(failure().find("tokenizer_config.json: chat_template, line 1: No filter named 'nosuch'."),
            std::string::npos);
  write_config({{"chat_template", {{{"name", "tool_use"}, {"template", "t"}}}}});
  EXPECT_THROW((void)rendered(false), Error);
  EXPECT_EQ(rendered(true), "t");
}

TEST(PrepareMessages, NullsGoAndReasoningIsCopied) {
  const Json messages = {{{"role", "assistant"}, {"content", nullptr}, {"reasoning", "r"}},
                         {{"role", "assistant"}, {"reasoning_content", "a"}, {"thinking", "b"}}};
  EXPECT_EQ(prepare_messages(messages).dump(),
            R"([{"thinking":"r","role":"assistant","reasoning":"r","reasoning_content":"r"},)"
            R"({"role":"assistant","reasoning_content":"a","thinking":"b"}])");
  EXPECT_THROW((void)prepare_messages({{"role", "user"}}), Error);
  EXPECT_THROW((void)prepare_messages(Json::array({"text"})), Error);
}

}  // namespace
}  // namespace dflash
