#include "coordinator/run_facts.h"

#include <array>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/config/run_config.h"
#include "common/data/preloaded_dataset.h"
#include "common/plan/data_plan.h"
#include "common/plan/recording_plan.h"

namespace dflash {
namespace {

Json ledger_json(const DataLedger& ledger) {
  return {{"rows", ledger.rows},
          {"kept", ledger.kept},
          {"cut", ledger.cut},
          {"dropped", ledger.dropped},
          {"bad", ledger.bad},
          {"tokens", ledger.tokens},
          {"supervised_tokens", ledger.supervised_tokens}};
}

std::string describe_steps(const RunFacts& facts) {
  std::string text = format("run       {} steps, {} batches", facts.count.steps, facts.count.batches);
  if (facts.count.left_out > 0)
    text += format("; {} batches left out: they do not fill a last step", facts.count.left_out);
  return text;
}

/// UTC, as in 2025-01-31T23:59:59Z.
std::string time_text(std::time_t time) {
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::array<char, sizeof "2025-01-31T23:59:59Z"> text{};
  const size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

RunFacts gather_recorded_facts(const RunConfig& config, const RunPlan& plan) {
  const RecordedFolderReader folder = open_recording(config, plan);
  RunFacts facts;
  facts.plan = plan;
  facts.first_epoch_batches = folder.end_sequence();
  facts.count = count_steps(config, plan.drafters, folder.end_sequence());
  if (facts.count.batches > folder.end_sequence()) {
    throw Error(ErrorKind::config,
                format("{} steps of {} drafter(s) take {} batches, but the recorded folder {} holds {}; lower "
                       "train.steps, or record more (--batches {})",
                       facts.count.steps, plan.drafters, facts.count.batches, folder.folder().string(),
                       folder.end_sequence(), facts.count.batches));
  }
  facts.hashes = {config_hash(config), plan.layout.hash(), recorded_data_hash(folder, config.run().seed())};
  facts.recorded = describe_recording(config, folder);
  return facts;
}

}  // namespace

RunFacts gather_run_facts(const RunConfig& config, const RunPlan& plan) {
  if (plan.targets == 0) return gather_recorded_facts(config, plan);
  RunFacts facts;
  facts.plan = plan;
  PreloadedDataset dataset(load_run_documents(config, plan, facts.ledger), plan.layout.pack_tokens,
                           config.run().seed());
  facts.first_epoch_batches = dataset.batches_in_epoch(0);
  facts.padding_share = dataset.padding_share(0);
  int64_t epoch_batches = 0;
  const int64_t epochs = config.train().steps() > 0 ? 0 : config.train().epochs();
  for (int64_t epoch = 0; epoch < epochs; ++epoch) epoch_batches += dataset.batches_in_epoch(epoch);
  facts.count = count_steps(config, plan.drafters, epoch_batches);
  facts.hashes = {config_hash(config), plan.layout.hash(), dataset.documents().hash()};
  return facts;
}

Json run_facts_json(const RunFacts& facts, std::time_t start_time) {
  return {{"start_time", time_text(start_time)},
          {"version", DFLASH_VERSION},
          {"build_hash", hash_hex(build_hash())},
          {"config_hash", hash_hex(facts.hashes.config)},
          {"layout_hash", hash_hex(facts.hashes.layout)},
          {"data_hash", hash_hex(facts.hashes.data)},
          {"targets", facts.plan.targets},
          {"drafters", facts.plan.drafters},
          {"target_threads", facts.plan.target_threads},
          {"drafter_threads", facts.plan.drafter_threads},
          {"queue_depth", facts.plan.queue_depth},
          {"captured_layer_ids", facts.plan.layout.captured_layer_ids},
          {"total_steps", facts.count.steps},
          {"resumed_from_step", facts.resumed_from_step},
          {"total_batches", facts.count.batches},
          {"batches_left_out", facts.count.left_out},
          {"first_epoch_batches", facts.first_epoch_batches},
          {"padding_share", facts.padding_share},
          {"data", facts.recorded.empty() ? ledger_json(facts.ledger) : Json(nullptr)}};
}

std::string describe_data(const RunFacts& facts) {
  const DataLedger& ledger = facts.ledger;
  if (!facts.recorded.empty()) return facts.recorded + describe_steps(facts);
  std::string text = format("data      {} rows: {} kept ({} of them cut), {} left out, {} bad\n", ledger.rows,
                            ledger.kept, ledger.cut, ledger.dropped, ledger.bad);
  for (const std::string& example : ledger.bad_examples) text += format("          bad row {}\n", example);
  text += format("          {} tokens, {} of them supervised; {} batches per epoch, {:.2f} % padding\n", ledger.tokens,
                 ledger.supervised_tokens, facts.first_epoch_batches, 100 * facts.padding_share);
  return text + describe_steps(facts);
}

}  // namespace dflash
