// RunFacts: what is known of a run when it starts, for run.json and for the person who started it.
#pragma once

#include <ctime>
#include <string>

#include "common/base/json.h"
#include "common/data/documents.h"
#include "common/mpi/handshake.h"
#include "common/plan/run_plan.h"

namespace dflash {

struct RunFacts {
  RunPlan plan;
  DataLedger ledger;
  int64_t first_epoch_batches = 0;
  double padding_share = 0;  // of the first epoch
  StepCount count;
  AgreedHashes hashes;
  std::string recorded;  // of a run from a recorded folder: a line for a person about it
  int64_t resumed_from_step = 0;
};

/// Reads the data, or what a recorded folder says of them, and counts the steps of the run. Error{input_file} and
/// {config} as the functions it calls.
[[nodiscard]] RunFacts gather_run_facts(const RunConfig& config, const RunPlan& plan);

/// The content of run.json.
[[nodiscard]] Json run_facts_json(const RunFacts& facts, std::time_t start_time);

/// The ledger of the data and the number of steps, as lines for a person.
[[nodiscard]] std::string describe_data(const RunFacts& facts);

}  // namespace dflash
