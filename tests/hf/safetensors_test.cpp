#include "common/hf/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>

#include "common/base/error.h"
#include "tests/hf/safetensors_text.h"
#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

const fs::path kGolden = test::source_dir() / "tests" / "golden";

float first_float(const TensorView& view) {
  float value = 0;
  std::memcpy(&value, view.bytes.data(), sizeof(value));
  return value;
}

TensorView view_of(DType dtype, std::vector<int64_t> shape, const std::string& bytes) {
  return {dtype, std::move(shape), std::as_bytes(std::span(bytes))};
}

TEST(Safetensors, ReadsAReferenceFile) {
  const SafetensorsFile file(kGolden / "target" / "qwen3-fp32" / "model.safetensors");
  EXPECT_EQ(file.metadata(), (std::map<std::string, std::string>{{"format", "pt"}}));
  EXPECT_EQ(file.tensors().size(), 46u);
  const TensorView& embedding = file.tensors().at("model.embed_tokens.weight");
  EXPECT_EQ(embedding.dtype, DType::f32);
  EXPECT_EQ(embedding.shape, (std::vector<int64_t>{160, 48}));
  EXPECT_EQ(embedding.element_count(), 160 * 48);
  EXPECT_EQ(first_float(embedding), 0.3018033802509308f);  // read with another program
  EXPECT_EQ(first_float(file.tensors().at("model.norm.weight")), 1.1301360130310059f);
}

TEST(Safetensors, ReadsBfloat16) {
  const SafetensorsFile file(kGolden / "target" / "qwen3-bf16" / "model.safetensors");
  const TensorView& head = file.tensors().at("lm_head.weight");
  EXPECT_EQ(head.dtype, DType::bf16);
  EXPECT_EQ(head.bytes.size(), 128u * 96 * 2);
  EXPECT_EQ(std::memcmp(head.bytes.data(), "\xb5\xbd\xaa\x3e", 4), 0);
}

TEST(Safetensors, WritesTheReferenceFileByteForByte) {
  const fs::path reference = kGolden / "drafter" / "12_decode" / "model.safetensors";
  const TempFolder folder;
  write_safetensors(folder.path() / "model.safetensors", SafetensorsFile(reference).tensors());
  EXPECT_EQ(read_text(folder.path() / "model.safetensors"), read_text(reference));
}

TEST(Safetensors, HeaderIsPaddedToEightBytes) {
  for (const size_t length : {1, 2, 3, 4, 5, 6, 7, 8}) {
    const TempFolder folder;
    const fs::path path = folder.path() / "a";
    write_safetensors(path, {{std::string(length, 'n'), view_of(DType::u8, {3}, "abc")}});
    const std::string text = read_text(path);
    EXPECT_EQ((text.size() - 3) % 8, 0u);
    EXPECT_EQ(static_cast<unsigned char>(text[0]) % 8, 0);
    EXPECT_TRUE(text.ends_with("abc"));
  }
}

TEST(Safetensors, ScalarsAndEmptyTensorsComeBack) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a";
  write_safetensors(path, {{"b.scalar", view_of(DType::i16, {}, "xy")},
                           {"a.empty", view_of(DType::f32, {0, 7}, "")},
                           {"c.empty", view_of(DType::f64, {3, 0}, "")},
                           {"d", view_of(DType::boolean, {1, 3}, std::string("\0\1\0", 3))}});
  const SafetensorsFile file(path);
  EXPECT_EQ(file.tensors().size(), 4u);
  EXPECT_EQ(file.tensors().at("a.empty").shape, (std::vector<int64_t>{0, 7}));
  EXPECT_EQ(file.tensors().at("a.empty").element_count(), 0);
  EXPECT_EQ(file.tensors().at("b.scalar").shape, std::vector<int64_t>{});
  EXPECT_EQ(file.tensors().at("b.scalar").element_count(), 1);
  EXPECT_EQ(std::memcmp(file.tensors().at("b.scalar").bytes.data(), "xy", 2), 0);
  EXPECT_EQ(file.tensors().at("d").element_count(), 3);
}

TEST(Safetensors, ReadsWhatOthersMayWrite) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a";
  // Odd header length (unaligned data), tensors out of order, no metadata, padding behind the header.
  write_text(path, safetensors_text(R"({"z":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                                    R"("a":{"shape":[2,1],"data_offsets":[4,6],"dtype":"I8"}}   )",
                                    6));
  const SafetensorsFile file(path);
  EXPECT_TRUE(file.metadata().empty());
  EXPECT_EQ(file.tensors().at("a").bytes.data() - file.tensors().at("z").bytes.data(), 4);
  write_text(path, safetensors_text("{}", 0));
  EXPECT_TRUE(SafetensorsFile(path).tensors().empty());
}

TEST(Safetensors, FailedWriteLeavesNothing) {
  const TempFolder folder;
  fs::create_directory(folder.path() / "taken");
  write_text(folder.path() / "taken" / "inside", "kept");
  expect_error(ErrorKind::checkpoint, "cannot rename",
               [&] { write_safetensors(folder.path() / "taken", {{"a", view_of(DType::u8, {1}, "a")}}); });
  expect_error(ErrorKind::checkpoint, "cannot create",
               [&] { write_safetensors(folder.path() / "no" / "a", {{"a", view_of(DType::u8, {1}, "a")}}); });
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(Safetensors, FullDiskIsSaid) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  const TempFolder folder;
  // The temporary file of this process is a link to a device that is always full.
  const std::string name = "a." + std::to_string(getpid()) + ".tmp";
  fs::create_symlink("/dev/full", folder.path() / name);
  expect_error(ErrorKind::no_space, "cannot write",
               [&] { write_safetensors(folder.path() / "a", {{"a", view_of(DType::u8, {1}, "a")}}); });
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Safetensors, WriterRefusesAViewThatLies) {
  const TempFolder folder;
  expect_error(ErrorKind::internal, "'a'",
               [&] { write_safetensors(folder.path() / "a", {{"a", view_of(DType::f32, {2}, "1234567")}}); });
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace dflash
