#include <limits>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/plan/run_plan.h"

namespace dflash {

StepCount count_steps(const RunConfig& config, int drafters, int64_t epoch_batches) {
  const TrainSection& train = config.train();
  const int64_t step_batches = int64_t{train.accumulation_steps()} * drafters;
  StepCount count;
  if (train.steps() > 0) {
    if (train.steps() > std::numeric_limits<int64_t>::max() / step_batches) {
      throw Error(ErrorKind::config, format("train.steps = {} of {} batches each cannot be counted in 64 bits",
                                            train.steps(), step_batches));
    }
    count.steps = train.steps();
    count.batches = count.steps * step_batches;
    return count;
  }
  count.steps = epoch_batches / step_batches;
  count.batches = count.steps * step_batches;
  count.left_out = epoch_batches - count.batches;
  if (count.steps == 0) {
    throw Error(
        ErrorKind::config,
        format("train.epochs = {} of the data gives {} batches, but one optimizer step takes {}; raise train.epochs, "
               "lower train.accumulation_steps or data.pack_tokens, or give train.steps",
               train.epochs(), epoch_batches, step_batches));
  }
  return count;
}

}  // namespace dflash
