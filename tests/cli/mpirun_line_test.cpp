#include "deploy/cli/mpirun_line.h"

#include <gtest/gtest.h>

#include "tests/cli/run_shell.h"

namespace dflash {
namespace {

TEST(MpirunLine, OneWorldOfThreePrograms) {
  EXPECT_EQ(shell_line(mpirun_line({.programs = "/b", .run_toml = "run.toml", .targets = 3})),
            "mpirun -q --oversubscribe --bind-to none --stdin none --mca btl self,vader --mca orte_abort_print_stack 0 "
            "--mca odls_base_sigkill_timeout 15 "
            "-n 1 /b/coordinator run.toml : -n 3 /b/target_worker : -n 1 /b/drafter_worker");
}

TEST(MpirunLine, RootTerminalThreadsAndOverrides) {
  EXPECT_EQ(shell_line(mpirun_line({.programs = "/b",
                                    .run_toml = "run.toml",
                                    .overrides = {"train.lr=1", "run.dir=/a b"},
                                    .is_root = true,
                                    .terminal = true,
                                    .threads_exceed_cores = true})),
            "mpirun -q --allow-run-as-root --oversubscribe --bind-to none --stdin none --mca btl self,vader "
            "--mca orte_abort_print_stack 0 --mca odls_base_sigkill_timeout 15 -n 1 /b/coordinator run.toml --set "
            "train.lr=1 --set 'run.dir=/a b' --terminal "
            ": -n 1 -x OMP_WAIT_POLICY=passive /b/target_worker : -n 1 -x OMP_WAIT_POLICY=passive /b/drafter_worker");
}

TEST(MpirunLine, SeveralDraftersOfARunThatGoesOn) {
  const std::string line = shell_line(
      mpirun_line({.programs = "/b", .run_toml = "run.toml", .resume = "auto", .targets = 2, .drafters = 3}));
  EXPECT_TRUE(
      line.ends_with("-n 1 /b/coordinator run.toml --resume auto : -n 2 /b/target_worker : -n 3 /b/drafter_worker"))
      << line;
}

TEST(ShellLine, AShellReadsBackTheSameWords) {
  const std::vector<std::string> words = {"printf", "<%s>", "",        "a b",         "it's", "$HOME", "`x`", "\\",
                                          "*",      "~",    "a=['b']", "line\nbreak", "\"",   "#",     ";",   "&"};
  std::string expected;
  for (size_t i = 2; i < words.size(); ++i) expected += "<" + words[i] + ">";
  EXPECT_EQ(run_shell(shell_line(words)).output, expected);
}

}  // namespace
}  // namespace dflash
