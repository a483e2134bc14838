// Scenarios: small stories on a simulated device whose engines stand still at the right moment, so that a mistake of
// order or lifetime shows with certainty, not by luck.
#pragma once

#include <string>

namespace dflash {

/// What went wrong in one; "" when all is well.
using Scenario = std::string (*)();

std::string landing_waits_for_the_bytes();
std::string blocks_in_flight_stay_taken();
std::string a_slot_comes_back_once_and_not_before_it_landed();
std::string then_orders_the_other_stream();
std::string a_copy_waits_for_both_sides();
std::string a_copy_that_throws_has_submitted_nothing();
std::string a_handle_that_was_moved_from_shows_nothing();
std::string a_source_stays_taken_until_it_was_read();
std::string every_block_is_given_out_once();
std::string a_kernel_keeps_what_it_works_on();
std::string a_land_that_times_out_frees_nothing();
std::string closing_a_device_frees_nothing_early();
std::string a_receiver_sees_whole_frames_and_believes_them();

/// The scenario's alarm; an exception is one too.
[[nodiscard]] std::string alarm_of(Scenario scenario);

}  // namespace dflash
