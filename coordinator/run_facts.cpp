#include "coordinator/run_facts.h"

#include <array>
#include <filesystem>
#include <vector>

#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/config/run_config.h"
#include "common/data/preloaded_dataset.h"

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

/// UTC, as in 2025-01-31T23:59:59Z.
std::string time_text(std::time_t time) {
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::array<char, sizeof "2025-01-31T23:59:59Z"> text{};
  const size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

}  // namespace

RunFacts gather_run_facts(const RunConfig& config, const RunPlan& plan) {
  RunFacts facts;
  facts.plan = plan;
  const std::vector<std::filesystem::path> files(config.data().files().begin(), config.data().files().end());
  PreloadedDataset dataset(load_documents(files, plan.target.vocab_size, plan.layout.pack_tokens, facts.ledger),
                           plan.layout.pack_tokens, config.run().seed());
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
          {"data", ledger_json(facts.ledger)}};
}

std::string describe_data(const RunFacts& facts) {
  const DataLedger& ledger = facts.ledger;
  std::string text = format("data      {} rows: {} kept ({} of them cut), {} dropped (nothing to supervise), {} bad\n",
                            ledger.rows, ledger.kept, ledger.cut, ledger.dropped, ledger.bad);
  for (const std::string& example : ledger.bad_examples) text += format("          bad row {}\n", example);
  text += format("          {} tokens, {} of them supervised; {} batches per epoch, {:.2f} % padding\n", ledger.tokens,
                 ledger.supervised_tokens, facts.first_epoch_batches, 100 * facts.padding_share);
  text += format("run       {} steps, {} batches", facts.count.steps, facts.count.batches);
  if (facts.count.left_out > 0)
    text += format("; {} batches left out: they do not fill a last step", facts.count.left_out);
  return text;
}

}  // namespace dflash
