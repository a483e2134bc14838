// What the check of a drafter's folder found: one line for each rule of golden/export/README.md.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace dflash {

/// note: nothing is wrong, but somebody should know, or the rule could not be looked at.
enum class RuleState { pass, fail, note };

struct RuleResult {
  std::string rule;  // "block size"
  RuleState state = RuleState::pass;
  std::string found;  // one line; for a fail also who is harmed and what to do
};

/// Collects results.
class RuleList {
 public:
  void pass(std::string rule, std::string found) { add(std::move(rule), RuleState::pass, std::move(found)); }
  void fail(std::string rule, std::string found) { add(std::move(rule), RuleState::fail, std::move(found)); }
  void note(std::string rule, std::string found) { add(std::move(rule), RuleState::note, std::move(found)); }
  /// pass with `found` when `holds`, else fail with `complaint`.
  void check(std::string rule, bool holds, std::string found, std::string complaint) {
    add(std::move(rule), holds ? RuleState::pass : RuleState::fail, holds ? std::move(found) : std::move(complaint));
  }
  [[nodiscard]] const std::vector<RuleResult>& results() const { return results_; }

 private:
  void add(std::string rule, RuleState state, std::string found) {
    results_.push_back({std::move(rule), state, std::move(found)});
  }
  std::vector<RuleResult> results_;
};

}  // namespace dflash
