#include "common/plan/state_plan.h"

#include <algorithm>

namespace dflash {
namespace {

NoiseSettings::Shape shape_of(TrainSection::NoiseChoice choice) {
  switch (choice) {
    case TrainSection::constant:
      return NoiseSettings::Shape::constant;
    case TrainSection::linear:
      return NoiseSettings::Shape::linear;
    case TrainSection::cosine:
      return NoiseSettings::Shape::cosine;
    default:
      return NoiseSettings::Shape::none;
  }
}

}  // namespace

NoiseSchedule plan_noise(const RunConfig& config, int drafters, int64_t total_steps) {
  const TrainSection& train = config.train();
  const int64_t steps = train.noise_steps() > 0 ? train.noise_steps() : total_steps;
  return NoiseSchedule({.shape = shape_of(train.noise()),
                        .from = train.noise_from(),
                        .to = train.noise_to(),
                        .steps = std::max(int64_t{1}, steps),
                        .batches_per_step = int64_t{train.accumulation_steps()} * drafters,
                        .seed = config.run().seed()});
}

DocumentIdsWay plan_document_ids(const PipelineSection& settings) {
  return settings.document_ids() == PipelineSection::fixed_shape ? DocumentIdsWay::fixed_shape : DocumentIdsWay::repeat;
}

}  // namespace dflash
