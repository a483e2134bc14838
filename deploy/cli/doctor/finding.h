// Finding: one thing that dflash doctor looked at, and what to do about it.
//
// The files of this folder keep looking and judging apart: check_*() turns what was seen into findings and looks at
// nothing, so that a test can play any machine. What looks has another name: read_*_facts(), kernel_name().
#pragma once

#include <string>
#include <vector>

namespace dflash {

enum class Light {
  good,
  note,  // works, but slower or with less than a person may expect
  bad,   // a run would fail, or a device that is there cannot be used
};

struct Finding {
  Light light = Light::good;
  std::string subject;      // "open files"
  std::string found;        // one line
  std::string advice = {};  // one line: what to do; never empty with bad
};
using Findings = std::vector<Finding>;

}  // namespace dflash
