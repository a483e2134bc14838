// What data.files are, and how conversations among them are prepared.

#include "common/plan/data_plan.h"

#include <gtest/gtest.h>

#include <chrono>

#include "common/data/prepared/prepared_writer.h"
#include "common/plan/data_settings.h"
#include "tests/plan/plan_inputs.h"
#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

constexpr const char* kChat =
    R"({"messages": [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Hello, what is it?"}]})"
    "\n";
constexpr const char* kIds = "{\"input_ids\": [5, 6, 7, 8], \"loss_mask\": [0, 1, 1, 1]}\n";

/// Settings of a run whose target has the quick start's tokenizer and template.
class DataPlan : public testing::Test {
 protected:
  DataPlan() {
    config_ = small_config();
    config_.mutable_run()->set_dir((folder_.path() / "runs/one").string());
    config_.mutable_target()->set_model((test::source_dir() / "deploy/quickstart-data/target").string());
    config_.mutable_drafter()->set_mask_token_id(2047);
    target_.vocab_size = 2048;
  }

  void add_file(const std::string& name, const std::string& text) {
    write_text(folder_.path() / name, text);
    config_.mutable_data()->add_files((folder_.path() / name).string());
  }

  TempFolder folder_;
  RunConfig config_;
  ModelConfig target_ = small_target();
};

TEST_F(DataPlan, PatternsBecomeTheFilesTheyName) {
  write_text(folder_.path() / "b.jsonl", kIds);
  add_file("a.jsonl", kIds);
  config_.mutable_data()->set_files(0, (folder_.path() / "*.jsonl").string());
  expand_data_files(config_);
  ASSERT_EQ(config_.data().files_size(), 2);
  EXPECT_EQ(config_.data().files(0), (folder_.path() / "a.jsonl").string());
  config_.mutable_data()->set_files(0, "absent-*.jsonl");
  expect_error(ErrorKind::input_file, "absent-*.jsonl", [&] { expand_data_files(config_); });
  config_.mutable_data()->set_prepared("elsewhere");
  EXPECT_NO_THROW(expand_data_files(config_)) << "then the files are not looked at";
}

TEST_F(DataPlan, TokenIdsNeedNoPreparing) {
  add_file("ids.jsonl", kIds);
  EXPECT_FALSE(plan_preparing(config_, target_));
  EXPECT_NO_THROW(refuse_conversations(config_));
}

TEST_F(DataPlan, OneFileOfConversationsIsEnoughToPrepare) {
  add_file("ids.jsonl", kIds);
  add_file("chat.jsonl", kChat);
  const auto preparing = plan_preparing(config_, target_);
  ASSERT_TRUE(preparing);
  EXPECT_EQ(preparing->files.size(), 2U);
  EXPECT_EQ(preparing->folder.parent_path(), folder_.path() / "runs/prepared-data");
  expect_error(ErrorKind::config, "chat.jsonl holds conversations", [&] { refuse_conversations(config_); });

  config_.mutable_data()->set_cache("/somewhere");
  EXPECT_EQ(plan_preparing(config_, target_)->folder.parent_path(), "/somewhere");
  config_.mutable_data()->set_prepared("elsewhere");
  EXPECT_FALSE(plan_preparing(config_, target_));
}

TEST_F(DataPlan, EverySettingReachesThePreparing) {
  PrepareSettings plain = prepare_settings(config_, target_);
  EXPECT_EQ(plain.tokenizer, config_.target().model());
  EXPECT_EQ(plain.chat_template, config_.target().model());
  EXPECT_EQ(plain.model, config_.target().model());
  EXPECT_EQ(plain.supervise, Supervise::all_turns);
  EXPECT_TRUE(plain.reasoning);
  EXPECT_EQ(plain.max_tokens, 128);
  EXPECT_EQ(plain.too_long, TooLong::cut);
  EXPECT_EQ(plain.min_supervised_tokens, 32) << "twice a block of 16";
  EXPECT_EQ(plain.mask_token_id, 2047);
  EXPECT_EQ(plain.vocab_size, 2048);
  EXPECT_FALSE(plain.shape);

  DataSection& data = *config_.mutable_data();
  data.set_tokenizer("t.json");
  data.set_chat_template("t.jinja");
  data.set_supervise(DataSection::last_turn);
  data.set_reasoning(false);
  data.add_template_variables("enable_thinking=false");
  data.set_too_long(DataSection::drop);
  data.set_min_supervised_tokens(3);
  data.set_format(DataSection::instruction);
  const PrepareSettings given = prepare_settings(config_, target_);
  EXPECT_EQ(given.tokenizer, "t.json");
  EXPECT_EQ(given.chat_template, "t.jinja");
  EXPECT_EQ(given.model, config_.target().model()) << "whose special tokens the other template sees";
  EXPECT_EQ(given.supervise, Supervise::last_turn);
  EXPECT_FALSE(given.reasoning);
  EXPECT_EQ(given.template_variables.dump(), R"({"enable_thinking":false})");
  EXPECT_EQ(given.too_long, TooLong::drop);
  EXPECT_EQ(given.min_supervised_tokens, 3);
  EXPECT_EQ(given.shape, RowShape::instruction);
  data.set_supervise(DataSection::everything);
  EXPECT_EQ(prepare_settings(config_, target_).supervise, Supervise::everything);
}

TEST_F(DataPlan, PreparedOnceThenTaken) {
  std::string chats;
  for (int i = 0; i < 5; ++i) chats += kChat;
  add_file("chat.jsonl", chats);
  config_.mutable_data()->set_min_supervised_tokens(2);
  std::vector<std::string> notices;
  PrepareEvents events;
  events.notice = [&](const std::string& line) { notices.push_back(line); };
  RunConfig again = config_;
  prepare_run_data(config_, target_, events);
  EXPECT_EQ(std::filesystem::path(config_.data().prepared()).parent_path(), folder_.path() / "runs/prepared-data");
  EXPECT_FALSE(notices.empty());

  RunPlan plan;
  plan.target = target_;
  plan.layout.pack_tokens = 128;
  DataLedger ledger;
  const Documents documents = load_run_documents(config_, plan, ledger);
  EXPECT_EQ(documents.count(), 5);

  const auto written = std::filesystem::last_write_time(config_.data().prepared());
  const auto index = std::filesystem::path(config_.data().prepared()) / "prepared.json";
  const auto long_ago = std::filesystem::last_write_time(index) - std::chrono::hours(99);
  std::filesystem::last_write_time(index, long_ago);
  prepare_run_data(again, target_, {});
  EXPECT_GT(std::filesystem::last_write_time(index), long_ago) << "its last use";
  EXPECT_EQ(again.data().prepared(), config_.data().prepared());
  EXPECT_EQ(std::filesystem::last_write_time(config_.data().prepared()), written);
}

TEST_F(DataPlan, FoldersAreNamedBesideFilesOfTokenIdsAlone) {
  add_file("chat.jsonl", kChat);
  config_.mutable_data()->set_min_supervised_tokens(2);
  RunConfig first = config_;
  prepare_run_data(first, target_, {});
  RunConfig second = config_;
  second.mutable_data()->set_files(0, first.data().prepared());
  expand_data_files(second);
  EXPECT_FALSE(plan_preparing(second, target_));
  config_.mutable_data()->add_files(first.data().prepared());
  expect_error(ErrorKind::config, "is prepared already", [&] { (void)plan_preparing(config_, target_); });
}

TEST_F(DataPlan, SettingsThatWouldHaveNoEffectAreRefused) {
  add_file("ids.jsonl", kIds);
  EXPECT_NO_THROW(check_data_settings(config_, target_));
  RunConfig last = config_;
  last.mutable_data()->set_supervise(DataSection::last_turn);
  expect_error(ErrorKind::config, "'data.supervise' is for conversations", [&] { check_data_settings(last, target_); });
  RunConfig varied = config_;
  varied.mutable_data()->add_template_variables("enable_thinking=false");
  expect_error(ErrorKind::config, "'data.template_variables' is for conversations",
               [&] { check_data_settings(varied, target_); });
  RunConfig other = config_;
  other.mutable_data()->set_chat_template("t.jinja");
  expect_error(ErrorKind::config, "'data.chat_template'", [&] { check_data_settings(other, target_); });
  last.mutable_data()->set_files(0, (folder_.path() / "chat.jsonl").string());
  write_text(folder_.path() / "chat.jsonl", kChat);
  EXPECT_NO_THROW(check_data_settings(last, target_));
}

TEST_F(DataPlan, APreparedFolderMustBeWhatTheSettingsSay) {
  add_file("chat.jsonl", kChat);
  DataSection& data = *config_.mutable_data();
  data.set_min_supervised_tokens(2);
  data.set_supervise(DataSection::last_turn);
  prepare_run_data(config_, target_, {});
  EXPECT_NO_THROW(check_data_settings(config_, target_));
  data.set_min_supervised_tokens(3);
  expect_error(ErrorKind::config, "'data.min_supervised_tokens' is not what",
               [&] { check_data_settings(config_, target_); });
  data.clear_min_supervised_tokens();  // left open: whatever it was
  EXPECT_NO_THROW(check_data_settings(config_, target_));
  data.set_supervise(DataSection::everything);
  expect_error(ErrorKind::config, "'data.supervise' is not what", [&] { check_data_settings(config_, target_); });
}

TEST_F(DataPlan, APreparedFolderMustHaveTheVariables) {
  add_file("chat.jsonl", kChat);
  write_text(folder_.path() / "own.jinja",
             "{{ style }}{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
             "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}");
  DataSection& data = *config_.mutable_data();
  data.set_chat_template((folder_.path() / "own.jinja").string());
  data.set_min_supervised_tokens(2);
  RunConfig with = config_;
  with.mutable_data()->add_template_variables("style=\"calm\"");
  RunConfig typed = config_;
  typed.mutable_data()->add_template_variables("stile=\"calm\"");
  expect_error(ErrorKind::config, "template variable stile: the chat template never reads it; it reads style",
               [&] { (void)plan_preparing(typed, target_); });
  prepare_run_data(config_, target_, {});
  prepare_run_data(with, target_, {});
  EXPECT_NE(config_.data().prepared(), with.data().prepared());
  EXPECT_NO_THROW(check_data_settings(with, target_));
  for (const char* other : {"style=\"loud\"", "style=true"}) {
    with.mutable_data()->set_template_variables(0, other);
    expect_error(ErrorKind::config, "'data.template_variables' is not what",
                 [&] { check_data_settings(with, target_); });
  }
  data.add_template_variables("style=\"calm\"");
  expect_error(ErrorKind::config, "'data.template_variables' is not what",
               [&] { check_data_settings(config_, target_); });
}

TEST_F(DataPlan, AnotherTokenizerThanTheTargetsIsToldOf) {
  add_file("chat.jsonl", kChat);
  config_.mutable_data()->set_min_supervised_tokens(2);
  RunConfig own = config_;
  prepare_run_data(own, target_, {});
  EXPECT_EQ(tokenizer_notice(own), "");
  const auto copy = folder_.path() / "tokenizer.json";
  write_text(copy, read_text(std::filesystem::path(config_.target().model()) / "tokenizer.json") + "\n");
  config_.mutable_data()->set_tokenizer(copy.string());
  prepare_run_data(config_, target_, {});
  EXPECT_NE(tokenizer_notice(config_).find("another tokenizer.json"), std::string::npos);
}

TEST_F(DataPlan, ADamagedCacheIsSaidAndPreparedAnew) {
  add_file("chat.jsonl", kChat);
  config_.mutable_data()->set_min_supervised_tokens(2);
  RunConfig first = config_;
  prepare_run_data(first, target_, {});
  const auto shard = std::filesystem::path(first.data().prepared()) / "shard-000000.tokens";
  const std::string whole = read_text(shard);
  write_text(shard, whole.substr(8));
  std::string told;
  PrepareEvents events;
  events.notice = [&](const std::string& line) { told += line + "\n"; };
  prepare_run_data(config_, target_, events);
  EXPECT_NE(told.find("the data are prepared anew"), std::string::npos) << told;
  EXPECT_EQ(read_text(shard), whole);
}

TEST_F(DataPlan, AHalfPreparedFolderIsSaidToBeOne) {
  const auto folder = folder_.path() / "half";
  {
    const PreparedWriter writer(folder, Json::object());
  }
  const auto expect_said = [](auto call) {
    expect_error(ErrorKind::input_file, "preparing its data was interrupted; start dflash prepare again", call);
  };
  config_.mutable_data()->add_files(folder.string());
  expect_said([&] { expand_data_files(config_); });
  expect_said([&] { (void)plan_preparing(config_, target_); });
  expect_said([&] { refuse_conversations(config_); });
  config_.mutable_data()->clear_files();
  config_.mutable_data()->set_prepared(folder.string());
  expect_said([&] { (void)plan_preparing(config_, target_); });
  DataLedger ledger;
  expect_said([&] { (void)load_run_documents(config_, {}, ledger); });
}

/// A folder with the ids 1 to 3 and this key.
class MaskTokenOfFolders : public DataPlan {
 protected:
  void check(const Json& key, int32_t mask_token_id) {
    const auto folder = folder_.path() / std::to_string(made_++);
    PreparedWriter writer(folder, key);
    writer.add(std::vector<int32_t>{1, 2, 3}, std::vector<uint8_t>{1, 1, 1});
    writer.finish(Json::object());
    config_.mutable_data()->set_prepared(folder.string());
    config_.mutable_drafter()->set_mask_token_id(mask_token_id);
    EXPECT_FALSE(plan_preparing(config_, target_));
    RunPlan plan;
    plan.target = target_;
    plan.layout.pack_tokens = 128;
    DataLedger ledger;
    EXPECT_EQ(load_run_documents(config_, plan, ledger).count(), 1);
  }
  static Json prepared_with(const Json& mask_token_id) { return {{"settings", {{"mask_token_id", mask_token_id}}}}; }
  int made_ = 0;
};

TEST_F(MaskTokenOfFolders, MustBeTheRunsUnlessItStandsInNoRow) {
  expect_error(ErrorKind::config, "prepared without --mask-token-id, so", [&] { check(prepared_with(nullptr), 3); });
  DataLedger ledger;
  expect_error(ErrorKind::config, "with --mask-token-id 3", [&] { (void)load_run_documents(config_, {}, ledger); });
  expect_error(ErrorKind::config, "prepared with --mask-token-id 1, so", [&] { check(prepared_with(1), 2); });
  check(prepared_with(3), 3);
  check(prepared_with(nullptr), 4);
  check(prepared_with(1), 4);
}

TEST_F(MaskTokenOfFolders, IsNotAskedOfFoldersThatSayNothingOfIt) {
  for (const Json& key : {Json(), Json("theirs"), Json{{"of", "documents.jsonl"}}, Json{{"settings", 7}}})
    check(key, 3);
}

TEST_F(DataPlan, AStopIsAnErrorThatSaysWhatGoesOn) {
  add_file("chat.jsonl", kChat);
  PrepareEvents events;
  events.should_stop = [] { return true; };
  expect_error(ErrorKind::stopped, "the same command goes on", [&] { prepare_run_data(config_, target_, events); });
  EXPECT_TRUE(config_.data().prepared().empty());
}

}  // namespace
}  // namespace dflash
