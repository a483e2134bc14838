// The program dflash as a person meets it: one clean line and the right exit code for every mistake, and a real mpirun
// of stand-in workers (shell scripts beside a copy of dflash) for what comes after.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/run_shell.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

class DflashProgram : public testing::Test {
 protected:
  DflashProgram() {
    fs::create_directories(bin());
    fs::copy_file(test::programs_dir() / "dflash", bin() / "dflash");
    write_text(folder_.path() / "run.toml",
               "[run]\ndir = 'out'\n[target]\nmodel = '" + test::source_dir().string() +
                   "/tests/golden/target/qwen3-fp32'\n[drafter]\nmask_token_id = 7\nnum_captured_layers = 1\n"
                   "[data]\nfiles = ['a.jsonl']\npack_tokens = 64\n");
    write_text(folder_.path() / "a.jsonl", "{\"input_ids\":[1,2],\"loss_mask\":[0,1]}\n");
  }

  [[nodiscard]] fs::path bin() const { return folder_.path() / "bin"; }

  void write_program(const std::string& name, const std::string& script) const {
    write_text(bin() / name, "#!/bin/sh\n" + script + "\n");
    fs::permissions(bin() / name, fs::perms::owner_all);
  }

  void write_workers(const std::string& coordinator) const {
    write_program("coordinator", coordinator);
    write_program("target_worker", "echo target worker");
    write_program("drafter_worker", "echo drafter worker");
  }

  [[nodiscard]] ShellResult run(const std::string& arguments) const {
    return run_shell("cd '" + folder_.path().string() + "' && timeout 60 bin/dflash " + arguments + " 2>&1 </dev/null");
  }

  void expect_refused(const std::string& arguments, int exit_code, const std::string& line) const {
    const ShellResult result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << arguments;
    EXPECT_EQ(result.output, line + "\n") << arguments;
  }

  TempFolder folder_;
};

TEST_F(DflashProgram, MistakesInSettingsAreOneLine) {
  expect_refused("train run.toml --set train.step=5", 10,
                 "dflash: --set train.step=5: unknown key 'train.step'; did you mean 'train.steps'?");
  expect_refused("train run.toml --metrics-every 0", 10,
                 "dflash: --set log.metrics_every=0: 'log.metrics_every' must be at least 1, got 0");
  expect_refused("train run.toml --drafters 0", 10, "dflash: --drafters 0: at least 1 is needed, at most 4096");
  expect_refused("train run.toml --targets 0", 10, "dflash: --targets 0: at least 1 is needed, at most 4096");
  EXPECT_EQ(run("train none.toml").exit_code, 10);
  expect_refused(
      "train run.toml --set drafter.num_captured_layers=2", 10,
      "dflash: --set drafter.num_captured_layers=2: drafter.num_captured_layers = 2 asks for 2 captured layers, but a "
      "target of 4 layers is too "
      "small to spread them evenly; the largest number that works is 1: set drafter.num_captured_layers = 1");
}

TEST_F(DflashProgram, AMissingModelIsAnInputFile) {
  const ShellResult result = run("train run.toml --set target.model=nowhere");
  EXPECT_EQ(result.exit_code, 11);
  EXPECT_NE(result.output.find("nowhere"), std::string::npos) << result.output;
}

TEST_F(DflashProgram, MissingDataIsFoundBeforeAnythingStarts) {
  write_workers("echo started");
  fs::remove(folder_.path() / "a.jsonl");
  const ShellResult result = run("train run.toml");
  EXPECT_EQ(result.exit_code, 11);
  EXPECT_NE(result.output.find("a.jsonl: there is no such file"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("started"), std::string::npos) << result.output;
}

TEST_F(DflashProgram, AnExistingRunFolderIsKept) {
  write_text(folder_.path() / "out/metrics.jsonl", "{}\n");
  expect_refused("train run.toml", 10,
                 "dflash: run.toml: run folder " + (folder_.path() / "out").string() +
                     " exists and is not empty; go on with it by --resume, choose another run.dir, or remove it");
}

TEST_F(DflashProgram, ProgramsThatWereNotBuiltAreNamed) {
  const ShellResult result = run("train run.toml");
  EXPECT_EQ(result.exit_code, 10);
  EXPECT_EQ(result.output,
            "dflash: run.toml: coordinator is not built: there is no such program in " + bin().string() + "\n");
  EXPECT_EQ(run("eval --json").exit_code, 10);
}

TEST_F(DflashProgram, StartsEveryProgramAndPassesSettingsOn) {
  write_workers("echo coordinator \"$@\"");
  const ShellResult result = run("train run.toml --targets 2 --set train.lr=1e-3 --hs-queue-depth 7");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_NE(result.output.find("\ncoordinator run.toml --set train.lr=1e-3 --set pipeline.hs_queue_depth=7\n"),
            std::string::npos)
      << result.output;
  size_t targets = 0;
  for (size_t at = 0; (at = result.output.find("target worker\n", at)) != std::string::npos; ++at) ++targets;
  EXPECT_EQ(targets, 2u);
  EXPECT_NE(result.output.find("drafter worker\n"), std::string::npos);
  EXPECT_NE(result.output.find("* train.lr "), std::string::npos) << "the settings are shown";
  EXPECT_NE(result.output.find("mpirun -q"), std::string::npos) << "and the line that runs";
}

TEST_F(DflashProgram, ADryRunShowsTheRunAndStartsNothing) {
  write_workers("echo started");
  const ShellResult result = run("train run.toml --dry-run --targets 2 --drafters 3 --set pipeline.channel=mpi");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  for (const std::string& part :
       std::vector<std::string>{"links    2 target(s) x 3 drafter(s), all mpi (pipeline.channel)\n", "2 target(s) of ",
                                "bytes", "\nmpirun -q ", " --set pipeline.channel=mpi : -n 2 ", " : -n 3 "}) {
    EXPECT_NE(result.output.find(part), std::string::npos) << part << " in " << result.output;
  }
  EXPECT_EQ(result.output.find("started\n"), std::string::npos) << result.output;
  EXPECT_FALSE(fs::exists(folder_.path() / "out"));
}

TEST_F(DflashProgram, ResumeIsHandedOn) {
  write_workers("echo coordinator \"$@\"");
  for (const char* arguments : {"train run.toml --resume", "train run.toml --resume auto"}) {
    const ShellResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_NE(result.output.find("\ncoordinator run.toml --resume auto\n"), std::string::npos) << result.output;
  }
}

TEST_F(DflashProgram, ACheckpointThatIsNotThereIsRefusedBeforeAnythingStarts) {
  write_workers("echo started");
  const ShellResult result = run("train run.toml --resume 7");
  EXPECT_EQ(result.exit_code, 12) << result.output;
  EXPECT_EQ(result.output.find("started\n"), std::string::npos) << result.output;
}

TEST_F(DflashProgram, TheExitCodeOfARankIsDflashs) {
  write_workers("echo 'coordinator: says why' >&2; sleep 0.3; exit 13");
  for (const char* name : {"target_worker", "drafter_worker"}) write_program(name, "sleep 0.2; exit 13");
  const ShellResult result = run("train run.toml");
  EXPECT_EQ(result.exit_code, 13) << result.output;
  EXPECT_NE(result.output.find("coordinator: says why\n"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("-----"), std::string::npos) << "mpirun adds no text of its own: " << result.output;
}

TEST_F(DflashProgram, ASignalEndsEveryRank) {
  for (const std::string& name : std::vector<std::string>{"coordinator", "target_worker", "drafter_worker"}) {
    write_program(name, "echo $$ > " + name + ".tmp; mv " + name + ".tmp " + name + ".pid; exec sleep 100");
  }
  const ShellResult result =
      run_shell("cd '" + folder_.path().string() +
                "'; bin/dflash train run.toml >/dev/null 2>&1 & dflash=$!; "
                "for i in $(seq 200); do [ $(ls | grep -c pid) = 3 ] && break; sleep 0.1; done; "
                "kill -0 $(cat *.pid) && echo running; kill -TERM $dflash; wait $dflash; code=$?; "
                "alive() { for pid in $(cat *.pid); do kill -0 $pid 2>/dev/null && return 0; done; return 1; }; "
                "for i in $(seq 100); do alive || break; sleep 0.1; done; "
                "for pid in $(cat *.pid); do kill -0 $pid 2>/dev/null || echo gone; done; exit $code");
  EXPECT_EQ(result.output, "running\ngone\ngone\ngone\n");
  EXPECT_NE(result.exit_code, 0);
}

TEST_F(DflashProgram, WithoutMpirunItNamesThePackage) {
  write_workers("exit 0");
  const ShellResult result =
      run_shell("cd '" + folder_.path().string() + "' && PATH=/nowhere bin/dflash train run.toml 2>&1 >/dev/null");
  EXPECT_EQ(result.exit_code, 10);
  EXPECT_EQ(result.output,
            "dflash: cannot start mpirun: No such file or directory; Open MPI is needed: install the Debian package "
            "openmpi-bin\n");
}

TEST_F(DflashProgram, EvalIsHandedOnAsItStands) {
  write_program("dflash-model", "printf '<%s>' \"$@\"; exit 5");
  const ShellResult result = run("eval --target 'a b' --json --help x --set=1");
  EXPECT_EQ(result.output, "<eval><--target><a b><--json><--help><x><--set=1>");
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_EQ(run("eval --help").output, "<eval><--help>");
  EXPECT_EQ(run("eval").output, "<eval>");
}

TEST_F(DflashProgram, HelpAndUsage) {
  EXPECT_EQ(run("--version").output, "dflash 0.1.0\n");
  EXPECT_NE(run("--help").output.find("Examples:"), std::string::npos);
  EXPECT_EQ(run("train --help").exit_code, 0);
  const ShellResult help = run("train --help-config");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.output.find("Highest learning rate of AdamW."), std::string::npos);
  for (const char* wrong : {"", "trian", "train", "train run.toml --targets x", "train run.toml more", "--wrong"}) {
    EXPECT_EQ(run(wrong).exit_code, 10) << wrong;
  }
  EXPECT_NE(run("trian").output.find("trian"), std::string::npos);
}

}  // namespace
}  // namespace dflash
