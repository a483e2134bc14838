// What data.files are: token ids, which every worker reads itself, or conversations, which are prepared first
// (common/data/prepare) into a folder of the cache, once for all runs that want them the same way.
//
//   expand_data_files(config);
//   prepare_run_data(config, target, events);         // who starts the run; from here on it is data.prepared
//   Documents documents = load_run_documents(config, plan, ledger);                           // every rank
//
// Threading: functions only.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/data/documents.h"
#include "common/data/prepare/prepare_data.h"
#include "common/plan/run_plan.h"
#include "proto/run_config.pb.h"

namespace dflash {

struct Preparing {
  std::vector<std::string> files;
  PrepareSettings settings;
  Json key;                      // prepare_key of both
  std::filesystem::path folder;  // in the cache; its name is the content's key
};

/// Replaces the patterns of data.files by the files they name. Nothing when data.prepared or data.recorded is given.
/// Error{input_file} for one that names nothing.
void expand_data_files(RunConfig& config);

/// Whether one of data.files does not hold token ids; false when data.prepared or data.recorded is given.
[[nodiscard]] bool hold_conversations(const RunConfig& config);

/// What is to be prepared for a run of this target; nothing when every file holds token ids, or when data.prepared or
/// data.recorded is given. Reads all files once, for their key. Error{input_file} for a file, tokenizer or template
/// that cannot be used, and for a folder that dflash prepare has not finished; Error{config} for one whose rows may
/// supervise the run's mask token, since it was prepared with another, or without.
[[nodiscard]] std::optional<Preparing> plan_preparing(const RunConfig& config, const ModelConfig& target);

/// Prepares what plan_preparing says, if it is not there yet, and sets data.prepared. While another process is at it,
/// it waits; damaged data in the cache are prepared anew. Tells when much has gathered in the cache. Errors as both;
/// Error{stopped} when events.should_stop said so: what is whole stays, and is gone on with.
void prepare_run_data(RunConfig& config, const ModelConfig& target, const PrepareEvents& events);

/// For a rank that does not prepare. Error{config} when data.files hold conversations, with what to do.
void refuse_conversations(const RunConfig& config);

/// The settings with which the run prepares conversations.
[[nodiscard]] PrepareSettings prepare_settings(const RunConfig& config, const ModelConfig& target);

/// The documents of data.prepared, or of data.files that hold token ids. Errors as load_documents, and as
/// plan_preparing for folders.
[[nodiscard]] Documents load_run_documents(const RunConfig& config, const RunPlan& plan, DataLedger& ledger);

}  // namespace dflash
