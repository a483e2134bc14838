// Whether a channel's memory is to be had: asked first, because the kernel would rather kill a process than refuse it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace dflash {

/// What the kernel believes it could give; the largest number when it does not say.
[[nodiscard]] uint64_t available_memory_bytes();

/// Error{no_space} that begins with "no N bytes of WHAT for a channel" and tells what to do.
[[noreturn]] void throw_no_room(size_t bytes, const std::string& what, const std::string& why);
/// The same when the kernel has not that much available.
void require_room(size_t bytes, const std::string& what);

}  // namespace dflash
