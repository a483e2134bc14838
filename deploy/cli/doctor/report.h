// Findings for a person, and for a program.
#pragma once

#include <string>

#include "common/base/json.h"
#include "deploy/cli/doctor/finding.h"

namespace dflash {

[[nodiscard]] int count_of(const Findings& findings, Light light);

/// A line for each finding ("bad   mpirun   there is none in PATH"), advice indented below it, and a line that sums up.
/// `coloured`: the first word in green, yellow or red.
[[nodiscard]] std::string report_text(const Findings& findings, bool coloured);

/// {"findings": [{"light", "subject", "found", "advice"}, ...], "notes": n, "bad": n}
[[nodiscard]] Json report_json(const Findings& findings);

}  // namespace dflash
