// What tests ask of the findings of dflash doctor.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "deploy/cli/doctor/finding.h"

namespace dflash {

/// `found` and `advice` are parts of the texts; an empty `advice` says that there is none.
inline void expect_finding(const Finding& finding, Light light, const std::string& found,
                           const std::string& advice = "") {
  EXPECT_EQ(finding.light, light) << finding.subject << ": " << finding.found;
  EXPECT_NE(finding.found.find(found), std::string::npos) << found << " in " << finding.found;
  EXPECT_NE(finding.advice.find(advice), std::string::npos) << advice << " in " << finding.advice;
  EXPECT_EQ(finding.advice.empty(), advice.empty()) << finding.advice;
}

inline Finding finding_of(const Findings& findings, const std::string& subject) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& finding) { return finding.subject == subject; });
  if (found == findings.end()) throw std::runtime_error("no finding about " + subject);
  return *found;
}

}  // namespace dflash
