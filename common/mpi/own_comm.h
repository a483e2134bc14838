// OwnComm: a communicator that nobody else uses, so that messages of two purposes can never be taken for each other.
//
// Threading: any thread. Owns: nothing that ends before MPI does: freeing a communicator is collective, and
// MPI_Finalize does it.
#pragma once

#include <atomic>

namespace dflash {

class OwnComm {
 public:
  /// Collective over the world: every rank makes its communicators in the same order. Error{stall} when a rank does
  /// not.
  [[nodiscard]] static OwnComm of_world();
  /// Of this process alone, which is then rank 0.
  [[nodiscard]] static OwnComm of_self();

  /// For MPI_Comm_f2c: the number by which MPI knows it in a header that knows no MPI.
  [[nodiscard]] int handle() const { return handle_; }

  /// A tag for messages to this rank that no message to it has carried: not even one that was never taken can be
  /// mistaken for a newer one. Error{internal} when there are no more (MPI promises 32,768).
  [[nodiscard]] int take_tag();

 private:
  enum class Of { world, self };
  explicit OwnComm(Of group);

  int handle_;
  std::atomic<int> next_tag_ = 0;
};

}  // namespace dflash
