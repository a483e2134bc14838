// A Bootstrap between two threads of one test.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "common/base/bootstrap.h"
#include "common/base/error.h"
#include "common/pipeline/bounded_queue.h"

namespace dflash {

class InProcessBootstrap final : public Bootstrap {
 public:
  using Pair = std::pair<std::unique_ptr<Bootstrap>, std::unique_ptr<Bootstrap>>;

  [[nodiscard]] static Pair make_pair() {
    auto there = std::make_shared<Strings>(kMostStrings);
    auto back = std::make_shared<Strings>(kMostStrings);
    return {std::make_unique<InProcessBootstrap>(there, back), std::make_unique<InProcessBootstrap>(back, there)};
  }

  using Strings = BoundedQueue<std::string>;
  InProcessBootstrap(std::shared_ptr<Strings> out, std::shared_ptr<Strings> in)
      : out_(std::move(out)), in_(std::move(in)) {}

  void send(const std::string& text) override {
    if (out_->push(std::string(text), Deadline::after(std::chrono::seconds(0))) != QueueStatus::ok) {
      throw Error(ErrorKind::internal, "the test's bootstrap is full");
    }
  }

  std::string receive(Deadline deadline) override {
    std::string text;
    if (in_->pop(text, deadline) == QueueStatus::ok) return text;
    throw Error(ErrorKind::stall, "nothing heard from the peer thread");
  }

 private:
  static constexpr size_t kMostStrings = 100;
  std::shared_ptr<Strings> out_;
  std::shared_ptr<Strings> in_;
};

}  // namespace dflash
