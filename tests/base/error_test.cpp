#include "common/base/error.h"

#include <gtest/gtest.h>

#include <vector>

namespace dflash {
namespace {

struct Row {
  ErrorKind kind;
  int code;
  const char* name;
};

// The exit codes that scripts rely on (architecture, section 10).
const std::vector<Row> kRows{{ErrorKind::internal, 1, "internal"},      {ErrorKind::config, 10, "config"},
                             {ErrorKind::input_file, 11, "input_file"}, {ErrorKind::checkpoint, 12, "checkpoint"},
                             {ErrorKind::no_space, 13, "no_space"},     {ErrorKind::peer_died, 14, "peer_died"},
                             {ErrorKind::stall, 15, "stall"},           {ErrorKind::not_finite, 16, "not_finite"},
                             {ErrorKind::stopped, 144, "stopped"}};

TEST(Error, KindsHaveTheirExitCodesAndNames) {
  for (const Row& row : kRows) {
    EXPECT_EQ(exit_code(row.kind), row.code);
    EXPECT_STREQ(error_kind_name(row.kind), row.name);
    EXPECT_EQ(error_kind_of(row.code), row.kind);
  }
}

TEST(Error, OtherNumbersAreInternal) {
  for (const int code : {-1, 0, 2, 9, 17, 143, 1000}) EXPECT_EQ(error_kind_of(code), ErrorKind::internal) << code;
}

TEST(Error, KeepsKindAndMessage) {
  const Error error(ErrorKind::stall, "waited for rank 3");
  EXPECT_EQ(error.kind(), ErrorKind::stall);
  EXPECT_STREQ(error.what(), "waited for rank 3");
}

}  // namespace
}  // namespace dflash
