// The stories end well when the room makes no mistake; mutation_test.cpp makes them.
#include <gtest/gtest.h>

#include "tests/device/scenarios.h"

namespace dflash {
namespace {

TEST(Scenarios, NoFalseAlarm) {
  for (int round = 0; round < 5; ++round) {
    for (const Scenario scenario :
         {landing_waits_for_the_bytes, blocks_in_flight_stay_taken, a_slot_comes_back_once_and_not_before_it_landed,
          then_orders_the_other_stream, a_copy_waits_for_both_sides, a_copy_that_throws_has_submitted_nothing,
          a_handle_that_was_moved_from_shows_nothing, a_source_stays_taken_until_it_was_read,
          every_block_is_given_out_once, a_kernel_keeps_what_it_works_on, a_land_that_times_out_frees_nothing,
          closing_a_device_frees_nothing_early}) {
      EXPECT_EQ(alarm_of(scenario), "");
    }
  }
}

}  // namespace
}  // namespace dflash
