#include "deploy/model_cli/dump_target.h"

#include <ATen/ATen.h>

#include "common/base/format.h"
#include "common/model/target_model.h"
#include "common/tensor/tensor_file.h"
#include "deploy/model_cli/input_tensors.h"
#include "deploy/model_cli/named_type.h"

namespace dflash {
namespace {

constexpr int64_t kPadding = -1;

/// The rows of the input, [B, T] int64 each.
struct TargetRows {
  at::Tensor ids, positions, documents;  // documents: a number for each document of a row, kPadding elsewhere
};

/// 0, 1, 2, ... from the start of every run of equal document numbers.
at::Tensor restarting_positions(const at::Tensor& documents) {
  at::Tensor positions = at::zeros_like(documents);
  const auto document = documents.accessor<int64_t, 2>();
  auto position = positions.accessor<int64_t, 2>();
  for (int64_t row = 0; row < documents.size(0); ++row) {
    for (int64_t t = 1; t < documents.size(1); ++t) {
      position[row][t] = document[row][t] == document[row][t - 1] ? position[row][t - 1] + 1 : 0;
    }
  }
  return positions;
}

TargetRows read_rows(const InputTensors& input, int64_t vocab_size) {
  TargetRows rows;
  rows.ids = input.integers("input_ids", {-1, -1}, 0, vocab_size - 1);
  const std::vector<int64_t> shape = rows.ids.sizes().vec();
  rows.positions = at::arange(shape[1], at::kLong).expand(shape).contiguous();
  rows.documents = at::zeros(shape, at::kLong);
  if (input.has("document_ids")) {
    rows.documents = input.integers("document_ids", shape, kPadding, kLargestId);
    rows.positions = restarting_positions(rows.documents);
  }
  if (input.has("attention_mask")) {
    rows.documents.masked_fill_(input.integers("attention_mask", shape, 0, 1).eq(0), kPadding);
  }
  if (input.has("position_ids")) rows.positions = input.integers("position_ids", shape, 0, kLargestId);
  return rows;
}

/// First row of every document, padding counted as one, then the end.
std::vector<int32_t> document_starts(const InputTensors& input, const at::Tensor& documents) {
  input.check_runs(input.has("document_ids") ? "document_ids" : "attention_mask", documents);
  const int64_t* document = documents.const_data_ptr<int64_t>();
  const auto length = static_cast<int32_t>(documents.size(0));
  std::vector<int32_t> starts;
  for (int32_t t = 0; t < length; ++t) {
    if (t == 0 || document[t] != document[t - 1]) starts.push_back(t);
  }
  starts.push_back(length);
  return starts;
}

/// The tensors to write, filled row by row.
class TargetDump {
 public:
  TargetDump(const ModelConfig& config, at::ScalarType type, const at::Tensor& ids) : ids_(ids) {
    add("hidden.embed", config.hidden_size, type);
    for (int64_t layer = 0; layer < config.num_hidden_layers; ++layer) add(layer_name(layer), config.hidden_size, type);
    add("hidden.final", config.hidden_size, type);
    add("logits", config.vocab_size, at::kFloat);
  }
  static std::string layer_name(int64_t layer) { return format("hidden.layer{}", layer); }
  void put(const std::string& name, int64_t row, const at::Tensor& value) { tensors_.at(name)[row].copy_(value); }
  void clear_padding(const at::Tensor& documents) {
    for (auto& [name, tensor] : tensors_) tensor.masked_fill_(documents.eq(kPadding).unsqueeze(-1), 0);
  }
  [[nodiscard]] const std::map<std::string, at::Tensor>& tensors() const { return tensors_; }

 private:
  void add(const std::string& name, int64_t width, at::ScalarType type) {
    tensors_[name] = at::empty({ids_.size(0), ids_.size(1), width}, at::TensorOptions().dtype(type));
  }
  at::Tensor ids_;
  std::map<std::string, at::Tensor> tensors_;
};

}  // namespace

void dump_target(const DumpTargetSettings& settings) {
  const c10::InferenceMode no_autograd;
  const ModelConfig config = read_model_config(settings.target);
  const InputTensors input(settings.input);
  const TargetRows rows = read_rows(input, config.vocab_size);
  std::vector<std::vector<int32_t>> starts;
  for (int64_t row = 0; row < rows.ids.size(0); ++row) starts.push_back(document_starts(input, rows.documents[row]));

  ModelWeights weights(settings.target);
  const at::ScalarType type = named_type(settings.dtype);
  const TargetModel target(config, weights, type, config.num_hidden_layers);
  TargetDump dump(config, type, rows.ids);
  for (int64_t row = 0; row < rows.ids.size(0); ++row) {
    at::Tensor last;
    dump.put("hidden.embed", row, target.embed(rows.ids[row]));
    target.forward_packed({rows.ids[row], rows.positions[row], starts[static_cast<size_t>(row)]},
                          [&](int64_t layer, const at::Tensor& hidden) {
                            dump.put(TargetDump::layer_name(layer), row, hidden);
                            last = hidden;
                          });
    dump.put("hidden.final", row, target.final_norm(last));
    dump.put("logits", row, target.logits(last));
  }
  dump.clear_padding(rows.documents);
  write_tensor_file(settings.output, dump.tensors());
}

}  // namespace dflash
