#include "coordinator/command_line.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dflash {
namespace {

TEST(CommandLine, SettingsOverridesAndTerminal) {
  const CommandLine command =
      parse_command_line({"--set", "train.lr=1e-3", "run.toml", "--terminal", "--set=run.seed=4"});
  EXPECT_EQ(command.settings, "run.toml");
  EXPECT_EQ(command.overrides, (std::vector<std::string>{"train.lr=1e-3", "run.seed=4"}));
  EXPECT_TRUE(command.terminal);
  EXPECT_FALSE(parse_command_line({"run.toml"}).terminal);
}

TEST(CommandLine, WhatARunGoesOnFrom) {
  EXPECT_EQ(parse_command_line({"run.toml"}).resume, "");
  EXPECT_EQ(parse_command_line({"run.toml", "--resume", "auto"}).resume, "auto");
  EXPECT_EQ(parse_command_line({"--resume", "runs/a/checkpoints/step-00000010", "run.toml"}).resume,
            "runs/a/checkpoints/step-00000010");
}

TEST(CommandLine, HelpNeedsNothingElse) {
  EXPECT_TRUE(parse_command_line({"--help"}).help);
  EXPECT_NE(std::string(command_line_help()).find("mpirun -n 1 coordinator run.toml :"), std::string::npos);
}

TEST(CommandLine, WhatItDoesNotKnowIsAnError) {
  const auto refuse = [](const std::vector<std::string>& arguments, const std::string& complaint) {
    expect_error(ErrorKind::config, complaint, [&] { (void)parse_command_line(arguments); });
  };
  refuse({}, "no settings file");
  refuse({"--terminal"}, "no settings file");
  refuse({"run.toml", "--resume"}, "--resume: expected auto or a checkpoint after it");
  refuse({"run.toml", "--resum", "auto"}, "'--resum'");
  refuse({"run.toml", "other.toml"}, "'other.toml'");
  refuse({"run.toml", "--set"}, "--set");
}

}  // namespace
}  // namespace dflash
