// Every mistake of test_faults.h is noticed by the scenario that stands beside it, every time it is made. Not built
// with a sanitizer, which would end the process at the first of them.
#include <gtest/gtest.h>

#include <vector>

#include "tests/device/scenarios.h"
#include "tests/device/scoped_fault.h"

namespace dflash {
namespace {

struct Mutation {
  const char* name;
  DeviceFault fault;
  Scenario killer;
};

const std::vector<Mutation> kMutations = {
    {"early_source_free", DeviceFault::early_source_free, blocks_in_flight_stay_taken},
    {"early_destination_read", DeviceFault::early_destination_read, landing_waits_for_the_bytes},
    {"slot_released_at_submit", DeviceFault::slot_released_at_submit, a_slot_comes_back_once_and_not_before_it_landed},
    {"slot_released_twice", DeviceFault::slot_released_twice, a_slot_comes_back_once_and_not_before_it_landed},
    {"credit_by_timer", DeviceFault::credit_by_timer, a_slot_comes_back_once_and_not_before_it_landed},
    {"fence_before_submit", DeviceFault::fence_before_submit, landing_waits_for_the_bytes},
    {"fence_on_wrong_stream", DeviceFault::fence_on_wrong_stream, then_orders_the_other_stream},
    {"lost_wait", DeviceFault::lost_wait, a_copy_waits_for_both_sides},
    {"destructor_skips_reaper", DeviceFault::destructor_skips_reaper, blocks_in_flight_stay_taken},
    {"throw_after_enqueue", DeviceFault::throw_after_enqueue, a_copy_that_throws_has_submitted_nothing},
    {"alias_survives_hand_over", DeviceFault::alias_survives_hand_over, a_handle_that_was_moved_from_shows_nothing},
    {"reused_source", DeviceFault::reused_source, a_source_stays_taken_until_it_was_read},
    {"size_off_by_one", DeviceFault::size_off_by_one, landing_waits_for_the_bytes},
    {"wrap_around", DeviceFault::wrap_around, every_block_is_given_out_once},
    {"credit_before_kernel", DeviceFault::credit_before_kernel, a_kernel_keeps_what_it_works_on},
    {"reaper_dropped_at_close", DeviceFault::reaper_dropped_at_close, closing_a_device_frees_nothing_early},
    {"abort_frees_in_flight", DeviceFault::abort_frees_in_flight, a_land_that_times_out_frees_nothing},
    {"resize_during_copy", DeviceFault::resize_during_copy, landing_waits_for_the_bytes},
    {"publish_before_checksum", DeviceFault::publish_before_checksum, a_receiver_sees_whole_frames_and_believes_them},
    {"checksum_over_padding", DeviceFault::checksum_over_padding, a_receiver_sees_whole_frames_and_believes_them},
};

class MutationTest : public testing::TestWithParam<Mutation> {};

TEST_P(MutationTest, IsKilled) {
  const auto& [name, fault, killer] = GetParam();
  for (int round = 0; round < 10; ++round) {
    EXPECT_EQ(alarm_of(killer), "");
    const ScopedFault mistake(fault);
    EXPECT_NE(alarm_of(killer), "") << "nobody noticed";
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, MutationTest, testing::ValuesIn(kMutations),
                         [](const auto& tested) { return tested.param.name; });

TEST(Mutations, EveryFaultIsListed) {
  EXPECT_EQ(kMutations.size(), static_cast<size_t>(DeviceFault::last));
  for (size_t i = 0; i < kMutations.size(); ++i) EXPECT_EQ(static_cast<size_t>(kMutations[i].fault), i + 1);
}

}  // namespace
}  // namespace dflash
