#include "common/pipeline/stage_thread.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <stdexcept>

#include "common/pipeline/bounded_queue.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

std::string message_of(const std::exception_ptr& error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return exception.what();
  }
  return "no error";
}

TEST(StageThread, RunsTheBodyOnAThreadOfThatName) {
  std::string seen;
  StageThread stage(
      "a-name-that-is-too-long",
      [&] {
        char name[16] = {};
        pthread_getname_np(pthread_self(), name, sizeof name);
        seen = name;
      },
      [](const std::exception_ptr&) { FAIL() << "nothing was thrown"; });
  stage.join();
  stage.join();  // a second one changes nothing
  EXPECT_EQ(seen, "a-name-that-is-");
  EXPECT_EQ(stage.error(), nullptr);
}

TEST(StageThread, KeepsWhatTheBodyThrewAndTellsIt) {
  std::string told;
  StageThread stage(
      "stage", [] { throw std::runtime_error("out of ink"); },
      [&](const std::exception_ptr& error) { told = message_of(error); });
  stage.join();
  EXPECT_EQ(told, "out of ink");
  EXPECT_EQ(message_of(stage.error()), "out of ink");
}

TEST(StageThread, AnErrorOfOneStageWakesItsNeighbourThroughTheQueue) {
  BoundedQueue<int> queue(1);
  const auto close_queue = [&](const std::exception_ptr& error) { queue.close(error); };
  StageThread consumer(
      "consumer",
      [&] {
        int item = 0;
        while (queue.pop(item, Deadline::after(30s)) == QueueStatus::ok) {
        }
      },
      close_queue);
  StageThread producer("producer", [] { throw std::runtime_error("no more paper"); }, close_queue);
  consumer.join();
  EXPECT_EQ(message_of(consumer.error()), "no more paper");
}

TEST(StageThread, TheDestructorWaitsForTheBody) {
  std::atomic<bool> ended = false;
  {
    StageThread stage(
        "slow",
        [&] {
          std::this_thread::sleep_for(30ms);
          ended = true;
        },
        [](const std::exception_ptr&) {});
  }
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace dflash
