// deploy/setup --cuda: which wheels it would bring, on a machine without CUDA and on this one. Nothing is installed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/run_program.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct SetupTest : testing::Test {
  SetupTest() {
    // A loader that knows no library, and no nvcc.
    write_text(folder.path() / "ldconfig", "#!/bin/sh\n");
    fs::permissions(folder.path() / "ldconfig", fs::perms::owner_all);
  }
  [[nodiscard]] std::string setup() const { return (test::source_dir() / "deploy/setup").string(); }
  [[nodiscard]] std::string bare() const {
    return "env -u DFLASH_LIBTORCH CUDA_HOME=/nowhere PATH=" + folder.path().string() + ":/usr/bin:/bin ";
  }
  /// What an earlier setup of this checkout has brought is not brought again.
  [[nodiscard]] std::string brought() const { return text_of(test::source_dir() / "build/venv/dflash-wheels"); }

  TempFolder folder;
};

TEST_F(SetupTest, WithoutCudaEverythingThatTorchNamesIsBrought) {
  const test::ProgramResult result = test::run_program(bare() + setup() + " --cuda --dry-run");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  const std::string listed = result.output + brought();
  for (const char* wheel :
       {"nvidia-cuda-nvcc==13.0.", "nvidia-cuda-cccl==13.0.", "nvidia-cublas==13.", "nvidia-cufile==1."}) {
    EXPECT_NE(listed.find(wheel), std::string::npos) << wheel << " in " << listed;
  }
  EXPECT_NE(result.output.find("setup: nothing was changed"), std::string::npos);
}

TEST_F(SetupTest, TheVersionsAreThoseOfThePinnedTorch) {
  fs::path metadata;
  for (const fs::path& python : {fs::path("python3.11"), fs::path("python3.12"), fs::path("python3.13")}) {
    const fs::path found =
        test::source_dir() / "build/venv/lib" / python / "site-packages/torch-2.11.0.dist-info/METADATA";
    if (fs::exists(found)) metadata = found;
  }
  if (metadata.empty()) GTEST_SKIP() << "torch is not a wheel of deploy/setup here";
  const std::string listed = test::run_program(bare() + setup() + " --cuda --dry-run").output + brought();
  const std::string names = text_of(metadata);
  const std::regex line("Requires-Dist: (nvidia-[a-z0-9-]+==[0-9.]+)");
  int count = 0;
  for (auto it = std::sregex_iterator(names.begin(), names.end(), line); it != std::sregex_iterator(); ++it, ++count) {
    EXPECT_NE(listed.find((*it)[1].str()), std::string::npos) << (*it)[1] << " in " << listed;
  }
  EXPECT_GE(count, 4) << metadata;
}

TEST_F(SetupTest, WhatTheLoaderKnowsIsNotBrought) {
  write_text(folder.path() / "ldconfig", "#!/bin/sh\necho '\tlibcublas.so.13 (libc6,x86-64) => /x/libcublas.so.13'\n");
  const test::ProgramResult result = test::run_program(bare() + setup() + " --cuda --dry-run");
  EXPECT_EQ(result.output.find("nvidia-cublas=="), std::string::npos) << result.output;
}

TEST_F(SetupTest, WithoutCudaAskedForNoneOfItIsBrought) {
  const test::ProgramResult result = test::run_program(bare() + setup() + " --dry-run");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output.find("nvcc"), std::string::npos) << result.output;
}

TEST_F(SetupTest, ItRefusesWhatItCannotDo) {
  const test::ProgramResult other =
      test::run_program("env DFLASH_LIBTORCH=/opt/torch " + setup() + " --cuda --dry-run");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_NE(other.output.find("DFLASH_LIBTORCH=/opt/torch is used instead"), std::string::npos) << other.output;
  const test::ProgramResult unknown = test::run_program(setup() + " --gpu");
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_NE(unknown.output.find("unknown argument '--gpu'"), std::string::npos) << unknown.output;
}

}  // namespace
}  // namespace dflash
