#include "common/base/command_end.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "common/base/error.h"

namespace dflash {
namespace {

TEST(EndOfCommand, IsTheExitCodeOfWhatHappened) {
  EXPECT_EQ(end_of_command("name", [] { return 7; }), 7);
  testing::internal::CaptureStderr();
  EXPECT_EQ(end_of_command("name", []() -> int { throw Error(ErrorKind::no_space, "the disk is full"); }), 13);
  EXPECT_EQ(end_of_command("name",
                           []() -> int {
                             throw std::filesystem::filesystem_error(
                                 "status", "a/b", std::make_error_code(std::errc::permission_denied));
                           }),
            11);
  EXPECT_EQ(end_of_command("name", []() -> int { throw std::runtime_error("broken\nand a stack"); }), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "name: the disk is full\nname: a/b: Permission denied\nname: unexpected: broken\n");
}

}  // namespace
}  // namespace dflash
