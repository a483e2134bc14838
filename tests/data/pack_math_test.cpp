// What one thread of the pack kernel does, done by the host for every piece: the same source that nvcc compiles.
#include "common/data/pack_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>

#include "common/base/normal_numbers.h"
#include "common/data/marked_states.h"
#include "tests/data/pack_cases.h"

namespace dflash {
namespace {

/// As pack_kernel.cu, one piece after the other.
template <typename Word>
void run_job(const PackJob& job) {
  *job.not_finite = 0;
  const bool whole = has_whole_pieces<Word>(job);
  for (int64_t token = 0; token < job.tokens; ++token) {
    for (uint32_t piece = 0; piece < pieces_of_row<Word>(job); ++piece) {
      if (!pack_piece<Word>(job, whole, token, piece)) *job.not_finite = 1;
    }
  }
}
void run_job(const PackJob& job) {
  job.bf16 ? run_job<uint16_t>(job) : run_job<uint32_t>(job);
}

/// Aligned as device memory is.
class Block {
 public:
  explicit Block(size_t size_bytes) : memory_(size_bytes + 64) {
    void* begin = memory_.data();
    size_t room = memory_.size();
    bytes_ = {static_cast<std::byte*>(std::align(64, size_bytes, begin, room)), size_bytes};
  }
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> memory_;
  std::span<std::byte> bytes_;
};

std::vector<std::byte> copy_of(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

TEST(PackMath, HasTheBitsOfTheHostsOwnWay) {
  for (const PackCase& pack : pack_cases()) {
    SCOPED_TRACE(pack.name);
    const BatchLayout layout = pack.layout();
    const Block captured(layout.captured_bytes()), marked(marked_states_bytes(layout));
    std::ranges::copy(captured_of(pack), captured.bytes().begin());
    const PackJob job = pack_job(captured.bytes(), layout, pack.noise(), marked.bytes());
    run_job(job);
    const ExpectedStates expected = expected_states(pack);
    EXPECT_EQ(copy_of(marked.bytes().subspan(kMarkBytes)), expected.states);
    EXPECT_EQ(read_mark(marked.bytes()), expected.finite);
    EXPECT_EQ(expected.finite, pack.finite);
  }
}

TEST(PackMath, NoiseInPlaceIsTheNoiseOfPacking) {
  for (const PackCase& pack : pack_cases()) {
    if (pack.split || pack.strength == 0) continue;
    SCOPED_TRACE(pack.name);
    const BatchLayout layout = pack.layout();
    const Block packed(layout.captured_bytes()), mark(kMarkBytes);
    ASSERT_EQ(pack.finite, pack_hidden_states_from_captured(captured_of(pack), layout, {}, packed.bytes()));
    run_job(noise_job(packed.bytes(), layout, pack.noise(), mark.bytes()));
    EXPECT_EQ(copy_of(packed.bytes()), expected_states(pack).states);
  }
}

TEST(PackMath, QuadsAreTheNormalNumbers) {
  const NormalNumbers numbers(11, RandomPurpose::state_noise, 5);
  const NumberStream stream{{numbers.key()[0], numbers.key()[1]}, {numbers.stream()[0], numbers.stream()[1]}};
  std::vector<float> expected(4096);
  numbers.fill(77, 0, expected);
  for (uint32_t block = 0; block < expected.size() / 4; ++block) {
    float quad[4];
    normal_quad(stream, 77, block, quad);
    for (size_t i = 0; i < 4; ++i) ASSERT_EQ(bits_of(quad[i]), bits_of(expected[4 * block + i])) << block;
  }
}

}  // namespace
}  // namespace dflash
