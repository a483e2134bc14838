#include "common/plan/resume_settings.h"

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/config/setting_changes.h"

namespace dflash {
namespace {

constexpr const char* kAccumulationKey = "train.accumulation_steps";

/// Either as it was (then it is adapted), or by hand what keeps the batches of a step.
bool accumulation_fits(const RecordedRun& recorded, const RunConfig& config, int drafters) {
  const int64_t given = config.train().accumulation_steps();
  return given == recorded.config.train().accumulation_steps() || given * drafters == recorded.step_batches();
}

void refuse_changes(const RecordedRun& recorded, const RunConfig& config, int drafters) {
  std::vector<std::string> changed;
  for (const auto& [key, before, now] : setting_changes(recorded.config, config)) {
    if (key == kAccumulationKey && accumulation_fits(recorded, config, drafters)) continue;
    changed.push_back(format("{} = {} was {}", key, now, before));
  }
  if (changed.empty()) return;
  throw Error(ErrorKind::config, format("{}: that would alter the run that is resumed; set {} back, or start a new run",
                                        join(changed, ", "), changed.size() == 1 ? "it" : "them"));
}

/// "1, 2 or 4": the first few numbers of drafters that divide the batches of a step.
std::string fitting_drafters(int64_t step_batches) {
  constexpr size_t kMostShown = 12;
  std::string text = "1";
  std::vector<int64_t> more;
  for (int64_t d = 2; d <= step_batches && more.size() < kMostShown; ++d) {
    if (step_batches % d == 0) more.push_back(d);
  }
  for (size_t i = 0; i < more.size(); ++i) text += format("{}{}", i + 1 == more.size() ? " or " : ", ", more[i]);
  return text;
}

void keep_step_batches(const RecordedRun& recorded, RunConfig& config, int drafters,
                       std::vector<std::string>& notices) {
  if (drafters == recorded.drafters) return;
  const int64_t batches = recorded.step_batches();
  if (batches % drafters != 0) {
    throw Error(ErrorKind::config,
                format("{} drafters cannot share the {} batches of a step evenly ({} = {} with {} drafter(s), when the "
                       "checkpoint was made); resume with {} drafter(s)",
                       drafters, batches, kAccumulationKey, recorded.config.train().accumulation_steps(),
                       recorded.drafters, fitting_drafters(batches)));
  }
  config.mutable_train()->set_accumulation_steps(static_cast<int32_t>(batches / drafters));
  notices.push_back(
      format("{} drafter(s) instead of {}: {} is {} now, so that a step still takes {} batches; gradients "
             "are summed in another order, so the last bits may differ from those of an unbroken run",
             drafters, recorded.drafters, kAccumulationKey, batches / drafters, batches));
}

/// The number of threads to use: recorded when it is left open.
int32_t keep_threads(const char* key, int32_t recorded, int32_t given, std::vector<std::string>& notices) {
  if (given == 0 || recorded == 0) return given == 0 ? recorded : given;
  if (given != recorded) {
    notices.push_back(
        format("{} = {} was {}: the last bits may differ from those of an unbroken run", key, given, recorded));
  }
  return given;
}

}  // namespace

std::vector<std::string> take_over_settings(const RecordedRun& recorded, RunConfig& config, int drafters) {
  refuse_changes(recorded, config, drafters);
  std::vector<std::string> notices;
  keep_step_batches(recorded, config, drafters, notices);
  config.mutable_target()->set_threads(
      keep_threads("target.threads", recorded.config.target().threads(), config.target().threads(), notices));
  config.mutable_drafter()->set_threads(
      keep_threads("drafter.threads", recorded.config.drafter().threads(), config.drafter().threads(), notices));
  return notices;
}

}  // namespace dflash
