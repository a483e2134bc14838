#include "deploy/model_cli/dump_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/hf/safetensors.h"
#include "deploy/model_cli/dump_drafter.h"
#include "deploy/model_cli/dump_target.h"

namespace dflash {
namespace {

constexpr const char* kTargetFiles =
    "Input: input_ids [B,T]; optional attention_mask (0: padding, on either side), position_ids (default 0..T-1, or "
    "from 0\n"
    "in every document), document_ids (-1: padding; attention stays inside a document), [B,T] each, integers.\n"
    "Output: hidden.embed, hidden.layer0 ..., hidden.final [B,T,H] in the dtype computed in, logits [B,T,V] float32; "
    "zeros\n"
    "on padding. hidden.layer0 is the residual stream behind layer 0; the last one, too, comes before the final norm.";

constexpr const char* kDrafterFiles =
    "Input: input_ids, document_ids (-1: padding), position_ids, loss_mask [S], integers; hidden_states [S, K*H], "
    "floating\n"
    "point, the captured layers side by side in ascending order (hidden.layerI of dump target); anchors [A]; optional\n"
    "anchor_keep [A] with 0 for slots that are not used. An anchor need not be eligible.\n"
    "Frozen: model.embed_tokens.weight [V,H]; lm_head.weight [V,H] unless it is the same.\n"
    "Output, B the block size: eligible [S], rows that training may choose (they and the next one have loss_mask 1 in "
    "one\n"
    "document); fc_out [S,H]; block_ids, block_position_ids, labels (-100: outside of the document), supervised, "
    "weights,\n"
    "loss [A,B]; block_hidden, logits [A,B,.]; loss_sum, weight_sum, mean_loss; correct_per_slot, total_per_slot [B];\n"
    "accept_len_sum, accept_len_count; grad.NAME, of loss_sum / weight_sum. All in float32.";

/// Before minutes are spent on what cannot be written. The file appears by a rename: what stands there must be one.
void check_output(const std::string& output, const std::string& input) {
  namespace fs = std::filesystem;
  const fs::path path = output, folder = path.has_parent_path() ? path.parent_path() : ".";
  const auto refuse = [&](const char* why) {
    throw Error(ErrorKind::config, format("--output '{}': {}", output, why));
  };
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (output.empty()) refuse("expected the name of a file");
  if (fs::exists(status) && !fs::is_regular_file(status)) refuse("is there already and no regular file");
  if (access(folder.c_str(), W_OK) != 0) refuse("expected a file in a folder that can be written");
  if (fs::equivalent(path, input, error)) refuse("is the input");
}

void say_written(const std::filesystem::path& path) {
  std::printf("wrote %s, %zu tensors\n", path.c_str(), SafetensorsFile(path).tensors().size());
}

void add_dump_target(CLI::App& dump) {
  auto settings = std::make_shared<DumpTargetSettings>();
  CLI::App* command = dump.add_subcommand("target", "Every hidden state and the logits of a target");
  command->add_option("--target", settings->target, "Hugging Face folder of the target")->required();
  command->add_option("--input", settings->input, "safetensors file with the token ids")->required();
  command->add_option("--output", settings->output, "safetensors file to write")->required();
  command->add_option("--dtype", settings->dtype, "What it computes in")
      ->check(CLI::IsMember({"float32", "bfloat16"}))
      ->capture_default_str();
  command->footer(kTargetFiles);
  command->callback([settings] {
    check_output(settings->output, settings->input);
    dump_target(*settings);
    say_written(settings->output);
  });
}

std::string complaint_of_gamma(const std::string& text) {
  double number = 0;
  const bool good = CLI::detail::lexical_cast(text, number) && number >= 0 && number <= 1e6;
  return good ? "" : "expected a number from 0 to 1000000, got " + text;
}

void add_dump_drafter(CLI::App& dump) {
  auto settings = std::make_shared<DumpDrafterSettings>();
  CLI::App* command = dump.add_subcommand("drafter", "Forward, losses and gradients of a drafter for given anchors");
  command->add_option("--drafter", settings->drafter, "Folder of the drafter: config.json and model.safetensors")
      ->required();
  command->add_option("--frozen", settings->frozen, "safetensors file with the target's embedding and head")
      ->required();
  command->add_option("--input", settings->input, "safetensors file with a packed row and its anchors")->required();
  command->add_option("--output", settings->output, "safetensors file to write")->required();
  command
      ->add_option("--decay-gamma", settings->decay_gamma,
                   "Position k weighs exp(-(k-1)/gamma); 0: no decay (default: that of the block size, as in training)")
      ->check(CLI::Validator(complaint_of_gamma, "FLOAT in [0, 1000000]"));
  command->footer(kDrafterFiles);
  command->callback([settings] {
    check_output(settings->output, settings->input);
    dump_drafter(*settings);
    say_written(settings->output);
  });
}

}  // namespace

void add_dump_command(CLI::App& app) {
  CLI::App* dump = app.add_subcommand("dump", "Writes tensors to compare with another implementation");
  dump->require_subcommand(1);
  add_dump_target(*dump);
  add_dump_drafter(*dump);
}

}  // namespace dflash
