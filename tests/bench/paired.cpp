#include "tests/bench/paired.h"

#include <algorithm>
#include <cmath>

namespace dflash::bench {

bool Paired::trusted() const {
  return std::abs(control - 1) <= 0.05;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Paired measure_paired(const std::function<double()>& a, const std::function<double()>& b, int rounds) {
  std::vector<double> abba;
  for (int round = 0; round < rounds; ++round) {
    for (const auto* call : {&a, &b, &b, &a}) abba.push_back((*call)());
  }
  return pair_up(abba);
}

Paired pair_up(const std::vector<double>& abba) {
  std::vector<double> a, b, ratios, controls;
  for (size_t i = 0; i + 3 < abba.size(); i += 4) {
    a.insert(a.end(), {abba[i], abba[i + 3]});
    b.insert(b.end(), {abba[i + 1], abba[i + 2]});
    ratios.insert(ratios.end(), {abba[i + 1] / abba[i], abba[i + 2] / abba[i + 3]});
    controls.push_back(abba[i + 3] / abba[i]);
  }
  Paired paired{median(a), median(b), median(ratios), 0, median(controls)};
  for (const double ratio : ratios) {
    if (std::abs(ratio - paired.ratio) > std::abs(paired.worst - paired.ratio) || paired.worst == 0)
      paired.worst = ratio;
  }
  return paired;
}

}  // namespace dflash::bench
