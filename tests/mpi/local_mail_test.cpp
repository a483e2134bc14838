#include "common/mpi/local_mail.h"

#include <chrono>
#include <thread>

#include "common/base/deadline.h"
#include "common/mpi/control_link.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

RoleMap cast(int own_rank) {
  return {{Role::coordinator, Role::drafter}, own_rank};
}

ControlMessage trained(int64_t sequence) {
  ControlMessage message;
  message.mutable_batch_trained()->set_sequence(sequence);
  return message;
}

TEST(LocalMail, CarriesControlMessagesBothWaysInOrder) {
  auto [first, second] = make_local_mail(0, 1);
  ControlLink lead(cast(0), std::move(first)), worker(cast(1), std::move(second));
  std::thread sender([&worker] {
    for (int64_t sequence = 0; sequence < 1000; ++sequence) worker.send(0, trained(sequence));
  });
  for (int64_t sequence = 0; sequence < 1000; ++sequence) {
    const std::optional<Incoming> incoming = lead.wait(Deadline::after(10s));
    ASSERT_TRUE(incoming);
    EXPECT_EQ(incoming->rank, 1);
    EXPECT_EQ(incoming->message.batch_trained().sequence(), sequence);
  }
  sender.join();
  EXPECT_FALSE(lead.poll());
  ControlMessage stop;
  stop.mutable_stop();
  lead.send(1, stop);
  EXPECT_TRUE(worker.poll()->message.has_stop());
  EXPECT_FALSE(worker.wait(Deadline::after(1ms)));
}

TEST(LocalMail, RefusesWhatNobodyTakes) {
  const auto [first, second] = make_local_mail(0, 1);
  EXPECT_EQ(error_of([&] { first->send(2, "x"); }).kind(), ErrorKind::internal);
  for (size_t i = 0; i < kMostWaitingLocally; ++i) first->send(1, "x");
  EXPECT_EQ(error_of([&] { first->send(1, "x"); }).kind(), ErrorKind::stall);
  EXPECT_TRUE(second->poll());
  first->send(1, "there is room again");
}

}  // namespace
}  // namespace dflash
