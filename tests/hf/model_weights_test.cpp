#include "common/hf/model_weights.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "common/hf/weight_headers.h"
#include "tests/hf/safetensors_text.h"
#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

const fs::path kTargets = test::source_dir() / "tests" / "golden" / "target";

/// A safetensors file with one tensor of two bytes.
void write_shard(const fs::path& path, const std::string& tensor) {
  write_text(path, safetensors_text(R"({")" + tensor + R"(":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 2));
}

void write_index(const fs::path& folder, const std::string& weight_map) {
  write_text(folder / "model.safetensors.index.json",
             R"({"metadata":{"total_size":4},"weight_map":)" + weight_map + "}");
}

void expect_refused(const fs::path& folder, const std::string& part_of_message) {
  expect_error(ErrorKind::input_file, part_of_message, [&] { ModelWeights weights(folder); });
}

TEST(ModelWeights, ShardsHoldTheSameAsOneFile) {
  ModelWeights one(kTargets / "qwen3-fp32"), sharded(kTargets / "qwen3-sharded");
  EXPECT_EQ(one.names(), sharded.names());
  EXPECT_EQ(one.names().size(), 46u);
  const SafetensorsFile file(kTargets / "qwen3-fp32" / "model.safetensors");
  for (const auto& [name, view] : file.tensors()) {
    EXPECT_TRUE(sharded.contains(name));
    EXPECT_TRUE(std::ranges::equal(one.tensor(name, view.shape).bytes, view.bytes)) << name;
    EXPECT_TRUE(std::ranges::equal(sharded.tensor(name, view.shape).bytes, view.bytes)) << name;
  }
}

TEST(ModelWeights, MissingTensorAndWrongShapeAreNamed) {
  ModelWeights weights(kTargets / "qwen3-fp32");
  EXPECT_FALSE(weights.contains("lm_head.weight"));
  expect_error(ErrorKind::input_file, "no tensor 'lm_head.weight'",
               [&] { (void)weights.tensor("lm_head.weight", {160, 48}); });
  expect_error(ErrorKind::input_file, "'model.norm.weight' has shape [48], expected [1, 48]",
               [&] { (void)weights.tensor("model.norm.weight", {1, 48}); });
  EXPECT_EQ(weights.tensor("model.norm.weight").element_count(), 48);
}

TEST(ModelWeights, IndexGoesBeforeASingleFile) {
  const TempFolder folder;
  write_shard(folder.path() / "model.safetensors", "old");
  write_shard(folder.path() / "model-00001-of-00001.safetensors", "new");
  write_index(folder.path(), R"({"new":"model-00001-of-00001.safetensors"})");
  EXPECT_EQ(ModelWeights(folder.path()).names(), std::vector<std::string>{"new"});
}

TEST(ModelWeights, OnlyShardsThatAreAskedForAreOpened) {
  const TempFolder folder;
  write_shard(folder.path() / "good.safetensors", "a");
  write_text(folder.path() / "broken.safetensors", "?");
  write_index(folder.path(), R"({"a":"good.safetensors","b":"broken.safetensors"})");
  ModelWeights weights(folder.path());
  EXPECT_EQ(weights.tensor("a", {2}).bytes.size(), 2u);
  expect_error(ErrorKind::input_file, "broken.safetensors", [&] { (void)weights.tensor("b", {2}); });
}

TEST(ModelWeights, TensorMustBeInTheShardThatTheIndexSays) {
  const TempFolder folder;
  write_shard(folder.path() / "s1.safetensors", "a");
  write_index(folder.path(), R"({"a":"s1.safetensors","b":"s1.safetensors"})");
  ModelWeights weights(folder.path());
  expect_error(ErrorKind::input_file, "tensor 'b' is not in 's1.safetensors'", [&] { (void)weights.tensor("b", {2}); });
}

TEST(ModelWeights, NamesInAnIndexMayNotLeaveTheFolder) {
  const TempFolder folder;
  write_shard(folder.path() / "secret.safetensors", "a");
  const fs::path model = folder.path() / "model";
  for (const std::string name : {"../secret.safetensors", "/etc/passwd", "sub/x.safetensors", "..", ".", "", "a..b",
                                 "./x.safetensors", "x\\u0000.safetensors"}) {
    write_index(model, R"({"a":")" + name + R"("})");
    expect_refused(model, "no plain file name");
  }
}

TEST(ModelWeights, BrokenIndexesAreRefused) {
  const TempFolder folder;
  const std::vector<std::pair<std::string, std::string>> rows{
      {R"({"a":"absent.safetensors"})", "no file 'absent.safetensors'"},
      {R"({"a":7})", "'a': expected a file name"},
      {"[]", "expected an object with weight_map"},
      {"{}", "weight_map is empty"},
      {R"({"a":"x","a":"y"})", "stands twice"}};
  for (const auto& [weight_map, complaint] : rows) {
    write_index(folder.path(), weight_map);
    expect_refused(folder.path(), complaint);
  }
  write_text(folder.path() / "model.safetensors.index.json", "[1]");
  expect_refused(folder.path(), "expected an object with weight_map");
}

TEST(ModelWeights, LinksOfTheUserAreFollowed) {
  const TempFolder store, folder;
  write_shard(store.path() / "blob1", "a");
  write_shard(store.path() / "blob2", "b");
  fs::create_symlink(store.path() / "blob1", folder.path() / "model.safetensors");
  EXPECT_EQ(ModelWeights(folder.path()).tensor("a", {2}).bytes.size(), 2u);
  fs::create_symlink(store.path() / "blob2", folder.path() / "s1.safetensors");
  write_index(folder.path(), R"({"b":"s1.safetensors"})");
  EXPECT_EQ(ModelWeights(folder.path()).tensor("b", {2}).bytes.size(), 2u);
}

TEST(ModelWeights, BrokenLinkIsNamed) {
  const TempFolder folder;
  fs::create_symlink("gone", folder.path() / "model.safetensors");
  expect_refused(folder.path(), "model.safetensors: cannot open");
}

/// What the file system refuses to look at is an Error, too.
TEST(ModelWeights, WhatCannotBeLookedAtIsRefused) {
  const TempFolder folder;
  fs::create_symlink("loop", folder.path() / "loop");
  expect_refused(folder.path() / "loop", "no such folder");
  write_index(folder.path(), R"({"a":")" + std::string(300, 'x') + R"("})");
  expect_refused(folder.path(), "there is no file 'xxx");
}

/// Sheds root's rights, which no permission stops; false when this process may not.
bool become_nobody() {
  constexpr uid_t kNobody = 65534;
  return geteuid() != 0 || seteuid(kNobody) == 0;
}

TEST(ModelWeights, AFolderThatCannotBeListedIsRefused) {
  const TempFolder folder;
  const fs::path locked = folder.path() / "locked";
  fs::create_directories(locked);
  constexpr auto kEnterOnly = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  for (const fs::path& path : {locked, folder.path()}) fs::permissions(path, kEnterOnly);
  const uid_t before = geteuid();
  const bool shed = become_nobody();
  if (shed) {
    expect_refused(locked, "the folder cannot be read: Permission denied");
    EXPECT_EQ(read_weight_headers(locked).problems.size(), 1u);
  }
  ASSERT_EQ(seteuid(before), 0);
  for (const fs::path& path : {folder.path(), locked}) fs::permissions(path, fs::perms::owner_all);
  if (!shed) GTEST_SKIP() << "root that may not become another user";
}

TEST(ModelWeights, OtherFormatsAreRefusedWithAdvice) {
  const TempFolder folder;
  expect_refused(folder.path() / "absent", "no such folder");
  expect_refused(folder.path(), "no weights here");
  write_text(folder.path() / "model.Q4_K.gguf", "GGUF");
  expect_refused(folder.path(), "GGUF is not read");
  fs::remove(folder.path() / "model.Q4_K.gguf");
  write_text(folder.path() / "pytorch_model.bin", "PK");
  expect_refused(folder.path(), "safe_serialization=True");
  expect_refused(folder.path() / "pytorch_model.bin", "no such folder");
}

}  // namespace
}  // namespace dflash
