// dflash doctor as a person meets it: the report, and the built program on this machine and with parts of it played.
#include <gtest/gtest.h>

#include "common/base/json.h"
#include "deploy/cli/doctor/report.h"
#include "tests/cli/run_shell.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

const Findings kFindings = {
    {Light::good, "cores", "2"}, {Light::note, "load", "3.0", "wait"}, {Light::bad, "open files", "1", "ulimit -n 64"}};

TEST(DoctorReport, OneAlignedLineEach) {
  EXPECT_EQ(report_text(kFindings, false),
            "ok    cores       2\n"
            "note  load        3.0\n"
            "                  -> wait\n"
            "bad   open files  1\n"
            "                  -> ulimit -n 64\n"
            "\n"
            "1 bad, 1 to note\n");
  EXPECT_EQ(report_text({kFindings[0]}, false), "ok    cores  2\n\nall is well\n");
  EXPECT_TRUE(report_text({kFindings[1]}, false).ends_with("\nnothing is bad, 1 to note\n"));
  EXPECT_TRUE(report_text({kFindings[2]}, false).ends_with("\n1 bad, nothing to note\n"));
}

TEST(DoctorReport, OnlyTheWordIsColoured) {
  const std::string text = report_text(kFindings, true);
  EXPECT_NE(text.find("\033[32mok\033[0m    cores       2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\033[33mnote\033[0m  load"), std::string::npos) << text;
  EXPECT_NE(text.find("\033[31mbad\033[0m   open files"), std::string::npos) << text;
}

/// A copy of dflash beside stand-ins for the other programs; tests take one away.
class DoctorProgram : public testing::Test {
 protected:
  DoctorProgram() {
    fs::create_directories(bin());
    fs::copy_file(test::programs_dir() / "dflash", bin() / "dflash");
    for (const char* name : {"coordinator", "target_worker", "drafter_worker", "dflash-model"}) {
      write_text(bin() / name, "");
      fs::permissions(bin() / name, fs::perms::owner_all);
    }
  }

  [[nodiscard]] fs::path bin() const { return folder_.path() / "bin"; }
  /// `before`: variables of the environment.
  [[nodiscard]] ShellResult run(const std::string& arguments, const std::string& before = "") const {
    return run_shell("cd '" + folder_.path().string() + "' && " + before + " /usr/bin/timeout 60 bin/dflash doctor " +
                     arguments + " 2>&1 </dev/null");
  }
  /// The light and what was found about `subject`; the exit code must go with the number of bad ones.
  [[nodiscard]] std::string ask(const std::string& subject, const std::string& arguments = "",
                                const std::string& before = "") const {
    const ShellResult result = run("--json " + arguments, before);
    const Json report = parse_json(result.output, "dflash doctor");
    int bad = 0;
    std::string answer;
    for (const Json& finding : report.at("findings")) {
      if (finding.at("light") == "bad") ++bad;
      if (finding.at("subject") == subject)
        answer = finding.at("light").get<std::string>() + ": " + finding.at("found").get<std::string>();
    }
    EXPECT_EQ(report.at("bad"), bad);
    EXPECT_EQ(result.exit_code, bad == 0 ? 0 : 10);
    return answer;
  }

  TempFolder folder_;
};

TEST_F(DoctorProgram, LooksAtEverythingOfThisMachine) {
  const ShellResult result = run("--targets 2");
  EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 10) << result.exit_code;
  EXPECT_EQ(result.exit_code == 10, result.output.find("\nbad ") != std::string::npos) << result.output;
  for (const char* subject : {"kernel",         "cores",    "load",          "instructions", "memory",
                              "channel memory", "/dev/shm", "locked memory", "open files",   "disk",
                              "programs",       "mpirun",   "GPU",           "CUDA driver",  "CUDA runtime",
                              "NCCL",           "device",   "channel",       "queue",        "threads"}) {
    EXPECT_NE(result.output.find("  " + std::string(subject) + "  "), std::string::npos)
        << subject << " in " << result.output;
  }
  EXPECT_EQ(result.output.find('\033'), std::string::npos) << "no colours in a file";
  EXPECT_NE(result.output.find("2 target(s) x "), std::string::npos);
  EXPECT_TRUE(ask("mpirun").starts_with("ok: Open MPI ")) << ask("mpirun");
  EXPECT_TRUE(ask("programs").starts_with("ok: ")) << ask("programs");
}

TEST_F(DoctorProgram, WhatIsMissingIsBad) {
  EXPECT_EQ(ask("mpirun", "", "PATH=/nowhere").substr(0, 5), "bad: ");
  fs::remove(bin() / "target_worker");
  EXPECT_EQ(ask("programs"), "bad: not in " + bin().string() + ": target_worker");
  EXPECT_EQ(run("").exit_code, 10);
  EXPECT_EQ(ask("disk", "--dir bin/dflash"), "bad: " + (bin() / "dflash").string() + " is a file");
  EXPECT_EQ(ask("open files", "--targets 4000", "ulimit -n 1000;").substr(0, 5), "bad: ");
}

TEST_F(DoctorProgram, AWorkingDirectoryThatIsGoneIsBad) {
  const ShellResult result =
      run_shell("mkdir '" + (folder_.path() / "gone").string() + "' && cd '" + (folder_.path() / "gone").string() +
                "' && rmdir ../gone && timeout 60 '" + (bin() / "dflash").string() + "' doctor 2>&1 </dev/null");
  EXPECT_EQ(result.exit_code, 10);
  EXPECT_NE(result.output.find("the working directory: No such file"), std::string::npos) << result.output;
}

TEST_F(DoctorProgram, DriverAndNcclAreFoundAsTheLoaderFindsThem) {
  const std::string fake = "LD_LIBRARY_PATH='" DFLASH_FAKE_NVIDIA "'";
  const std::string gpu = ask("GPU", "", fake);  // a build without CUDA has no use for one
  EXPECT_TRUE(gpu.starts_with("ok: 2 x Fake ?GPU") || gpu == "note: 2 x Fake ?GPU; not used: this build has no CUDA")
      << gpu;
  EXPECT_NE(ask("CUDA driver", "", fake).find("for CUDA up to 12.4 (" DFLASH_FAKE_NVIDIA), std::string::npos);
  EXPECT_TRUE(ask("NCCL", "", fake).starts_with("ok: 2.28.9 (" DFLASH_FAKE_NVIDIA)) << ask("NCCL", "", fake);
  EXPECT_NE(ask("CUDA driver", "", "FAKE_NVIDIA='no device' " + fake).find("error 100"), std::string::npos);
  EXPECT_NE(ask("CUDA driver", "", "FAKE_NVIDIA=crash " + fake).find("ended by signal 6"), std::string::npos);
  EXPECT_NE(ask("CUDA driver", "", "FAKE_NVIDIA=exit " + fake).find("ended without an answer"), std::string::npos);
  EXPECT_TRUE(ask("NCCL", "", "FAKE_NVIDIA=noise " + fake).starts_with("ok: 2.28.9 (")) << "it prints as it is loaded";
}

TEST_F(DoctorProgram, ImpossibleNumbersAreRefused) {
  for (const char* wrong : {"--targets 0", "--drafters 5000", "--targets x", "more"})
    EXPECT_EQ(run(wrong).exit_code, 10) << wrong;
  EXPECT_EQ(run("--help").exit_code, 0);
}

}  // namespace
}  // namespace dflash
