#include "tests/device/scenarios.h"

#include <atomic>

#include "tests/device/sim_bench.h"

namespace dflash {
namespace {

constexpr std::chrono::milliseconds kLongEnough{20};  // for what must not happen to happen

bool stalls(InFlight<Buffer, Buffer>& copy) {
  try {
    static_cast<void>(std::move(copy).land(Deadline::after(kLongEnough)));
  } catch (const Error& error) {
    return error.kind() == ErrorKind::stall;
  }
  return false;
}

}  // namespace

std::string landing_waits_for_the_bytes() {
  SimBench bench;
  bench.gate->close(SimWork::copy);
  auto copy = copy_async(bench.copies, take_written(bench.host, 1), take(bench.host));
  if (!stalls(copy)) return "landed while the engine stood still";
  bench.gate->open(SimWork::copy);
  auto sides = std::move(copy).land(late());
  return wrong_bytes(sides.second.host_view(), 1) == 0 ? "" : "not all bytes arrived";
}

std::string blocks_in_flight_stay_taken() {
  SimBench bench;
  bench.gate->close(SimWork::copy);
  {
    const auto copy = copy_async(bench.copies, take_written(bench.host, 1), take(bench.there));
    if (bench.host.free_count() != 3) return "the source was free while it was copied";
  }
  std::this_thread::sleep_for(kLongEnough);
  if (bench.host.free_count() != 3 || bench.there.free_count() != 1) return "dropped in flight, freed in flight";
  bench.gate->open(SimWork::copy);
  if (!bench.device.drain(late()) || !bench.all_free()) return "not given back";
  return bench.device.stats().lost_blocks == 0 ? "" : "a block was lost";
}

std::string a_slot_comes_back_once_and_not_before_it_landed() {
  SimBench bench;
  bench.gate->close(SimWork::copy);
  static_cast<void>(copy_async(bench.copies, take_written(bench.host, 1), bench.ring->lend()));
  std::this_thread::sleep_for(kLongEnough);
  if (bench.ring->landed() != 0) return "the slot came back in flight";
  bench.gate->open(SimWork::copy);
  if (!bench.device.drain(late())) return "never came back";
  return bench.ring->landed() == 1 ? "" : "the slot came back more than once";
}

std::string then_orders_the_other_stream() {
  SimBench bench;
  bench.gate->close(SimWork::copy);
  std::atomic<bool> ran = false;
  size_t wrong = 1;
  auto there = copy_async(bench.copies, take_written(bench.host, 1), take(bench.there)).then(bench.kernels);
  launch(
      bench.kernels,
      [&](std::span<std::byte> bytes) {
        wrong = wrong_bytes(bytes, 1);
        ran = true;
      },
      there);
  std::this_thread::sleep_for(kLongEnough);
  const bool early = ran;
  bench.gate->open(SimWork::copy);
  bench.kernels.record().wait(late());
  if (early) return "the kernel did not wait for the copy";
  return wrong == 0 ? "" : "the kernel did not see the bytes";
}

std::string a_copy_waits_for_both_sides() {
  SimBench bench;
  bench.gate->close(SimWork::compute);
  OnStream<Buffer> used = take(bench.there).on(bench.kernels);
  launch(bench.kernels, [](std::span<std::byte> bytes) { write(bytes, 9); }, used);
  auto copy = copy_async(bench.copies, take_written(bench.host, 1), std::move(used));
  std::this_thread::sleep_for(kLongEnough);
  const bool early = copy.passed();
  bench.gate->open(SimWork::compute);
  auto back = copy_async(bench.copies, std::move(copy).then(bench.copies), take(bench.host)).land(late());
  if (early) return "the copy overtook the kernel that used its destination";
  return wrong_bytes(back.second.host_view(), 1) == 0 ? "" : "the kernel wrote over the copy";
}

std::string a_copy_that_throws_has_submitted_nothing() {
  SimBench bench;
  bench.gate->close(SimWork::copy);
  try {
    static_cast<void>(copy_async(bench.copies, take_written(bench.host, 1), take(bench.there)));
  } catch (const std::bad_alloc&) {
    if (!bench.copies.record().passed()) return "it threw, both sides are free, and the device copies";
  }
  return "";
}

std::string a_handle_that_was_moved_from_shows_nothing() {
  SimBench bench;
  Landed<Buffer> from = take_written(bench.host, 1);
  const auto copy = copy_async(bench.copies, std::move(from), take(bench.host));
  try {
    return from.host_view().empty() ? "" : "the source can be written while it is read";  // NOLINT
  } catch (const Error&) {
    return "";
  }
}

std::string a_source_stays_taken_until_it_was_read() {
  SimBench bench;
  bench.gate->close(SimWork::copy);
  std::atomic<size_t> wrong = 1;
  auto there = copy_async(bench.copies, take_written(bench.host, 1), take(bench.there)).then(bench.kernels);
  launch(bench.kernels, [&](std::span<std::byte> bytes) { wrong = wrong_bytes(bytes, 1); }, there);
  std::vector<Landed<Buffer>> reused;  // a producer that fills the next ones
  while (auto next = bench.host.take(now())) {
    write(next->host_view(), 2);
    reused.push_back(std::move(*next));
  }
  bench.gate->open(SimWork::copy);
  bench.kernels.record().wait(late());
  if (reused.size() != 3) return "the source was given out again while it was read";
  return wrong == 0 ? "" : "the source was overwritten";
}

std::string every_block_is_given_out_once() {
  SimOptions options;
  options.resting_blocks = 0;
  SimBench bench(options);
  for (size_t round = 0; round < 5; ++round) {
    std::vector<Landed<Buffer>> buffers;
    buffers.reserve(4);
    for (size_t i = 0; i < 4; ++i) buffers.push_back(take_written(bench.host, i));
    for (size_t i = 0; i < 4; ++i) {
      if (wrong_bytes(buffers[i].host_view(), i) != 0) return "a block has two owners";
    }
  }
  return "";
}

std::string a_kernel_keeps_what_it_works_on() {
  SimBench bench;
  OnStream<Lease<TestSlot>> slot = bench.ring->lend().on(bench.kernels);
  bench.kernels.record().wait(late());
  bench.gate->close(SimWork::compute);
  launch(bench.kernels, [](std::span<std::byte>) {}, slot);
  {
    const OnStream<Lease<TestSlot>> dropped = std::move(slot);
  }
  std::this_thread::sleep_for(kLongEnough);
  return bench.ring->landed() == 0 ? "" : "the slot came back before its kernel was done";
}

std::string a_land_that_times_out_frees_nothing() {
  SimBench bench;
  bench.gate->close(SimWork::copy);
  {
    auto copy = copy_async(bench.copies, take_written(bench.host, 1), take(bench.host));
    if (!stalls(copy)) return "did not stall";
  }
  return bench.host.free_count() == 2 ? "" : "the abort freed what is in flight";
}

std::string closing_a_device_frees_nothing_early() {
  SimBench bench;
  const auto gate = std::make_shared<SimGate>();
  SimOptions options;
  options.gate = gate;
  auto device = std::make_unique<Device>(Device::sim(options));
  Pool host = host_pool(*device, 1);
  Stream copies = device->make_stream("copies");
  gate->close(SimWork::copy);
  static_cast<void>(copy_async(copies, take_written(host, 1), bench.ring->lend()));
  std::atomic<int> early = 0;
  std::thread opener([&] {
    std::this_thread::sleep_for(kLongEnough);
    early = bench.ring->landed();
    gate->open_all();
  });
  device.reset();
  opener.join();
  static_cast<void>(copies.record().wait_passed(late()));
  return early == 0 ? "" : "the slot came back while the engine stood still";
}

std::string alarm_of(Scenario scenario) {
  try {
    return scenario();
  } catch (const std::exception& error) {
    return std::string("threw: ") + error.what();
  }
}

}  // namespace dflash
