// kernel_copy: a copy that a kernel does (on_stream.h), in the order of its stream: enqueued on cuda, done elsewhere.
//
//   launch(stream, [](std::span<std::byte> from, std::span<std::byte> to) { kernel_copy(to.data(), from.data(), 64); },
//          a, b);
//
// For what belongs to a kernel's work. Whole buffers are copied by copy_async (operations.h). Threading: any thread.
#pragma once

#include <cstddef>

namespace dflash {

/// What CUDA refuses is an Error{internal}. Host memory that is not pinned may be let go when it returns.
void kernel_copy(std::byte* to, const std::byte* from, size_t size_bytes);

}  // namespace dflash
