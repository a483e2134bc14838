// The process's memory allocator, set up for a loop that asks for the same sizes again and again.
#pragma once

namespace dflash {

/// Freed memory stays with the process: the next tensor of that size finds its pages there, instead of having the
/// kernel map and clear new ones (measured on the quick start: half of a step's time). For mains, before the first
/// tensor.
void keep_freed_memory();

}  // namespace dflash
