// Where memory lies, as a program means it; each back-end maps it to what it has.
#pragma once

namespace dflash {

enum class MemoryKind {
  plain,   ///< the host's
  pinned,  ///< the host's, page-locked: copies to and from it overlap with work
  device,  ///< the device's: no host view, on any back-end, so that a laptop finds what a GPU would refuse
};

[[nodiscard]] constexpr const char* memory_kind_name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::plain:
      return "plain";
    case MemoryKind::pinned:
      return "pinned";
    case MemoryKind::device:
      return "device";
  }
  return "?";
}

}  // namespace dflash
