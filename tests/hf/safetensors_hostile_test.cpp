// Files that were made to do harm, or came to harm: each is refused by an Error that says why, none crashes the reader.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <random>

#include "common/hf/safetensors.h"
#include "tests/hf/safetensors_text.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

/// A file in memory: ten thousand rewrites of one on a disk take half a minute.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("model.safetensors", MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }

  void set(const std::string& text) {
    ASSERT_EQ(ftruncate(descriptor_, 0), 0);
    ASSERT_EQ(pwrite(descriptor_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

struct BadFile {
  std::string text;
  std::string complaint;
};

/// A header with one tensor "t" of these fields, before 8 bytes of data.
BadFile bad_tensor(const std::string& fields, const std::string& complaint) {
  return {safetensors_text(R"({"t":)" + fields + "}", 8), complaint};
}

std::vector<BadFile> bad_frames() {
  const std::string good = R"({"t":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})";
  return {{"", "0 bytes are no safetensors file"},
          {"1234567", "7 bytes are no safetensors file"},
          {with_length(0, ""), "does not begin with '{'"},
          {with_length(uint64_t{1} << 62, good), "at most"},
          {with_length(~uint64_t{0}, good), "at most"},
          {with_length(uint64_t{101} << 20, good), "at most"},
          {with_length(good.size() + 1, good), "cut short"},
          {safetensors_text(" {}", 0), "does not begin with '{'"},
          {safetensors_text("[]", 0), "does not begin with '{'"},
          {safetensors_text(std::string("{}\0x", 4), 0), "zero byte"},
          {safetensors_text("{} x", 0), "not JSON"},
          {safetensors_text("{\"a\xff\":1}", 0), "not JSON"},
          {safetensors_text(R"({"t":{"dtype":"U8","dtype":"U8"}})", 8), "key 'dtype' stands twice"},
          {safetensors_text(R"({"t":)" + good + R"(,"t":)" + good + "}", 8), "key 't' stands twice"},
          {safetensors_text("{\"a\":" + std::string(1000, '[') + std::string(1000, ']') + "}", 0), "nests deeper"},
          {safetensors_text("{}", 8), "8 bytes behind the last tensor"},
          {safetensors_text(good, 9), "1 bytes behind the last tensor"},
          {safetensors_text(good, 7), "leave the 7 bytes"},
          {safetensors_text(R"({"__metadata__":{"format":1}})", 0), "'format' is no string"},
          {safetensors_text(R"({"__metadata__":{"format":{"a":"b"}}})", 0), "'format' is no string"},
          {safetensors_text(R"({"__metadata__":"pt"})", 0), "__metadata__ is no object"}};
}

std::vector<BadFile> bad_tensors() {
  return {bad_tensor("[]", "tensor 't': expected an object"),
          bad_tensor("null", "tensor 't': expected an object"),
          bad_tensor(R"({"shape":[8],"data_offsets":[0,8]})", "'dtype' is missing"),
          bad_tensor(R"({"dtype":"U8","data_offsets":[0,8]})", "'shape' is missing"),
          bad_tensor(R"({"dtype":"U8","shape":[8]})", "'data_offsets' is missing"),
          bad_tensor(R"({"dtype":"U8","shape":[8],"data_offsets":[0,8],"x":1})", "unknown field 'x'"),
          bad_tensor(R"({"dtype":"F4","shape":[16],"data_offsets":[0,8]})", "dtype 'F4' is not supported"),
          bad_tensor(R"({"dtype":"F8_E8M0","shape":[8],"data_offsets":[0,8]})", "dtype 'F8_E8M0'"),
          bad_tensor(R"({"dtype":7,"shape":[8],"data_offsets":[0,8]})", "dtype is no string"),
          bad_tensor(R"({"dtype":"U8","shape":8,"data_offsets":[0,8]})", "shape is no list"),
          bad_tensor(R"({"dtype":"U8","shape":[-8],"data_offsets":[0,8]})", "dimension -8"),
          bad_tensor(R"({"dtype":"U8","shape":[8.0],"data_offsets":[0,8]})", "dimension 8.0"),
          bad_tensor(R"({"dtype":"U8","shape":["8"],"data_offsets":[0,8]})", "dimension \"8\""),
          bad_tensor(R"({"dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,8]})", "dimension 9223372"),
          bad_tensor(R"({"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]})", "is too large"),
          bad_tensor(R"({"dtype":"F64","shape":[2305843009213693953],"data_offsets":[0,8]})", "is too large"),
          bad_tensor(R"({"dtype":"U8","shape":[7],"data_offsets":[0,8]})", "span 8 bytes, shape [7] of U8 takes 7"),
          bad_tensor(R"({"dtype":"F32","shape":[8],"data_offsets":[0,8]})", "span 8 bytes, shape [8] of F32 takes 32"),
          bad_tensor(R"({"dtype":"U8","shape":[8],"data_offsets":[8,0]})", "leave the 8 bytes"),
          bad_tensor(R"({"dtype":"U8","shape":[8],"data_offsets":[1,9]})", "leave the 8 bytes"),
          bad_tensor(R"({"dtype":"U8","shape":[8],"data_offsets":[-1,7]})", "data offset -1"),
          bad_tensor(R"({"dtype":"U8","shape":[8],"data_offsets":[18446744073709551615,8]})", "data offset 1844674"),
          bad_tensor(R"({"dtype":"U8","shape":[8],"data_offsets":[0]})", "expected [begin, end]"),
          bad_tensor(R"({"dtype":"U8","shape":[8],"data_offsets":[0,8,8]})", "expected [begin, end]"),
          bad_tensor(R"({"dtype":"U8","shape":[8],"data_offsets":"0,8"})", "expected [begin, end]"),
          bad_tensor(R"({"dtype":"U8","shape":[7],"data_offsets":[1,8]})", "hole of 1 bytes before tensor 't'"),
          bad_tensor(R"({"dtype":"U8","shape":[4],"data_offsets":[0,4]})", "4 bytes behind the last tensor"),
          {safetensors_text(R"({"a":{"dtype":"U8","shape":[5],"data_offsets":[0,5]},)"
                            R"("b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
                            8),
           "tensor 'b': its data overlaps"},
          {safetensors_text(R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},)"
                            R"("b":{"dtype":"U8","shape":[0],"data_offsets":[4,4]}})",
                            8),
           "tensor 'b': its data overlaps"},
          {safetensors_text(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
                            R"("b":{"dtype":"U8","shape":[3],"data_offsets":[5,8]}})",
                            8),
           "hole of 2 bytes before tensor 'b'"}};
}

TEST(SafetensorsHostile, EveryBrokenHeaderIsRefusedByName) {
  MemoryFile memory;
  std::vector<BadFile> files = bad_frames();
  const std::vector<BadFile> more = bad_tensors();
  files.insert(files.end(), more.begin(), more.end());
  for (const BadFile& file : files) {
    memory.set(file.text);
    expect_error(ErrorKind::input_file, file.complaint, [&] { SafetensorsFile opened(memory.path()); });
    expect_error(ErrorKind::input_file, memory.path(), [&] { SafetensorsFile opened(memory.path()); });
  }
}

/// Reads all that the file offers; the sum keeps the reads from being left out.
int sum_of_bytes(const SafetensorsFile& file) {
  int sum = 0;
  for (const auto& [name, view] : file.tensors()) {
    EXPECT_EQ(view.bytes.size(), static_cast<size_t>(view.element_count()) * dtype_bytes(view.dtype));
    for (const std::byte byte : view.bytes) sum += static_cast<int>(byte);
  }
  return sum;
}

TEST(SafetensorsHostile, FlippedBytesNeverCrash) {
  MemoryFile memory;
  const std::string good = safetensors_text(R"({"__metadata__":{"format":"pt"},)"
                                            R"("w":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]},)"
                                            R"("x":{"dtype":"F32","shape":[4],"data_offsets":[12,28]}})",
                                            28);
  int refused = 0, read = 0, sum = 0;
  for (uint32_t seed = 0; seed < 10'000; ++seed) {
    std::mt19937 random(seed);
    std::string text = good;
    for (uint32_t flips = random() % 4 + 1; flips > 0; --flips)
      text[random() % text.size()] = static_cast<char>(random());
    if (seed % 7 == 0) text.resize(random() % text.size());
    memory.set(text);
    try {
      sum += sum_of_bytes(SafetensorsFile(memory.path()));
      ++read;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input_file) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 5000);  // most flips hit the header
  EXPECT_GT(read, 100);      // some only the data
  EXPECT_GT(sum, 0);
}

}  // namespace
}  // namespace dflash
