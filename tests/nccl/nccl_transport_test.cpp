// NcclComm and the transport over it, on a simulated NCCL and a simulated CUDA runtime: deadlines, errors that come
// later, aborts that take their time.
#include "common/nccl/nccl_transport.h"

#include <nccl.h>

#include <future>

#include "common/nccl/communication_thread.h"
#include "common/nccl/nccl_built.h"
#include "common/nccl/nccl_comm.h"
#include "tests/device/device_kinds.h"
#include "tests/nccl/fake_nccl.h"
#include "tests/support/in_process_bootstrap.h"

namespace dflash {
namespace {

using TransportPtr = std::shared_ptr<Transport>;

struct NcclTransportTest : testing::Test {
  ~NcclTransportTest() override {
    fake_nccl::reset();
    EXPECT_TRUE(comes_true([] { return fake_nccl::communicators_alive() == 0; }));
    EXPECT_EQ(fake_nccl::used_after_abort(), 0U);
  }

  static std::pair<TransportPtr, TransportPtr> connect() {
    auto [here, there] = InProcessBootstrap::make_pair();
    auto other = std::async(std::launch::async,
                            [&end = *there] { return make_nccl_transport(end, false, 0, "target 0", late()); });
    TransportPtr own = make_nccl_transport(*here, true, 0, "drafter 1", late());
    return {std::move(own), TransportPtr(other.get())};
  }
  static NcclComm alone(Deadline deadline) {
    return {make_nccl_id(), {.ranks = 1, .rank = 0, .peer = 0}, 0, "itself", deadline};
  }

  Device device = Device::cuda(0);
  Pool slots = device_pool(device, 8);
  Pool host = host_pool(device, 8);
  Stream kernels = device.make_stream("kernels");

  /// On the device, with the bytes of `number`.
  OnStream<Buffer> written(size_t number) {
    auto sides = copy_async(kernels, take_written(host, number), take(slots)).land(late());
    return std::move(sides.second).on(kernels);
  }
  size_t wrong(Landed<Buffer> arrived, size_t number) {
    auto sides = copy_async(kernels, std::move(arrived), take(host)).land(late());
    return wrong_bytes(sides.second.host_view(), number);
  }
};

TEST_F(NcclTransportTest, WhatOneSendsTheOtherReceives) {
  auto [to_drafter, to_target] = connect();
  EXPECT_EQ(to_drafter->peer_name(), "drafter 1");
  EXPECT_FALSE(fake_nccl::last_was_blocking());
  fake_nccl::set_transfer_looks(3);
  CommunicationThread thread(device);
  for (size_t i = 0; i < 5; ++i) {
    SlotTransfer sending = thread.start_send(to_drafter, written(i), 1000);
    SlotTransfer coming = thread.start_receive(to_target, take(slots).on(thread.stream()), 1000);
    EXPECT_EQ(wrong(std::move(coming).land(late()), i), 0U);
    static_cast<void>(std::move(sending).land(late()));
  }
}

TEST_F(NcclTransportTest, APeerThatDoesNotComeIsAStallAndNothingIsLeft) {
  fake_nccl::set_joining({.looks = 1'000'000});
  expect_error(ErrorKind::stall, "NCCL, joining itself: still in progress at the deadline",
               [] { static_cast<void>(alone(soon())); });
  EXPECT_EQ(fake_nccl::communicators_alive(), 0U);
}

TEST_F(NcclTransportTest, AJoinThatFailsSaysWhoseFaultItIs) {
  fake_nccl::set_joining({.looks = 2, .afterwards = ncclRemoteError});
  expect_error(ErrorKind::peer_died, "NCCL, joining itself: remote process exited",
               [] { static_cast<void>(alone(late())); });
  fake_nccl::set_joining({.answer = ncclUnhandledCudaError});
  expect_error(ErrorKind::internal, "NCCL, joining itself: a fake NCCL error",
               [] { static_cast<void>(alone(late())); });
}

TEST_F(NcclTransportTest, AnIdThatIsNoneIsRefused) {
  auto [here, there] = InProcessBootstrap::make_pair();
  here->send("not an id");
  expect_error(ErrorKind::internal, "target 0 sends 9 bytes as NCCL's id, expected 128",
               [&end = *there] { static_cast<void>(make_nccl_transport(end, false, 0, "target 0", late())); });
  expect_error(ErrorKind::stall, "nothing heard",
               [&end = *there] { static_cast<void>(make_nccl_transport(end, false, 0, "target 0", soon())); });
}

TEST_F(NcclTransportTest, AnErrorThatComesLaterFailsWhatIsUnderWay) {
  auto [to_drafter, to_target] = connect();
  CommunicationThread thread(device);
  auto coming = std::make_optional(thread.start_receive(to_target, take(slots).on(thread.stream()), 1000));
  fake_nccl::set_async_error(ncclRemoteError);
  expect_error(ErrorKind::peer_died, "NCCL, talking to target 0: remote process exited",
               [&] { static_cast<void>(std::move(*coming).land(late())); });
  expect_error(ErrorKind::peer_died, "target 0: aborted", [&end = *to_target] { end.check(); });
  coming.reset();
  EXPECT_TRUE(comes_true([&] { return slots.free_count() == 8; }));
}

TEST_F(NcclTransportTest, AbortEndsAReceiveThatNobodyAnswers) {
  auto [to_drafter, to_target] = connect();
  CommunicationThread thread(device);
  SlotTransfer coming = thread.start_receive(to_target, take(slots).on(thread.stream()), 1000);
  const auto why = std::make_exception_ptr(Error(ErrorKind::stall, "target 0 has said nothing for 3 s"));
  EXPECT_TRUE(thread.abort(*to_target, why, late()));
  expect_error(ErrorKind::stall, "said nothing", [&] { static_cast<void>(std::move(coming).land(late())); });
  EXPECT_TRUE(device.drain(late()));
}

TEST_F(NcclTransportTest, AnAbortIsWaitedForNoLongerThanAllowed) {
  fake_nccl::set_abort_time(300ms);
  NcclComm comm = alone(late());
  const auto begin = Deadline::Clock::now();
  EXPECT_FALSE(comm.abort(soon()));
  EXPECT_LT(Deadline::Clock::now() - begin, 250ms);
  EXPECT_TRUE(comm.abort(late()));  // the same one, a second time
  EXPECT_GE(Deadline::Clock::now() - begin, 300ms);
}

TEST_F(NcclTransportTest, AnAbortLetsATransferThatIsBeingConnectedGo) {
  NcclComm comm = alone(late());
  fake_nccl::set_transfer_looks(1'000'000);
  auto sending = std::async(std::launch::async, [&] {
    Stream stream = device.make_stream("sending");
    OnStream<Buffer> slot = take(slots).on(stream);
    launch(stream, [&comm](std::span<std::byte> bytes) { comm.send(bytes); }, slot);
    expect_error(ErrorKind::peer_died, "NCCL, sending to itself: aborted", [&] { stream.record().wait(late()); });
  });
  std::this_thread::sleep_for(20ms);
  EXPECT_TRUE(comm.abort(late()));
  sending.get();
}

TEST_F(NcclTransportTest, OutsideOfAStreamNothingIsSent) {
  NcclComm comm = alone(late());
  std::vector<std::byte> bytes(8);
  expect_error(ErrorKind::internal, "outside of a kernel of a cuda stream", [&] { comm.send(bytes); });
}

TEST_F(NcclTransportTest, AnotherLibraryThanTheOneBuiltWithIsRefused) {
  EXPECT_EQ(built_nccl_version(), NCCL_VERSION_CODE);
  EXPECT_NO_THROW(need_nccl_build());
  EXPECT_NE(check_nccl_library().find("NCCL 2."), std::string::npos);
  fake_nccl::set_version(21805);
  expect_error(ErrorKind::config, "NCCL 2.18.5 was loaded from", [] { static_cast<void>(check_nccl_library()); });
}

}  // namespace
}  // namespace dflash
