// The rows of a group of benchmarks: printed as a table, written as JSON.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "tests/bench/paired.h"

namespace dflash::bench {

struct Goal {
  double ratio = 0;
  bool at_most = false;  // else at least
};

struct Row {
  std::string row;  // what is measured, in full
  double value = 0;
  std::string unit;
  std::string reference;  // what the ratio is over, with its value
  std::optional<double> ratio;
  std::optional<double> goal;
  std::optional<bool> met;  // nothing without a goal, or without a verdict
  std::string remark;
};

class BenchTable {
 public:
  explicit BenchTable(std::string group) : group_(std::move(group)) {}

  /// Printed at once.
  void add(Row row);
  /// `paired`: A is the reference, B what is measured.
  void add(const std::string& row, const std::string& unit, const std::string& reference, const Paired& paired,
           const std::optional<Goal>& goal);
  /// GROUP.json in `folder`.
  void write(const std::filesystem::path& folder) const;

 private:
  std::string group_;
  std::vector<Row> rows_;
};

/// The main of a group's program: runs its benchmarks and writes GROUP.json into the folder that is its argument.
int run_group(int argc, char** argv, const std::string& group, std::initializer_list<void (*)(BenchTable&)> benchmarks);

}  // namespace dflash::bench
