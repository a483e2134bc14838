// RunFailure: an error that ends a run, with the rank it is about and where that rank was.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "common/base/error.h"

namespace dflash {

class RunFailure : public Error {
 public:
  RunFailure(ErrorKind kind, const std::string& message, std::string who, std::string stage, int64_t batch)
      : Error(kind, message), who_(std::move(who)), stage_(std::move(stage)), batch_(batch) {}

  [[nodiscard]] const std::string& who() const { return who_; }      // "target 1 (rank 2, host n3)"
  [[nodiscard]] const std::string& stage() const { return stage_; }  // "forward"
  [[nodiscard]] int64_t batch() const { return batch_; }             // -1: at none

 private:
  std::string who_;
  std::string stage_;
  int64_t batch_;
};

}  // namespace dflash
