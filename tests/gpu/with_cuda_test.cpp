// WITH_CUDA and WITH_NCCL, asked for where CUDA is not there: the configuration stops and says what to do. Each case
// configures a project that is nothing but common/cmake/cuda.cmake.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/run_program.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

class WithCudaTest : public testing::Test {
 protected:
  WithCudaTest() {
    write_text(folder_.path() / "CMakeLists.txt",
               "cmake_minimum_required(VERSION 3.25)\nproject(x LANGUAGES NONE)\ninclude(" +
                   (test::source_dir() / "common/cmake/cuda.cmake").string() + ")\n");
  }
  /// On a machine whose CUDA is where nobody looks. Lines of a message are put back together.
  [[nodiscard]] test::ProgramResult configure(const std::string& options, const std::string& environment = "") {
    const std::string build = (folder_.path() / std::to_string(builds_++)).string();
    test::ProgramResult result =
        test::run_program("env -u CUDACXX -u CUDA_HOME PATH=/usr/local/bin:/usr/bin:/bin " + environment +
                          " cmake -S " + folder_.path().string() + " -B " + build +
                          " -G Ninja -DCMAKE_MAKE_PROGRAM=$(command -v ninja) "
                          "-DCMAKE_IGNORE_PATH='/usr/local/cuda/bin;/usr/local/bin;/usr/bin;/bin' " +
                          options);
    std::string words;
    for (const char c : result.output) {
      const bool space = c == ' ' || c == '\n';
      if (!space || (!words.empty() && words.back() != ' ')) words += space ? ' ' : c;
    }
    result.output = words;
    return result;
  }
  void expect_refused(const std::string& options, const std::string& words, const std::string& environment = "") {
    const test::ProgramResult result = configure(options, environment);
    EXPECT_NE(result.exit_code, 0) << options;
    EXPECT_NE(result.output.find(words), std::string::npos) << words << " in: " << result.output;
  }

  TempFolder folder_;
  int builds_ = 0;
};

TEST_F(WithCudaTest, AskedForAndAbsentIsRefused) {
  const std::string advice = "there is no nvcc: run deploy/setup --cuda, or set CUDA_HOME to a CUDA 13 toolkit";
  expect_refused("-DWITH_CUDA=ON", "WITH_CUDA=ON, WITH_NCCL=AUTO, but " + advice);
  expect_refused("-DWITH_NCCL=ON", "WITH_CUDA=AUTO, WITH_NCCL=ON, but " + advice);
}

TEST_F(WithCudaTest, AToolkitThatLacksItsHeadersIsRefused) {
  const fs::path nvcc = folder_.path() / "nvcc";
  write_text(nvcc, "#!/bin/sh\necho '#$ TOP=" + folder_.path().string() + "' >&2\n");
  fs::permissions(nvcc, fs::perms::owner_all);
  const std::string found = "CUDACXX=" + nvcc.string();
  expect_refused("-DWITH_CUDA=ON", "holds no cuda_runtime_api.h or no libcudart.so.13: run deploy/setup --cuda", found);
  EXPECT_EQ(configure("", found).exit_code, 0);
}

TEST_F(WithCudaTest, WhatCannotBeMeantIsRefused) {
  expect_refused("-DWITH_CUDA=OFF -DWITH_NCCL=ON", "WITH_NCCL=ON needs WITH_CUDA, which is OFF");
  expect_refused("-DWITH_CUDA=YES", "WITH_CUDA=YES: expected AUTO, ON or OFF");
}

TEST_F(WithCudaTest, NotAskedForItIsLeftOutWithALine) {
  const test::ProgramResult result = configure("");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_NE(result.output.find("WITH_CUDA: off (there is no nvcc)"), std::string::npos) << result.output;
  EXPECT_EQ(configure("-DWITH_CUDA=OFF").exit_code, 0);
}

}  // namespace
}  // namespace dflash
