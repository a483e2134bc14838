// A transport over NCCL: a communicator of two ranks between this process and one peer; and which NCCL that is.
//
//   check_nccl_library();                                                 once, at the start
//   auto transport = make_nccl_transport(bootstrap, makes_id, ordinal, "drafter 1", deadline);
//
// NCCL refuses two ranks on one GPU, so none of this can serve two processes that share one: they use pinned_host.
//
// In a build without NCCL (WITH_NCCL) nccl_absent.cpp stands for it. Not run on more than one GPU yet.
#pragma once

#include <memory>
#include <string>

#include "common/base/bootstrap.h"
#include "common/nccl/transport.h"

namespace dflash {

/// Both ends must be called, with the same deadline more or less, one of them with `makes_id`. Error{config} in a build
/// without NCCL, {stall} when the peer does not come, {peer_died} or {internal} with NCCL's words when it fails.
[[nodiscard]] std::unique_ptr<Transport> make_nccl_transport(Bootstrap& bootstrap, bool makes_id, int device_ordinal,
                                                             const std::string& peer_name, Deadline deadline);

/// One line for the log: version and path of the library that was loaded. Error{config} when it is another version than
/// the one this program was built with (an older copy on some search path), or the build has no NCCL.
[[nodiscard]] std::string check_nccl_library();

}  // namespace dflash
