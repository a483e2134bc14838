// A run and a recorded folder (common/channel/recording.h): what a recording of its batches says of the run, how the
// batches are stored, and whether a folder holds what a run wants.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/channel/recording_ends.h"
#include "common/data/stored_batch.h"
#include "common/plan/run_plan.h"

namespace dflash {

/// "as-is", "bfloat16", "float8": as it stands in recording.json and on the command line. Error{config} for others.
[[nodiscard]] const std::vector<std::string>& storage_names();

/// The form named `storage` of batches in `layout`, packed; what storing loses is added to `loss`. Error{config} for
/// another name.
[[nodiscard]] StoredForm stored_form(const std::string& storage, const BatchLayout& layout,
                                     std::shared_ptr<StorageLoss> loss = std::make_shared<StorageLoss>());

/// The form in which a folder stores batches of `layout`. Error{config} when its sizes are not those of that form.
[[nodiscard]] StoredForm form_of(const RecordedFolderReader& folder, const BatchLayout& layout);

/// Of clean states in plan.layout.
[[nodiscard]] Recording plan_recording(const RunConfig& config, const RunPlan& plan, uint64_t data_hash,
                                       int64_t first_sequence, const StoredForm& form);

/// The folder data.recorded. Error{input_file} when it is none, {config} saying what differs when its batches are laid
/// out differently, come from a target of another config.json, or do not begin with batch 0.
[[nodiscard]] RecordedFolderReader open_recording(const RunConfig& config, const RunPlan& plan);

/// Hash of what the batches hold, for a resumed run to be compared: of a live run when they are its own, the documents;
/// another one when they come in another order or were stored smaller. Error{input_file} when the recording says none.
[[nodiscard]] uint64_t recorded_data_hash(const RecordedFolderReader& folder, uint64_t run_seed);

/// One line for a person: how many batches, how they are stored and what that cost, and what is unlike this run.
[[nodiscard]] std::string describe_recording(const RunConfig& config, const RecordedFolderReader& folder);

}  // namespace dflash
