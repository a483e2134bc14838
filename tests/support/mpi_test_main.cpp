// The main of tests that run under mpirun: every rank runs every test; rank 0 prints all, the others only what failed.
// mpirun fails when any rank does, so the ranks need not compare their results.
#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <string>

#include "tests/support/mpi_test.h"

namespace {

class FailuresOnly : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& test) override { test_name_ = test.name(); }
  // googletest holds its lock here: it may not be asked which test is running.
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::cout << "rank " << dflash::mpi_env().world_rank() << " in " << test_name_ << ": "
              << (result.file_name() == nullptr ? "" : result.file_name()) << ":" << result.line_number() << ": "
              << result.message() << std::endl;
  }

  std::string test_name_ = "main";
};

std::unique_ptr<dflash::MpiEnv> env;

}  // namespace

const dflash::MpiEnv& dflash::mpi_env() {
  return *env;
}

int main(int argc, char** argv) {
  env = std::make_unique<dflash::MpiEnv>();
  testing::InitGoogleTest(&argc, argv);
  if (env->world_rank() != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly);
  }
  const int result = RUN_ALL_TESTS();
  env.reset();
  return result;
}
