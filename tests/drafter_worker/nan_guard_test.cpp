#include "drafter_worker/nan_guard.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tiny_run.h"

namespace dflash {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(TensorStatistics, CountWhatIsNotFiniteAndLeaveItOut) {
  const Json statistics = tensor_statistics(at::tensor({1.0F, kNan, -3.0F, kInfinity, 5.0F, -kInfinity}));
  EXPECT_EQ(statistics.dump(), R"({"min":-3.0,"max":5.0,"mean":1.0,"nan":1,"inf":2})");
  EXPECT_EQ(tensor_statistics(at::tensor({kNan})).dump(), R"({"min":null,"max":null,"mean":null,"nan":1,"inf":0})");
}

TEST(CapturedStatistics, AreThoseOfEachLayerInBothLayouts) {
  for (const bool split : {false, true}) {
    const BatchLayout layout = make_batch_layout(2, 3, {4, 9}, DType::f32, split);
    std::vector<std::byte> slot(layout.slot_bytes);
    auto* values = reinterpret_cast<float*>(slot.data() + layout.captured_offset);
    for (int i = 0; i < 12; ++i) values[i] = static_cast<float>(i);
    values[11] = kNan;  // the last of layer 9, packed and split
    const auto statistics = captured_statistics(slot, layout);
    EXPECT_EQ(statistics.at("layer 4").at("nan"), 0);
    EXPECT_EQ(statistics.at("layer 9").at("nan"), 1);
    EXPECT_EQ(statistics.at("layer 4").at("max"), split ? 5.0 : 8.0);
    EXPECT_EQ(statistics.at("layer 9").at("min"), split ? 6.0 : 3.0);
  }
}

TEST(NanGuard, WritesALineForEachBatch) {
  const TempFolder folder;
  NanGuard guard(folder.path(), 2);
  guard.write(7, 12, "why", {{"layer 4", {{"nan", 3}}}});
  guard.write(8, 20, "why not", {});
  const std::vector<Json> lines = test::json_lines(folder.path() / "bad_batches.jsonl");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].dump(), R"({"step":7,"sequence":12,"drafter":2,"reason":"why","tensors":{"layer 4":{"nan":3}}})");
  EXPECT_EQ(lines[1].at("sequence"), 20);
}

TEST(NanGuard, EndsTheRunAtTheThirdStepInARow) {
  const TempFolder folder;
  NanGuard guard(folder.path(), 0);
  for (const int64_t step : {1, 2}) guard.count(step, true);
  guard.count(3, false);  // a good one between
  for (const int64_t step : {4, 5}) guard.count(step, true);
  const Error error = error_of([&] { guard.count(6, true); });
  EXPECT_EQ(error.kind(), ErrorKind::not_finite);
  EXPECT_TRUE(says(error, {"steps 4 to 6", "bad_batches.jsonl"}));
}

TEST(NanGuard, SaysThatItCannotWrite) {
  NanGuard guard("/proc/no-such-folder", 0);
  EXPECT_TRUE(says(error_of([&] { guard.write(1, 1, "why", {}); }), {"bad_batches.jsonl"}));
}

}  // namespace
}  // namespace dflash
