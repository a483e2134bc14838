#include "common/train/training_state.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "common/base/json.h"
#include "common/plan/memory_plan.h"
#include "tests/support/errors.h"
#include "tests/support/golden_drafter.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

TEST(TrainingState, WritesTheDrafterInTheExportedFormAndTheMomentsByName) {
  test::GoldenDrafter golden("01_basic");
  Optimizer optimizer(golden.parameters.values(), {});
  const at::Tensor gradients = at::arange(golden.parameters.values().numel(), at::kFloat) + 1;
  (void)optimizer.step(gradients.clone(), 1.0, 1e-3);
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() / "state");
  std::filesystem::create_directories(folder.path() / "drafter");
  const auto files = write_training_state(folder.path(), golden.config, golden.parameters, optimizer, {1, 4});
  EXPECT_EQ(files.size(), 4U);
  for (const std::string& file : files) EXPECT_TRUE(std::filesystem::exists(folder.path() / file)) << file;

  const test::Tensors drafter = read_tensor_file(folder.path() / "drafter/model.safetensors");
  EXPECT_EQ(drafter.size(), golden.parameters.leaves().size());
  for (const auto& [name, leaf] : golden.parameters.leaves())
    EXPECT_TRUE(drafter.at(name).equal(leaf.detach())) << name;
  EXPECT_EQ(read_drafter_config(folder.path() / "drafter").target_layer_ids, golden.config.target_layer_ids);

  const test::Tensors moments = read_tensor_file(folder.path() / "state/optimizer.safetensors");
  EXPECT_EQ(moments.size(), 2 * drafter.size());
  const at::Tensor expected = golden.parameters.views_of(optimizer.first_moment()).at("fc.weight");
  EXPECT_TRUE(moments.at("first_moment.fc.weight").equal(expected));
  const Json position = read_json_file(folder.path() / "state/position.json");
  EXPECT_EQ(position["step"], 1);
  EXPECT_EQ(position["next_sequence"], 4);
  EXPECT_EQ(position["optimizer_steps"], 1);
}

/// A drafter and its optimizer, trained on made-up gradients that depend on the step alone.
class Trained {
 public:
  explicit Trained(const DrafterConfig& drafter) : config(drafter), parameters(config) {
    parameters.initialize(7, 1.0);
  }
  void train(int64_t first, int64_t last) {
    const at::Tensor indices = at::arange(parameters.values().numel(), at::kDouble);
    for (int64_t step = first; step <= last; ++step) {
      const at::Tensor gradients = at::sin(indices * (1.0 + 0.37 * static_cast<double>(step))).to(at::kFloat);
      (void)optimizer.step(gradients, 3.0, 1e-2 / static_cast<double>(step));
    }
  }
  [[nodiscard]] std::vector<std::string> write(const std::filesystem::path& folder, const TrainingPosition& position) {
    for (const char* part : {"state", "drafter"}) std::filesystem::create_directories(folder / part);
    return write_training_state(folder, config, parameters, optimizer, position);
  }

  DrafterConfig config;
  DrafterParameters parameters;
  Optimizer optimizer{parameters.values(), {.weight_decay = 0.1, .max_grad_norm = 0.5}};
};

void expect_same_bits(const Trained& a, const Trained& b) {
  EXPECT_TRUE(a.parameters.values().equal(b.parameters.values()));
  EXPECT_TRUE(a.optimizer.first_moment().equal(b.optimizer.first_moment()));
  EXPECT_TRUE(a.optimizer.second_moment().equal(b.optimizer.second_moment()));
  EXPECT_EQ(a.optimizer.steps_done(), b.optimizer.steps_done());
}

TEST(TrainingState, AReaderGoesOnWithTheSameBits) {
  const DrafterConfig config = read_drafter_config(test::golden_folder("drafter/01_basic"));
  const TempFolder folder;
  Trained unbroken(config);
  unbroken.train(1, 5);
  (void)unbroken.write(folder.path(), {6, 12});  // one of the six steps had nothing to train on
  Trained resumed(config);
  resumed.train(1, 2);  // what stood there before must not matter
  const TrainingPosition position = read_training_state(folder.path(), resumed.parameters, resumed.optimizer);
  EXPECT_EQ(position.step, 6);
  EXPECT_EQ(position.next_sequence, 12);
  EXPECT_EQ(resumed.optimizer.steps_done(), 5);
  expect_same_bits(unbroken, resumed);
  EXPECT_TRUE(resumed.parameters.at("fc.weight").detach().equal(unbroken.parameters.at("fc.weight").detach()));
  EXPECT_TRUE(resumed.parameters.at("fc.weight").requires_grad());
  const at::Tensor at_checkpoint = unbroken.parameters.values().clone();
  unbroken.train(7, 10);
  resumed.train(7, 10);
  EXPECT_FALSE(at_checkpoint.equal(unbroken.parameters.values()));
  expect_same_bits(unbroken, resumed);
}

TEST(TrainingState, TakesTheBytesThatThePlanForetells) {
  for (const char* name : {"01_basic", "05_gqa_head_dim"}) {
    const DrafterConfig config = read_drafter_config(test::golden_folder(std::string("drafter/") + name));
    const TempFolder folder;
    int64_t bytes = 0;
    for (const std::string& file : Trained(config).write(folder.path(), {0, 0})) {
      if (file == "state/position.json") continue;
      bytes += static_cast<int64_t>(std::filesystem::file_size(folder.path() / file));
    }
    EXPECT_EQ(drafter_checkpoint_bytes(config), bytes) << name;
  }
}

class HostileTrainingState : public testing::Test {
 protected:
  HostileTrainingState() { (void)trained_.write(folder_.path(), {1, 2}); }
  void refuse(const std::vector<std::string>& words) {
    const Error error =
        error_of([&] { (void)read_training_state(folder_.path(), trained_.parameters, trained_.optimizer); });
    EXPECT_EQ(error.kind(), ErrorKind::checkpoint) << error.what();
    EXPECT_TRUE(says(error, words));
  }
  /// Writes the file again with `change` made to its tensors, and expects a complaint; then puts it back.
  template <typename Change>
  void refuse_tensors(const std::string& file, const Change& change, std::vector<std::string> words) {
    const std::filesystem::path path = folder_.path() / file;
    const std::string before = read_text(path);
    test::Tensors tensors = read_tensor_file(path);
    change(tensors);
    write_tensor_file(path, tensors);
    words.push_back(file);
    refuse(words);
    write_text(path, before);
  }

  TempFolder folder_;
  Trained trained_{read_drafter_config(test::golden_folder("drafter/01_basic"))};
};

TEST_F(HostileTrainingState, TensorsThatDoNotFit) {
  for (const auto& [file, prefix] : {std::pair<std::string, std::string>{"drafter/model.safetensors", ""},
                                     {"state/optimizer.safetensors", "first_moment."},
                                     {"state/optimizer.safetensors", "second_moment."}}) {
    const std::string name = prefix + "norm.weight";
    refuse_tensors(file, [&](auto& tensors) { tensors.erase(name); }, {"'" + name + "' is missing"});
    refuse_tensors(file, [&](auto& tensors) { tensors["other"] = at::zeros({1}); }, {"'other' is of no parameter"});
    refuse_tensors(file, [&](auto& tensors) { tensors[name] = tensors[name].to(at::kBFloat16); }, {"BF16", "F32"});
    refuse_tensors(file, [&](auto& tensors) { tensors[name] = at::zeros({1, 2}); }, {name, "shape [1, 2], expected ["});
  }
  EXPECT_NO_THROW((void)read_training_state(folder_.path(), trained_.parameters, trained_.optimizer));
}

TEST_F(HostileTrainingState, FilesThatAreNone) {
  for (const char* file : {"drafter/model.safetensors", "state/optimizer.safetensors", "state/position.json"}) {
    const std::filesystem::path path = folder_.path() / file;
    const std::string before = read_text(path);
    write_text(path, before.substr(0, before.size() / 2));
    refuse({file});
    std::filesystem::remove(path);
    refuse({file, "No such file"});
    write_text(path, before);
  }
}

TEST_F(HostileTrainingState, CountersThatCannotBe) {
  const auto position = [&](const std::string& text) { write_text(folder_.path() / "state/position.json", text); };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"([])", "step"},
      {R"({"step":1,"next_sequence":2})", "optimizer_steps"},
      {R"({"step":-1,"next_sequence":2,"optimizer_steps":0})", "step"},
      {R"({"step":1.5,"next_sequence":2,"optimizer_steps":0})", "step"},
      {R"({"step":null,"next_sequence":2,"optimizer_steps":0})", "step"},
      {R"({"step":1,"next_sequence":18446744073709551615,"optimizer_steps":0})", "next_sequence"},
      {R"({"step":1,"next_sequence":2,"optimizer_steps":2})", "optimizer_steps"}};
  for (const auto& [text, key] : cases) {
    position(text);
    refuse({"position.json", "'" + key + "'"});
  }
}

}  // namespace
}  // namespace dflash
