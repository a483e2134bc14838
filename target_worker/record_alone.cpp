#include "target_worker/record_alone.h"

#include <ATen/Parallel.h>
#include <unistd.h>

#include <iostream>

#include "common/base/bytes_text.h"
#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/stop_signal.h"
#include "common/config/run_config.h"
#include "common/data/prepare/console_events.h"
#include "common/mpi/local_mail.h"
#include "common/plan/data_plan.h"
#include "common/plan/data_settings.h"
#include "common/plan/link_plan.h"
#include "common/plan/recording_plan.h"
#include "common/plan/run_device.h"
#include "common/plan/state_plan.h"
#include "common/tensor/torch_device.h"
#include "target_worker/lease_giver.h"
#include "target_worker/record_command.h"
#include "target_worker/target_run.h"

namespace dflash {
namespace {

constexpr int kLeadRank = 0, kTargetRank = 1;

/// The cast of the run whose batches these are: the drafter of rank 2 is the folder.
RoleMap cast(int own_rank) {
  return {{Role::coordinator, Role::target, Role::drafter}, own_rank};
}

RunConfig solo_settings(const RecordCommand& command) {
  RunConfig config = load_run_config(command.run_toml, command.overrides);
  config.mutable_data()->clear_recorded();
  config.mutable_pipeline()->set_split_fc_layers(false);
  return config;
}

void refuse_after_signal() {
  if (stop_signal_time()) throw Error(ErrorKind::stopped, "a signal ended it before the first batch");
}

/// Those of a run with one drafter.
int64_t batches_of_run(const RunConfig& config, PreloadedDataset& dataset) {
  if (config.train().steps() > 0) return count_steps(config, 1, 0).batches;
  int64_t batches = 0;
  for (int32_t epoch = 0; epoch < config.train().epochs(); ++epoch) {
    batches += dataset.batches_in_epoch(epoch);
    refuse_after_signal();
  }
  return batches;
}

int64_t count_batches(const RecordCommand& command, const RunConfig& config, PreloadedDataset& dataset) {
  if (command.batches > 0) return command.batches;
  const int64_t all = batches_of_run(config, dataset);
  if (command.first < all) return all - command.first;
  throw Error(ErrorKind::config, format("--first {}: the run has {} batches", command.first, all));
}

/// False when a signal ended it early.
bool record_batches(const RunConfig& config, const RunPlan& plan, TargetParts parts, RecordedFolderWriter& writer,
                    int64_t batches) {
  auto [lead_mail, own_mail] = make_local_mail(kLeadRank, kTargetRank);
  const RoleMap roles = cast(kTargetRank);
  ControlLink lead_link(cast(kLeadRank), std::move(lead_mail)), own_link(roles, std::move(own_mail));
  Console console(std::cout, isatty(STDOUT_FILENO) == 1);
  const LeaseGiver leases(lead_link, kTargetRank, writer, batches, console);
  WorkerControl control(own_link, roles);  // behind the leases: a signal that came before is answered at once
  compute_batches({roles, control, nullptr, config, nullptr}, plan, parts);
  return writer.batches() == batches;
}

/// The plan of the run, whose data are prepared for it.
RunPlan plan_run(const RecordCommand& command, RunConfig& config) {
  return with_places(command.run_toml, command.overrides, [&] {
    Console console(std::cout, isatty(STDOUT_FILENO) == 1);
    const ModelConfig target = read_model_config(config.target().model());
    expand_data_files(config);
    check_data_settings(config, target);
    prepare_run_data(config, target, console_events(console));
    return plan_of_run(config, cast(kTargetRank));
  });
}

Json measured(const StoredForm& form, const StorageLoss& loss) {
  if (!form.encode) return Json::object();
  return {{"relative_rms", loss.relative_rms()}, {"largest_of_row_maximum", loss.largest}};
}

void finish(RecordedFolderWriter& writer, const StoredForm& form, const StorageLoss& loss) {
  writer.finish(measured(form, loss));
  std::cout << format("recorded {} batches\n", writer.batches());
  if (form.encode) std::cout << format("relative error of the stored states: {:.3g}\n", loss.relative_rms());
}

int record(const RecordCommand& command) {
  RunConfig config = solo_settings(command);
  const RunPlan plan = plan_run(command, config);
  at::set_num_threads(plan.target_threads);
  DataLedger ledger;
  Documents documents = load_run_documents(config, plan, ledger);
  const uint64_t data_hash = documents.hash();
  PreloadedDataset dataset(std::move(documents), plan.layout.pack_tokens, config.run().seed(),
                           plan_document_ids(config.pipeline()));
  const int64_t batches = count_batches(command, config, dataset);
  const RunPlace place = place_on_node(config.run(), cast(kTargetRank));
  const at::Device torch_device = load_torch_device(place.cuda_ordinal);
  Device device = make_run_device(config.run(), place);
  const auto loss = std::make_shared<StorageLoss>();
  const StoredForm form = stored_form(command.storage, plan.layout, loss);
  const TargetModel target = load_target(config, plan, torch_device);
  refuse_after_signal();
  RecordedFolderWriter writer(command.folder, plan_recording(config, plan, data_hash, command.first, form));
  std::cout << format("recording {} batches from {} on into {}, {} each, stored {}\n", batches, command.first,
                      command.folder.string(), bytes_text(static_cast<int64_t>(form.stored_bytes)), form.name);
  RecordingSender sender(writer, form);
  const NoiseSchedule clean;
  if (!record_batches(config, plan, {device, torch_device, target, dataset, clean, {&sender}}, writer, batches)) {
    std::cout << format("a signal ended it after {} of {} batches; they can be trained from\n", writer.batches(),
                        batches);
    return kExitStoppedAndSaved;
  }
  finish(writer, form, *loss);
  return 0;
}

}  // namespace

int record_alone(int argc, char** argv) {
  return run_alone(Role::target, [&] {
    const auto command = parse_record_command(argc, argv);
    return command ? record(*command) : 0;
  });
}

}  // namespace dflash
