// Every complaint about one key, word for word: file, line, column, what is wrong, what would be right.
#include <gtest/gtest.h>

#include "common/config/dotted_keys.h"
#include "tests/config/settings_file.h"

namespace dflash {
namespace {

std::string after_required(const std::string& line) {
  return complaint(kRequired + line);
}

TEST(ConfigErrors, UnknownNames) {
  EXPECT_EQ(after_required("[train]\nstep = 5"),
            "run.toml:12:1: unknown key 'train.step'; did you mean 'train.steps'?");
  EXPECT_EQ(after_required("[trian]\n  lr = 5"), "run.toml:11:2: unknown section 'trian'; did you mean 'train'?");
  EXPECT_EQ(after_required("[lgo]"), "run.toml:11:2: unknown section 'lgo'; did you mean 'log'?");
  EXPECT_EQ(after_required("[train]\npack_tokens = 64"),
            "run.toml:12:1: unknown key 'train.pack_tokens'; did you mean 'data.pack_tokens'?");
  EXPECT_EQ(complaint("stpes = 5"),
            "run.toml:1:1: unknown key 'stpes' outside of any section; did you mean 'train.steps'?");
  EXPECT_EQ(complaint("train = 5"), "run.toml:1:1: 'train' is a section: write [train] once, and its keys below it");
  EXPECT_EQ(complaint("[[train]]"), "run.toml:1:3: 'train' is a section: write [train] once, and its keys below it");
  EXPECT_EQ(after_required("[train.lr]\nx = 1"), "run.toml:11:1: 'train.lr' expected a number, got a table");
}

TEST(ConfigErrors, AMessageStaysOneLine) {
  const std::string message = after_required("[train]\n\"a\\nb\" = 1");
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_NE(message.find("'train.a\\u000ab'"), std::string::npos) << message;
}

TEST(ConfigErrors, WrongTypes) {
  EXPECT_EQ(after_required("[train]\nsteps = '5'"), "run.toml:12:9: 'train.steps' expected an integer, got a string");
  EXPECT_EQ(after_required("[train]\nsteps = 5.0"),
            "run.toml:12:9: 'train.steps' expected an integer, got a number with a fraction");
  EXPECT_EQ(after_required("[train]\nlr = true"), "run.toml:12:6: 'train.lr' expected a number, got true or false");
  EXPECT_EQ(after_required("[train]\nlr = 2026-01-01"),
            "run.toml:12:6: 'train.lr' expected a number, got a date or time");
  EXPECT_EQ(complaint("[run]\ndir = 5"), "run.toml:2:7: 'run.dir' expected a string, got an integer");
  EXPECT_EQ(complaint("[data]\nfiles = 'a'"), "run.toml:2:9: 'data.files' expected an array of strings, got a string");
  EXPECT_EQ(complaint("[data]\nfiles = ['a', 5]"), "run.toml:2:15: 'data.files' expected a string, got an integer");
}

TEST(ConfigErrors, OutOfRange) {
  EXPECT_EQ(after_required("[train]\nlr = 0"), "run.toml:12:6: 'train.lr' must be above 0, got 0");
  EXPECT_EQ(after_required("[train]\nlr = nan"), "run.toml:12:6: 'train.lr' must be a finite number, got nan");
  EXPECT_EQ(after_required("[train]\nwarmup_ratio = 1.5"),
            "run.toml:12:16: 'train.warmup_ratio' must be from 0 to 1, got 1.5");
  EXPECT_EQ(after_required("block_size = 1"), "run.toml:11:14: 'drafter.block_size' must be from 2 to 256, got 1");
  EXPECT_EQ(after_required("block_size = 257"), "run.toml:11:14: 'drafter.block_size' must be from 2 to 256, got 257");
  EXPECT_EQ(after_required("intermediate_size = 3000000000"),
            "run.toml:11:21: 'drafter.intermediate_size' must be from -2147483648 to 2147483647, got 3000000000");
  EXPECT_EQ(after_required("sliding_window = 1"),
            "run.toml:11:18: 'drafter.sliding_window' must be from 2 to 1048576, got 1");
  EXPECT_EQ(complaint("[run]\nseed = -1"), "run.toml:2:8: 'run.seed' must be at least 0, got -1");
  EXPECT_EQ(complaint("[run]\ndir = ''"), "run.toml:2:7: 'run.dir' must not be empty");
}

TEST(ConfigErrors, Choices) {
  EXPECT_EQ(complaint("[target]\ndtype = 'fp16'"),
            "run.toml:2:9: 'target.dtype' must be one of auto | float32 | bfloat16, got 'fp16'");
  EXPECT_EQ(complaint("[target]\ndtype = 'Float32'"),
            "run.toml:2:9: 'target.dtype' must be one of auto | float32 | bfloat16, got 'Float32'");
  EXPECT_EQ(complaint("[target]\ndtype = 1"),
            "run.toml:2:9: 'target.dtype' expected one of auto | float32 | bfloat16, got an integer");
}

TEST(ConfigErrors, OneWordOrAList) {
  EXPECT_EQ(after_required("layer_types = 'sliding'"), "");
  EXPECT_EQ(after_required("layer_types = 'slide'"),
            "run.toml:11:15: 'drafter.layer_types' must be one of full | sliding, got 'slide'");
  EXPECT_EQ(after_required("layer_types = ['full', 'sliding_attention']"),
            "run.toml:11:24: 'drafter.layer_types' must be one of full | sliding, got 'sliding_attention'");
  EXPECT_EQ(after_required("layer_types = ['full', 1]"),
            "run.toml:11:24: 'drafter.layer_types' expected one of full | sliding, got an integer");
  EXPECT_EQ(after_required("layer_types = ''"),
            "run.toml:11:15: 'drafter.layer_types' must be one of full | sliding, got ''");
  EXPECT_EQ(after_required("layer_types = 1"),
            "run.toml:11:15: 'drafter.layer_types' expected full | sliding, or a list of them, got an integer");
  EXPECT_EQ(after_required("layer_types = true"),
            "run.toml:11:15: 'drafter.layer_types' expected full | sliding, or a list of them, got true or false");
}

TEST(ConfigErrors, Booleans) {
  for (const char* value : {"true", "false"}) EXPECT_EQ(after_required(std::string("attention_bias = ") + value), "");
  EXPECT_EQ(after_required("attention_bias = 1"),
            "run.toml:11:18: 'drafter.attention_bias' expected true or false, got an integer");
  EXPECT_EQ(after_required("attention_bias = 'true'"),
            "run.toml:11:18: 'drafter.attention_bias' expected true or false, got a string");
  EXPECT_EQ(complaint(kRequired, {"drafter.attention_bias=yes"}),
            "--set drafter.attention_bias=yes: 'drafter.attention_bias' expected true or false, got a string");
}

TEST(ConfigErrors, NotToml) {
  const std::string message = complaint("[run]\ndir = \"open");
  EXPECT_TRUE(message.starts_with("run.toml:2:")) << message;
  EXPECT_NE(message.find("not TOML: "), std::string::npos) << message;
  EXPECT_NE(complaint("[run]\nseed = 1\nseed = 2").find("run.toml:3:"), std::string::npos);  // the same key twice
  EXPECT_NE(complaint("[run]\n\xff\xfe").find("not TOML: Encountered invalid utf-8"), std::string::npos);
  EXPECT_NE(complaint(std::string(100000, '[')).find("not TOML"), std::string::npos);
}

TEST(ConfigErrors, HostileDepth) {
  std::string key = "a";
  for (int i = 0; i < 1000000; ++i) key += ".a";
  EXPECT_EQ(complaint("[run]\n" + key + " = 1"), "run.toml:2:1: more than 1000 dots in one line: break it");
  EXPECT_TRUE(complaint("[run]\n" + key.substr(0, 2001) + " = 1").starts_with("run.toml:2:1: unknown key 'run.a'"));
  for (const char* before :
       {R"("a.b" )", R"('"' )", "[\"\"\"\n'\"\"\", ", "['''\n\"''', ", R"(["""x"""", )", R"(["\"", )", "[\"\", "}) {
    EXPECT_NE(complaint("[run]\nx = " + std::string(before) + "{" + key + " = 1}").find("more than 1000 dots"),
              std::string::npos)
        << before;
  }
  EXPECT_NE(complaint("[run]\ndir = " + std::string(100000, '[')).find("exceeded maximum nested"), std::string::npos);
  EXPECT_NE(complaint(kRequired, {"train.lr={" + key + " = 1}"}).find("expected a number, got a string"),
            std::string::npos);
}

/// A run writes its settings with every list and text on one line, and reads them again when it is resumed.
TEST(ConfigErrors, DotsInStringsAndCommentsAreNoKeys) {
  const std::string dots(5000, '.');
  EXPECT_EQ(line_with_too_many_dots("a = \"" + dots + "\" # " + dots + "\nb = '" + dots + "'\nc = \"\"\"\n" + dots +
                                    "\"\"\"\nd = '''" + dots + "'''\n"),
            std::nullopt);
  EXPECT_EQ(line_with_too_many_dots("a = \"\"\"\n\n\"\"\"\n" + dots), 4);
}

TEST(ConfigErrors, NoSuchFile) {
  const TempFolder folder;
  for (const auto& path : {folder.path() / "none.toml", folder.path()}) {
    try {
      (void)load_run_config(path, {});
      ADD_FAILURE() << "loaded " << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::config);
      EXPECT_TRUE(std::string(error.what()).starts_with(path.string() + ": ")) << error.what();
    }
  }
}

TEST(ConfigErrors, RequiredKeys) {
  EXPECT_EQ(
      complaint(""),
      "run.toml: required key 'run.dir' is missing: Folder of the run: settings, metrics, logs, checkpoints. Must not "
      "exist yet, or be empty, except with --resume.");
  const std::string text = kRequired;
  EXPECT_TRUE(complaint(text.substr(0, text.find("mask_token_id")))
                  .starts_with("run.toml: required key 'drafter.mask_token_id' is missing: Token that stands for"));
}

}  // namespace
}  // namespace dflash
