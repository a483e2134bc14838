#include "drafter_worker/nan_guard.h"

#include <ATen/ATen.h>
#include <fcntl.h>

#include <cerrno>
#include <vector>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/log.h"
#include "common/base/scoped_descriptor.h"
#include "common/channel/recorded_folder.h"
#include "common/tensor/tensor_file.h"

namespace dflash {

Json tensor_statistics(const at::Tensor& tensor) {
  const at::Tensor values = tensor.detach().flatten().to(at::kDouble);
  const at::Tensor finite = values.masked_select(values.isfinite());
  const auto number = [&](const auto& of) { return finite.numel() > 0 ? Json(of().template item<double>()) : Json(); };
  return {{"min", number([&] { return finite.min(); })},
          {"max", number([&] { return finite.max(); })},
          {"mean", number([&] { return finite.mean(); })},
          {"nan", values.isnan().sum().item<int64_t>()},
          {"inf", values.isinf().sum().item<int64_t>()}};
}

std::map<std::string, Json> captured_statistics(std::span<std::byte> slot, const BatchLayout& layout) {
  const auto layers = static_cast<int64_t>(layout.captured_layer_ids.size());
  const std::vector<int64_t> shape = layout.split_layers
                                         ? std::vector<int64_t>{layers, layout.pack_tokens, layout.hidden_size}
                                         : std::vector<int64_t>{layout.pack_tokens, layers, layout.hidden_size};
  const at::Tensor captured = at::from_blob(slot.data() + layout.captured_offset, shape,
                                            at::TensorOptions().dtype(scalar_type(layout.captured_dtype)));
  std::map<std::string, Json> statistics;
  for (int64_t layer = 0; layer < layers; ++layer) {
    const std::string name = format("layer {}", layout.captured_layer_ids[static_cast<size_t>(layer)]);
    statistics[name] = tensor_statistics(captured.select(layout.split_layers ? 0 : 1, layer));
  }
  return statistics;
}

void NanGuard::write(int64_t step, int64_t sequence, const std::string& reason,
                     const std::map<std::string, Json>& tensors) {
  const Json line = {
      {"step", step}, {"sequence", sequence}, {"drafter", drafter_}, {"reason", reason}, {"tensors", Json(tensors)}};
  const std::string text = line.dump() + "\n";
  const ScopedDescriptor file(open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (file.get() < 0) throw_write_error(errno, format("cannot open {}", file_.string()));
  write_all(file.get(), std::as_bytes(std::span(text)), file_);
  log_warn(format("step {}, batch {}: {}", step, sequence, reason));
}

void NanGuard::keep(int64_t sequence, std::span<const std::byte> slot, const BatchLayout& layout) {
  const std::filesystem::path folder = kept_folder_ / batch_path({}, sequence).stem();
  std::error_code unreadable;
  if (kept_ == kMostKept || std::filesystem::exists(folder, unreadable)) return;
  ++kept_;
  Recording recording;
  recording.layout_hash = layout.hash();
  recording.slot_bytes = recording.stored_bytes = layout.slot_bytes;
  recording.first_sequence = sequence;
  recording.made_with = run_;
  RecordedFolderWriter writer(folder, recording);
  writer.write(sequence, slot.first(layout.slot_bytes));
  writer.finish();
}

void NanGuard::count(int64_t step, bool skipped) {
  skipped_in_a_row_ = skipped ? skipped_in_a_row_ + 1 : 0;
  if (!skipped) return;
  log_warn(format("step {} is skipped: its numbers are not finite", step));
  if (skipped_in_a_row_ < kMostSkippedInARow) return;
  throw Error(ErrorKind::not_finite,
              format("steps {} to {} were not finite, no weight was changed; {} names their batches; try a lower "
                     "train.lr, or look at the target's states there",
                     step - kMostSkippedInARow + 1, step, file_.string()));
}

}  // namespace dflash
