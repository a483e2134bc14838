// Settings that exclude each other, and their neighbours that do not.
#include <gtest/gtest.h>

#include "tests/config/settings_file.h"

namespace dflash {
namespace {

std::string with(const std::vector<std::string>& overrides) {
  return complaint(kRequired, overrides);
}

TEST(ConfigChecks, LayerIds) {
  EXPECT_EQ(with({"drafter.target_layer_ids=[0, 2, 5]"}), "");
  EXPECT_NE(with({"drafter.target_layer_ids=[0, 2]", "drafter.num_captured_layers=2"}).find("exclude each other"),
            std::string::npos);
  EXPECT_NE(with({"drafter.target_layer_ids=[2, 2]"}).find("must ascend, none twice: 2 follows 2"), std::string::npos);
  EXPECT_NE(with({"drafter.target_layer_ids=[3, 1]"}).find("must ascend, none twice: 1 follows 3"), std::string::npos);
  EXPECT_NE(with({"drafter.target_layer_ids=[-1, 1]"}).find("holds -1: layers count from 0"), std::string::npos);
}

TEST(ConfigChecks, StepsOrEpochs) {
  EXPECT_EQ(with({"train.steps=5"}), "");
  EXPECT_EQ(with({"train.epochs=5"}), "");
  EXPECT_EQ(with({"train.epochs=5", "train.steps=0"}), "");
  EXPECT_TRUE(with({"train.epochs=5", "train.steps=5"}).starts_with("--set train.epochs=5: 'train.epochs' and"));
  EXPECT_TRUE(
      complaint(std::string(kRequired) + "[train]\nsteps = 5\nepochs = 1").starts_with("run.toml:13:10: 'train.ep"));
}

TEST(ConfigChecks, Heads) {
  EXPECT_EQ(with({"drafter.num_attention_heads=6", "drafter.num_key_value_heads=3"}), "");
  EXPECT_EQ(with({"drafter.num_key_value_heads=4"}), "");
  EXPECT_EQ(with({"drafter.num_attention_heads=6", "drafter.num_key_value_heads=4"}),
            "--set drafter.num_key_value_heads=4: 'drafter.num_key_value_heads' (4) must divide "
            "'drafter.num_attention_heads' (6)");
  EXPECT_EQ(with({"drafter.head_dim=64"}), "");
  EXPECT_NE(with({"drafter.head_dim=63"}).find("must be even"), std::string::npos);
}

TEST(ConfigChecks, LayerTypes) {
  EXPECT_EQ(with({"drafter.layer_types=sliding"}), "");
  EXPECT_EQ(with({"drafter.layer_types=[]"}), "");
  EXPECT_EQ(with({"drafter.layer_types=[\"sliding\"]", "drafter.num_layers=4"}), "");  // one for all
  const std::string two = "drafter.layer_types=[\"sliding\", \"full\"]";
  EXPECT_EQ(with({two, "drafter.num_layers=2"}), "");
  for (const char* layers : {"1", "3"}) {
    EXPECT_EQ(with({two, std::string("drafter.num_layers=") + layers}),
              "--set " + two + ": 'drafter.layer_types' names 2 layers, but 'drafter.num_layers' is " + layers +
                  ": give a word for each layer, or one for all");
  }
}

TEST(ConfigChecks, PinnedHostNeedsADevice) {
  EXPECT_EQ(with({"pipeline.channel=pinned_host", "run.device=sim"}), "");
  EXPECT_EQ(with({"pipeline.channel=shm", "run.device=sim"}), "");
  EXPECT_EQ(with({"pipeline.channel=pinned_host"}),
            "--set pipeline.channel=pinned_host: 'pipeline.channel' = pinned_host copies between devices and shared "
            "memory, but 'run.device' is cpu: use auto or shm, or set run.device");
}

TEST(ConfigChecks, NcclNeedsARunOnGpus) {
  EXPECT_EQ(with({"pipeline.channel=nccl", "run.device=cuda"}), "");
  EXPECT_EQ(with({"pipeline.channel=auto", "run.device=cuda"}), "");
  for (const std::string device : {"sim", "cpu"}) {
    EXPECT_EQ(with({"pipeline.channel=nccl", "run.device=" + device}),
              "--set pipeline.channel=nccl: 'pipeline.channel' = nccl joins workers that compute on GPUs, but "
              "'run.device' is " +
                  device + ": use auto, or set run.device = cuda");
  }
}

TEST(ConfigChecks, AWindowNeedsLayersThatSlide) {
  EXPECT_EQ(with({"drafter.sliding_window=64", "drafter.layer_types=sliding"}), "");
  EXPECT_EQ(with({"drafter.sliding_window=64", "drafter.layer_types=[\"full\", \"sliding\"]", "drafter.num_layers=2"}),
            "");
  EXPECT_EQ(with({"drafter.sliding_window=64"}),
            "--set drafter.sliding_window=64: 'drafter.sliding_window' has no effect: no layer slides; set "
            "drafter.layer_types");
  EXPECT_TRUE(complaint(std::string(kRequired) + "sliding_window = 64")
                  .starts_with("run.toml:11:18: 'drafter.sliding_window' has no effect"));
}

TEST(ConfigChecks, AWindowMayStayWhenLayersAreMadeFull) {
  EXPECT_EQ(with({"drafter.layer_types=full", "drafter.sliding_window=64"}), "");
  EXPECT_EQ(with({"drafter.layer_types=[]", "drafter.sliding_window=64"}), "");
}

TEST(ConfigChecks, AWindowHoldsABlock) {
  const std::vector<std::string> sliding = {"drafter.layer_types=sliding", "drafter.block_size=16"};
  EXPECT_EQ(with({sliding[0], sliding[1], "drafter.sliding_window=16"}), "");
  EXPECT_EQ(
      with({sliding[0], sliding[1], "drafter.sliding_window=15"}),
      "--set drafter.sliding_window=15: 'drafter.sliding_window' (15) must be at least 'drafter.block_size' (16): a "
      "window must not cut a block");
  EXPECT_NE(with({"drafter.layer_types=[\"full\", \"sliding\"]", "drafter.num_layers=2", "drafter.sliding_window=2"})
                .find("must be at least 'drafter.block_size'"),
            std::string::npos);
}

TEST(ConfigChecks, NoiseHasAnEffectOrIsRefused) {
  EXPECT_EQ(with({"train.noise=linear", "train.noise_from=0.1", "train.noise_steps=50"}), "");
  EXPECT_EQ(with({"train.noise=constant", "train.noise_from=0.1"}), "");
  EXPECT_EQ(with({"train.noise_from=0.1"}),
            "--set train.noise_from=0.1: 'train.noise_from' has no effect: 'train.noise' is none");
  EXPECT_EQ(with({"train.noise=constant", "train.noise_from=0.1", "train.noise_to=0.2"}),
            "--set train.noise_to=0.2: 'train.noise_to' has no effect: 'train.noise' is constant, its strength is "
            "noise_from");
  EXPECT_EQ(with({"train.noise=cosine"}),
            "--set train.noise=cosine: 'train.noise' has no effect: set train.noise_from (and noise_to) to a standard "
            "deviation");
}

TEST(ConfigChecks, Data) {
  EXPECT_EQ(with({"data.files=[]"}),
            "--set data.files=[]: 'data.files' is empty: name at least one file, or a folder of prepared documents "
            "(data.prepared) or recorded batches (data.recorded)");
  EXPECT_EQ(with({"data.pack_tokens=16"}), "");
  EXPECT_TRUE(with({"data.pack_tokens=16", "drafter.block_size=17"})
                  .starts_with(
                      "--set data.pack_tokens=16: 'data.pack_tokens' (16) must be at least 'drafter.block_size' (17)"));
}

}  // namespace
}  // namespace dflash
