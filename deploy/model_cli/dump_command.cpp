#include "deploy/model_cli/dump_command.h"

#include <CLI/CLI.hpp>
#include <memory>

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
    "Input: input_ids, document_ids (-1: padding), position_ids, loss_mask [S]; hidden_states [S, K*H], the captured "
    "layers\n"
    "side by side; anchors [A], and anchor_keep [A] with 0 for unused slots.\n"
    "Frozen: model.embed_tokens.weight [V,H], lm_head.weight [V,H] unless it is the same.\n"
    "Output, B the block size: eligible [S]; fc_out [S,H]; block_ids, block_position_ids, labels (-100: outside of "
    "the\n"
    "document), supervised, weights, loss [A,B]; block_hidden, logits [A,B,.]; loss_sum, weight_sum, mean_loss;\n"
    "correct_per_slot, total_per_slot [B]; accept_len_sum, accept_len_count; grad.NAME, of loss_sum / weight_sum.";

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
  command->callback([settings] { dump_target(*settings); });
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
      ->check(CLI::NonNegativeNumber);
  command->footer(kDrafterFiles);
  command->callback([settings] { dump_drafter(*settings); });
}

}  // namespace

void add_dump_command(CLI::App& app) {
  CLI::App* dump = app.add_subcommand("dump", "Writes tensors to compare with another implementation");
  dump->require_subcommand(1);
  add_dump_target(*dump);
  add_dump_drafter(*dump);
}

}  // namespace dflash
