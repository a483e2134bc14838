// dflash train on conversations: prepared once into a cache, and then the run is the one on the same token ids.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "common/base/format.h"
#include "tests/support/tiny_run.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

const fs::path kData = test::source_dir() / "deploy/quickstart-data";
const std::string kModel = (kData / "target").string();

/// The first lines of the quick start's conversations.
std::string chats(int count) {
  std::istringstream all(read_text(kData / "chat.jsonl"));
  std::string text;
  for (std::string line; count > 0 && std::getline(all, line); --count) text += line + "\n";
  return text;
}

/// Runs of the quick start's target over a few hundred conversations.
class RawDataRun : public testing::Test {
 protected:
  RawDataRun() { write_text(path("chat.jsonl"), chats(300)); }

  [[nodiscard]] fs::path path(const std::string& name) const { return folder_.path() / name; }

  /// `data`: lines of the section. Short answers count too, where that is not settled already.
  [[nodiscard]] std::string settings(const std::string& name, const std::string& data) const {
    const bool settled = data.find("ids.jsonl") != std::string::npos;
    const fs::path file = path(name + ".toml");
    write_text(file, format("[run]\ndir = \"runs/{}\"\nseed = 3\nstall_timeout_s = 60\n"
                            "[target]\nmodel = \"{}\"\ndtype = \"float32\"\nthreads = 1\n"
                            "[drafter]\nmask_token_id = 2047\nblock_size = 8\nnum_layers = 1\nthreads = 1\n"
                            "[data]\npack_tokens = 256\n{}\n"
                            "[train]\nsteps = 3\nlr = 1e-3\nnum_anchors = 16\n[log]\nmetrics_every = 1\n",
                            name, kModel, data + (settled ? "" : "\nmin_supervised_tokens = 2")));
    return file.string();
  }

  [[nodiscard]] std::vector<std::string> curve(const std::string& name) const {
    std::vector<std::string> curve;
    for (const Json& line : test::TinyRun::metrics(path("runs") / name)) {
      curve.push_back(Json{line["step"], line["loss"], line["grad_norm"], line["acc_per_position"]}.dump());
    }
    return curve;
  }

  [[nodiscard]] std::vector<fs::path> cached() const {
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(path("runs/prepared-data"))) folders.push_back(entry.path());
    return folders;
  }

  TempFolder folder_;
};

TEST_F(RawDataRun, ConversationsTrainAsTheirTokenIdsDo) {
  const auto raw = test::run_program("dflash train " + settings("raw", "files = [\"chat*.jsonl\"]"));
  ASSERT_EQ(raw.exit_code, 0) << raw.output;
  EXPECT_NE(raw.output.find("chat.jsonl"), std::string::npos);
  EXPECT_NE(raw.output.find("messages"), std::string::npos) << "its format is said: " << raw.output;
  ASSERT_EQ(cached().size(), 1U);

  const auto dump =
      test::run_program(format("sh -c 'dflash dump mask --tokenizer {0}/tokenizer.json --template {0} "
                               "--input {1} > {2}'",
                               kModel, path("chat.jsonl").string(), path("ids.jsonl").string()));
  ASSERT_EQ(dump.exit_code, 0) << dump.output;
  const auto ids = test::run_program("dflash train " + settings("ids", "files = [\"ids.jsonl\"]"));
  ASSERT_EQ(ids.exit_code, 0) << ids.output;
  ASSERT_EQ(curve("raw").size(), 3U);
  EXPECT_EQ(curve("raw"), curve("ids"));
  EXPECT_EQ(cached().size(), 1U) << "token ids need no preparing";
}

TEST_F(RawDataRun, ASecondRunTakesWhatIsPrepared) {
  ASSERT_EQ(test::run_program("dflash train " + settings("first", "files = [\"chat.jsonl\"]")).exit_code, 0);
  ASSERT_EQ(cached().size(), 1U);
  const auto shard = cached().front() / "shard-000000.tokens";
  const auto shard_time = fs::last_write_time(shard);
  const auto second = test::run_program("dflash train " + settings("second", "files = [\"chat.jsonl\"]"));
  ASSERT_EQ(second.exit_code, 0) << second.output;
  EXPECT_EQ(cached().size(), 1U);
  EXPECT_EQ(fs::last_write_time(shard), shard_time);
  EXPECT_EQ(curve("first"), curve("second"));

  const auto resumed = test::run_program("dflash train --resume auto " + path("second.toml").string());
  EXPECT_EQ(resumed.exit_code, 0) << resumed.output;
  EXPECT_NE(resumed.output.find("nothing to do: all 3 steps"), std::string::npos) << resumed.output;

  const auto other =
      test::run_program("dflash train " + settings("other", "files = [\"chat.jsonl\"]\nsupervise = \"last_turn\""));
  ASSERT_EQ(other.exit_code, 0) << other.output;
  EXPECT_EQ(cached().size(), 2U) << "other settings, another folder";
  EXPECT_NE(curve("first"), curve("other"));
}

TEST_F(RawDataRun, AFolderOfPrepareIsTrainedFrom) {
  const auto prepare = test::run_program(
      format("dflash prepare {} --output {} --model {} --max-tokens 256 --min-supervised 2 --mask-token-id 2047",
             path("chat.jsonl").string(), path("prepared").string(), kModel));
  ASSERT_EQ(prepare.exit_code, 0) << prepare.output;
  ASSERT_EQ(test::run_program("dflash train " + settings("prepared", "prepared = \"prepared\"")).exit_code, 0);
  ASSERT_EQ(test::run_program("dflash train " + settings("raw", "files = [\"chat.jsonl\"]")).exit_code, 0);
  EXPECT_EQ(curve("prepared"), curve("raw"));

  const auto small =
      test::run_program("dflash train " + settings("small", "prepared = \"prepared\"") + " --set data.pack_tokens=64");
  EXPECT_EQ(small.exit_code, 10) << small.output;
  EXPECT_NE(small.output.find("data.pack_tokens"), std::string::npos) << small.output;
}

TEST_F(RawDataRun, VariablesOfTheTemplateBelongToTheRun) {
  write_text(path("own.jinja"),
             "{{ style }}{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
             "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}");
  const std::string data = "files = [\"chat.jsonl\"]\nchat_template = \"own.jinja\"\n";
  const auto flag =
      test::run_program("dflash train " + settings("flag", data) + " --template-variable 'style=\"be calm\"'");
  ASSERT_EQ(flag.exit_code, 0) << flag.output;
  const auto toml =
      test::run_program("dflash train " + settings("toml", data + "template_variables = {style = \"be calm\"}"));
  ASSERT_EQ(toml.exit_code, 0) << toml.output;
  EXPECT_EQ(cached().size(), 1U) << "the same data";
  EXPECT_EQ(curve("flag"), curve("toml"));

  const auto resumed = test::run_program("dflash train --resume auto " + path("flag.toml").string());
  EXPECT_EQ(resumed.exit_code, 10);
  EXPECT_NE(resumed.output.find("data.template_variables = {} was {style = \"be calm\"}: that would alter the run"),
            std::string::npos)
      << resumed.output;
  const auto typed =
      test::run_program("dflash train --dry-run " + settings("typed", data) + " --template-variable stile=false");
  EXPECT_EQ(typed.exit_code, 10);
  EXPECT_NE(typed.output.find("template variable stile: the chat template never reads it; it reads style"),
            std::string::npos)
      << typed.output;
}

TEST_F(RawDataRun, ADryRunPreparesNothing) {
  const auto dry = test::run_program("dflash train --dry-run " + settings("dry", "files = [\"chat.jsonl\"]"));
  EXPECT_EQ(dry.exit_code, 0) << dry.output;
  EXPECT_NE(dry.output.find("to be prepared into " + path("runs/prepared-data").string()), std::string::npos)
      << dry.output;
  EXPECT_FALSE(fs::exists(path("runs")));
}

TEST_F(RawDataRun, ABareMpirunSaysWhoPrepares) {
  const std::string run = settings("bare", "files = [\"chat.jsonl\"]");
  const auto bare = test::run_program("mpirun --allow-run-as-root --oversubscribe --bind-to none -n 1 coordinator " +
                                      run + " : -n 1 target_worker : -n 1 drafter_worker");
  EXPECT_NE(bare.exit_code, 0);
  EXPECT_NE(bare.output.find("holds conversations, which must be prepared first"), std::string::npos) << bare.output;
}

TEST_F(RawDataRun, ARecordingPreparesToo) {
  const std::string run = settings("solo", "files = [\"chat.jsonl\"]");
  const auto record = test::run_program("target_worker --solo " + run + " --record " + path("recorded").string());
  ASSERT_EQ(record.exit_code, 0) << record.output;
  const auto live = test::run_program("dflash train " + run);
  ASSERT_EQ(live.exit_code, 0) << live.output;
  const auto again = test::run_program("dflash train " + settings("again", "files = [\"chat.jsonl\"]") +
                                       " --recorded " + path("recorded").string());
  ASSERT_EQ(again.exit_code, 0) << again.output;
  EXPECT_EQ(curve("again"), curve("solo"));
}

TEST_F(RawDataRun, ConversationsThatNobodyCanUseAreNamed) {
  write_text(path("bad.jsonl"), "{\"messages\": [{\"role\": \"user\", \"content\": \"Hello\"}]}\n");
  const auto nobody = test::run_program("dflash train " + settings("bad", "files = [\"bad.jsonl\"]"));
  EXPECT_EQ(nobody.exit_code, 11) << nobody.output;
  EXPECT_NE(nobody.output.find("no_assistant"), std::string::npos) << nobody.output;
  const auto no_template =
      test::run_program("dflash train " + settings("bare", "files = [\"chat.jsonl\"]\nchat_template = \"none\""));
  EXPECT_NE(no_template.exit_code, 0);
  EXPECT_NE(no_template.output.find("none"), std::string::npos) << no_template.output;
}

}  // namespace
}  // namespace dflash
