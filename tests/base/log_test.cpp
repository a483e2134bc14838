#include "common/base/log.h"

#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

// One test: the log belongs to the process.
TEST(Log, LinesGoToStandardErrorAndOnceOpenToTheFile) {
  const TempFolder folder;
  const auto path = folder.path() / "role.log";
  log_info("before the log is started");
  testing::internal::CaptureStderr();
  init_log("target-1");
  log_info("early");
  log_to_file(path);
  log_info("an info with {braces} in it");
  log_warn("a warning");
  log_error("an error");
  flush_log();
  const std::string console = testing::internal::GetCapturedStderr(), file = read_text(path);
  EXPECT_EQ(console, "[target-1] info: early\n[target-1] warning: a warning\n[target-1] error: an error\n");
  EXPECT_NE(file.find("target-1 info: an info with {braces} in it\n"), std::string::npos) << file;
  EXPECT_NE(file.find("target-1 warning: a warning\n"), std::string::npos) << file;
  EXPECT_EQ(file.find("early"), std::string::npos) << file;
}

}  // namespace
}  // namespace dflash
