// Paired measurement: A and B by turns in one run (A B B A, A B B A, ...), so that what the machine does meanwhile
// meets both.
#pragma once

#include <functional>
#include <vector>

namespace dflash::bench {

struct Paired {
  double a = 0, b = 0;  // medians
  double ratio = 0;     // median of the pairs' b / a
  double worst = 0;     // the pair's ratio that lies furthest from it
  double control = 0;   // median of the ratios of the two A in each A B B A; 1 on a quiet machine
  /// The two A of a round differ by more than 5 %: no verdict.
  [[nodiscard]] bool trusted() const;
};

[[nodiscard]] double median(std::vector<double> values);

/// `rounds` of A B B A: two pairs each. What the calls return is compared: seconds, or a rate.
[[nodiscard]] Paired measure_paired(const std::function<double()>& a, const std::function<double()>& b, int rounds);
/// The same of values that were taken elsewhere, in the order A B B A, A B B A, ...
[[nodiscard]] Paired pair_up(const std::vector<double>& abba);

}  // namespace dflash::bench
