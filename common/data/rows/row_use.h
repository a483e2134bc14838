// What rows are read for: to train on their answers, or to have their last question answered.
#pragma once

#include <cstdint>

namespace dflash {

enum class RowUse : uint8_t {
  training,  // a row holds an answer
  prompts,   // what stands behind the last question is dropped; no answer need be there
};

}  // namespace dflash
