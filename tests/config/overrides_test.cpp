#include <gtest/gtest.h>

#include "tests/config/settings_file.h"

namespace dflash {
namespace {

RunConfig load(const std::vector<std::string>& overrides) {
  return SettingsFile(kRequired).load(overrides);
}

TEST(Overrides, WinOverTheFileInTheirOrder) {
  EXPECT_EQ(load({"drafter.mask_token_id=7"}).drafter().mask_token_id(), 7);
  EXPECT_EQ(load({"train.lr=1", "train.lr=2"}).train().lr(), 2.0);
}

TEST(Overrides, AListReplacesAList) {
  const RunConfig config = load({"data.files=['/x/c.jsonl']"});
  ASSERT_EQ(config.data().files_size(), 1);
  EXPECT_EQ(config.data().files(0), "/x/c.jsonl");
}

TEST(Overrides, WhatIsNoTomlIsAString) {
  EXPECT_EQ(load({"run.dir=/x/a b"}).run().dir(), "/x/a b");
  EXPECT_EQ(load({"run.dir='/x/quoted'"}).run().dir(), "/x/quoted");
  EXPECT_EQ(load({"run.dir=/x/k=v"}).run().dir(), "/x/k=v");
  EXPECT_EQ(load({"run.dir=/x/1\nseed=5"}).run().dir(), "/x/1\nseed=5");
  EXPECT_EQ(load({"target.dtype=float32"}).target().dtype(), DtypeChoice::float32);
}

TEST(Overrides, ASecondKeyCannotHideInAValue) {
  EXPECT_EQ(complaint(kRequired, {"train.steps=1\nepochs = 2"}),
            "--set train.steps=1\\u000aepochs = 2: 'train.steps' expected an integer, got a string");
}

TEST(Overrides, RelativePathsCountFromTheWorkingDirectory) {
  EXPECT_EQ(load({"run.dir=out"}).run().dir(), (std::filesystem::current_path() / "out").string());
}

TEST(Overrides, ComplaintsNameTheOverride) {
  EXPECT_EQ(complaint(kRequired, {"train.step=5"}),
            "--set train.step=5: unknown key 'train.step'; did you mean 'train.steps'?");
  EXPECT_EQ(complaint(kRequired, {"trian.steps=5"}),
            "--set trian.steps=5: unknown section 'trian'; did you mean 'train'?");
  EXPECT_EQ(complaint(kRequired, {"train.steps=many"}),
            "--set train.steps=many: 'train.steps' expected an integer, got a string");
  EXPECT_EQ(complaint(kRequired, {"train.steps="}),
            "--set train.steps=: 'train.steps' expected an integer, got a string");
  for (const char* text : {"steps", "steps=5", "train.steps", "train=1.5", ""}) {
    EXPECT_EQ(complaint(kRequired, {text}),
              std::string("--set ") + text + ": expected SECTION.KEY=VALUE, as in train.lr=1e-3");
  }
}

}  // namespace
}  // namespace dflash
