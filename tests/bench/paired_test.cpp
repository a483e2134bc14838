#include "tests/bench/paired.h"

#include <gtest/gtest.h>

#include "common/base/json.h"
#include "tests/bench/bench_table.h"
#include "tests/support/temp_folder.h"

namespace dflash::bench {
namespace {

TEST(Paired, ComparesNeighbours) {
  // The machine gets slower by the round; the ratios do not.
  const Paired paired = pair_up({1, 2, 2, 1, 3, 6, 6, 3, 10, 20, 30, 10});
  EXPECT_EQ(paired.ratio, 2);
  EXPECT_EQ(paired.worst, 3);
  EXPECT_EQ(paired.a, 3);
  EXPECT_EQ(paired.control, 1);
  EXPECT_TRUE(paired.trusted());
}

TEST(Paired, CallsInTheOrderABBA) {
  std::string order;
  (void)measure_paired(
      [&] {
        order += 'A';
        return 1.0;
      },
      [&] {
        order += 'B';
        return 1.0;
      },
      2);
  EXPECT_EQ(order, "ABBAABBA");
}

TEST(BenchTable, GivesNoVerdictOnAMachineThatIsNotQuiet) {
  const TempFolder folder;
  BenchTable table("some");
  table.add("quiet", "s", "the other", pair_up({1, 2, 2, 1}), Goal{2.5, true});
  table.add("quiet, missed", "s", "the other", pair_up({1, 2, 2, 1}), Goal{2.5});
  table.add("not quiet", "s", "the other", pair_up({1, 2, 2, 1.1}), Goal{2.5, true});
  table.add("without a goal", "s", "the other", pair_up({1, 2, 2, 1}), std::nullopt);
  table.write(folder.path());
  const Json rows = read_json_file(folder.path() / "some.json").at("rows");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].at("met"), true);
  EXPECT_EQ(rows[0].at("ratio"), 2.0);
  EXPECT_EQ(rows[1].at("met"), false);
  EXPECT_TRUE(rows[2].at("met").is_null());
  EXPECT_EQ(rows[2].at("goal"), 2.5);
  EXPECT_TRUE(rows[3].at("goal").is_null() && rows[3].at("met").is_null());
}

}  // namespace
}  // namespace dflash::bench
