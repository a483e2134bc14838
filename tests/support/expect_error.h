// expect_error(ErrorKind::config, "unknown key", [&] { ... }): the call must throw an Error of this kind that says
// this.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "common/base/error.h"

namespace dflash {

template <typename Call>
void expect_error(ErrorKind kind, const std::string& part_of_message, Call&& call) {
  try {
    call();
    ADD_FAILURE() << "no error; expected one that says: " << part_of_message;
  } catch (const Error& error) {
    EXPECT_EQ(error_kind_name(error.kind()), std::string(error_kind_name(kind))) << error.what();
    EXPECT_NE(std::string(error.what()).find(part_of_message), std::string::npos) << error.what();
  }
}

}  // namespace dflash
