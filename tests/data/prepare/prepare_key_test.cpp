// The key: the same for the same bytes, another one for anything that changes the result.
#include "common/data/prepare/prepare_key.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>

#include "tests/data/prepare/prepare_makers.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

class PrepareKey : public testing::Test {
 protected:
  PrepareKey() {
    for (const char* name : {"tokenizer.json", "tokenizer_config.json"}) {
      write_text(model_ / name, read_text(settings_.tokenizer / name));
    }
    settings_.tokenizer = model_ / "tokenizer.json";
    settings_.chat_template = model_;
    write_text(a_, made_row("Ask", "Reply"));
    write_text(b_, made_row("Ask", "Again"));
  }

  PrepareSettings settings_ = made_settings();
  TempFolder folder_;
  std::filesystem::path model_ = folder_.path() / "model";
  std::string a_ = (folder_.path() / "a.jsonl").string();
  std::string b_ = (folder_.path() / "b.jsonl").string();
};

TEST_F(PrepareKey, EveryThingThatCountsGivesAnother) {
  std::set<std::string> keys;
  const auto add = [&](const std::vector<std::string>& files, const PrepareSettings& settings) {
    EXPECT_TRUE(keys.insert(content_key(prepare_key(files, settings))).second);
  };
  add({a_, b_}, settings_);
  add({b_, a_}, settings_);
  add({a_}, settings_);
  const auto changed = [&](auto change) {
    PrepareSettings settings = settings_;
    change(settings);
    add({a_, b_}, settings);
  };
  changed([](PrepareSettings& s) { s.supervise = Supervise::last_turn; });
  changed([](PrepareSettings& s) { s.reasoning = false; });
  changed([](PrepareSettings& s) { s.max_tokens = 100; });
  changed([](PrepareSettings& s) { s.too_long = TooLong::drop; });
  changed([](PrepareSettings& s) { s.min_supervised_tokens = 3; });
  changed([](PrepareSettings& s) { s.mask_token_id.reset(); });
  changed([](PrepareSettings& s) { s.vocab_size.reset(); });
  changed([](PrepareSettings& s) { s.shape = RowShape::messages; });
  changed([](PrepareSettings& s) { s.now = "2025-01-01 00:00:00"; });
  changed([](PrepareSettings& s) { s.shard_tokens = 9; });
  write_text(a_, made_row("Ask", "Other"));
  add({a_, b_}, settings_);
  write_text(model_ / "tokenizer.json", read_text(model_ / "tokenizer.json") + "\n");
  add({a_, b_}, settings_);
  write_text(model_ / "chat_template.jinja", "{{ messages }}");
  add({a_, b_}, settings_);
  changed([](PrepareSettings& s) { s.chat_template = s.chat_template / "chat_template.jinja"; });
}

TEST_F(PrepareKey, SpecialTokensOfTheModelCountForEveryTemplate) {
  write_text(folder_.path() / "own.jinja", "{{ bos_token }}");
  settings_.chat_template = folder_.path() / "own.jinja";
  std::set<std::string> keys{content_key(prepare_key({a_}, settings_))};
  settings_.model = model_;
  for (const char* token : {"<a>", "<b>"}) {
    write_text(model_ / "tokenizer_config.json", Json{{"bos_token", token}}.dump());
    EXPECT_TRUE(keys.insert(content_key(prepare_key({a_}, settings_))).second) << token;
  }
}

TEST_F(PrepareKey, NamesAndThreadsDoNotCount) {
  const std::string key = content_key(prepare_key({a_, b_}, settings_));
  settings_.threads = 9;
  EXPECT_EQ(content_key(prepare_key({a_, b_}, settings_)), key);
  std::filesystem::rename(a_, a_ + ".moved");
  EXPECT_EQ(content_key(prepare_key({a_ + ".moved", b_}, settings_)), key);
  EXPECT_EQ(key.size(), 16U);
}

TEST_F(PrepareKey, WhatCannotBeReadTwiceHasNone) {
  const std::string pipe = (folder_.path() / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& input : {std::string("-"), pipe}) {
    const Json key = prepare_key({a_, input}, settings_);
    EXPECT_FALSE(has_all_inputs(key));
    expect_error(ErrorKind::config, "cannot be read twice", [&] { (void)content_key(key); });
  }
  expect_error(ErrorKind::input_file, "none.jsonl", [&] { (void)prepare_key({"none.jsonl"}, settings_); });
}

TEST_F(PrepareKey, VariablesOfTheTemplateCountWhereThereAreAny) {
  write_text(model_ / "chat_template.jinja", "{{ enable_thinking }}");
  const Json without = prepare_key({a_}, settings_);
  EXPECT_FALSE(without["settings"].contains("template_variables")) << "keys of before stay";
  settings_.template_variables = {{"enable_thinking", false}};
  const Json with = prepare_key({a_}, settings_);
  EXPECT_EQ(with["settings"]["template_variables"].dump(), R"({"enable_thinking":false})");
  settings_.template_variables = {{"enable_thinking", true}};
  EXPECT_EQ(key_differences(with, prepare_key({a_}, settings_)), "settings.template_variables");
  EXPECT_EQ(key_differences(with, without), "settings.template_variables");
  EXPECT_EQ(key_differences(without, with), "settings.template_variables");
  settings_.template_variables = {{"enable_thinkin", true}};
  expect_error(ErrorKind::config, "never reads it", [&] { (void)prepare_key({a_}, settings_); });
}

TEST_F(PrepareKey, DifferencesAreNamed) {
  const Json key = prepare_key({a_}, settings_);
  EXPECT_EQ(key_differences(key, key), "");
  PrepareSettings other = settings_;
  other.max_tokens = 77;
  other.reasoning = false;
  EXPECT_EQ(key_differences(key, prepare_key({b_}, other)), "inputs, settings.reasoning, settings.max_tokens");
}

}  // namespace
}  // namespace dflash
