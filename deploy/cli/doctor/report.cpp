#include "deploy/cli/doctor/report.h"

#include <algorithm>

#include "common/base/format.h"

namespace dflash {
namespace {

const char* word_of(Light light) {
  switch (light) {
    case Light::good:
      return "ok";
    case Light::note:
      return "note";
    default:
      return "bad";
  }
}

const char* colour_of(Light light) {
  switch (light) {
    case Light::good:
      return "\033[32m";
    case Light::note:
      return "\033[33m";
    default:
      return "\033[31m";
  }
}

/// The word, padded to the width of the column; the padding is not coloured.
std::string first_column(Light light, bool coloured) {
  const std::string word = word_of(light);
  const std::string padding(6 - word.size(), ' ');
  return coloured ? colour_of(light) + word + "\033[0m" + padding : word + padding;
}

std::string summary(const Findings& findings) {
  const int bad = count_of(findings, Light::bad), notes = count_of(findings, Light::note);
  if (bad == 0 && notes == 0) return "all is well";
  return format("{} bad, {} to note", bad == 0 ? "nothing is" : std::to_string(bad),
                notes == 0 ? "nothing" : std::to_string(notes));
}

}  // namespace

int count_of(const Findings& findings, Light light) {
  return static_cast<int>(
      std::count_if(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.light == light; }));
}

std::string report_text(const Findings& findings, bool coloured) {
  size_t width = 0;
  for (const Finding& finding : findings) width = std::max(width, finding.subject.size());
  std::string text;
  for (const Finding& finding : findings) {
    text += format("{}{:<{}}  {}\n", first_column(finding.light, coloured), finding.subject, width, finding.found);
    if (!finding.advice.empty()) text += format("{:{}}-> {}\n", "", 6 + width + 2, finding.advice);
  }
  return text + "\n" + summary(findings) + "\n";
}

Json report_json(const Findings& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"light", word_of(finding.light)},
                    {"subject", finding.subject},
                    {"found", finding.found},
                    {"advice", finding.advice}});
  }
  return {{"findings", list}, {"notes", count_of(findings, Light::note)}, {"bad", count_of(findings, Light::bad)}};
}

}  // namespace dflash
