// What a call throws, for tests that look at kind and message.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "common/base/error.h"

namespace dflash {

/// Runs `call`, which must throw an Error, and returns it.
template <typename Call>
Error error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {ErrorKind::internal, "nothing was thrown"};
}

/// Whether the message says all of `words`; use with EXPECT_TRUE.
inline testing::AssertionResult says(const Error& error, const std::vector<std::string>& words) {
  const std::string text = error.what();
  for (const std::string& word : words) {
    if (text.find(word) == std::string::npos) return testing::AssertionFailure() << "no '" << word << "' in: " << text;
  }
  return testing::AssertionSuccess();
}

/// The call must throw an Error of this kind that says this.
template <typename Call>
void expect_error(ErrorKind kind, const std::string& part_of_message, Call&& call) {
  const Error error = error_of(std::forward<Call>(call));
  EXPECT_EQ(error_kind_name(error.kind()), std::string(error_kind_name(kind))) << error.what();
  EXPECT_TRUE(says(error, {part_of_message}));
}

}  // namespace dflash
