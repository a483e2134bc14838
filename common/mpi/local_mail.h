// Control mail within one process, for a role that runs alone beside whoever leads it.
//
//   auto [of_rank_0, of_rank_1] = make_local_mail(0, 1);
//
// Threading: each end one thread at a time. Limits: kMostWaiting messages that the other end has not taken.
#pragma once

#include <memory>
#include <utility>

#include "common/mpi/control_mail.h"

namespace dflash {

constexpr size_t kMostWaitingLocally = 4096;

/// The two ends between the ranks `first` and `second`. Error{internal} from send for a message to any other rank,
/// {stall} when too many wait.
[[nodiscard]] std::pair<std::unique_ptr<ControlMail>, std::unique_ptr<ControlMail>> make_local_mail(int first,
                                                                                                    int second);

}  // namespace dflash
