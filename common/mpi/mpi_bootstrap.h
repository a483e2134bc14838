// Bootstrap over MPI: one per peer, on a communicator shared by all bootstraps of the process.
#pragma once

#include <memory>

#include "common/base/bootstrap.h"
#include "common/mpi/role_map.h"

namespace dflash {

/// Makes bootstraps to other ranks. Collective over the world; every rank makes its factory at the same point, after
/// the ControlLink. Threading: one thread at a time. Must outlive its bootstraps.
class MpiBootstrapFactory {
 public:
  explicit MpiBootstrapFactory(const RoleMap& roles);
  ~MpiBootstrapFactory();
  MpiBootstrapFactory(const MpiBootstrapFactory&) = delete;
  MpiBootstrapFactory& operator=(const MpiBootstrapFactory&) = delete;

  [[nodiscard]] std::unique_ptr<Bootstrap> connect(int rank);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dflash
