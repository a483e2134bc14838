// expect: no matching function for call to 'dflash::Buffer::Buffer()'
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void buffer_from_nothing() {
#ifdef FORBIDDEN
  Buffer buffer;
#endif
}

}  // namespace dflash::must_not_compile
