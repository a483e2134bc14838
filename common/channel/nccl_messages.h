// What the two ends of a nccl channel tell each other beside the bytes of the frames, which go from device to device.
//
//   sender -> receiver   offer n     frame n lies in its slot; with its header
//   receiver -> sender   go n        a receive for frame n is enqueued: send it now
//   receiver -> sender   released n  n slots have been released so far
//   sender -> receiver   done n      n frames were offered, and there will be no more
//   either -> other      gone n      the end was destroyed; a sender's, when it had sent n frames
//
// A port (nccl_port.h) sends and takes them for all channels of its process, so each names its channel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/channel/frame_header.h"

namespace dflash {

struct NcclMessage {
  enum class Word : uint32_t { offer, go, released, done, gone };

  uint32_t channel = 0;  ///< as the process that is told numbers its channels
  Word word = Word::offer;
  uint64_t frames = 0;
  FrameHeader header{};  ///< of an offer

  [[nodiscard]] std::string to_text() const;
  /// Error{internal} for anything else.
  [[nodiscard]] static NcclMessage from_text(const std::string& text);
};

/// How messages travel. Order is kept between each two ports, and a send never waits for the peer.
/// Threading: one thread at a time.
class PortMessages {
 public:
  virtual ~PortMessages() = default;
  /// Of this process, as others send to it.
  [[nodiscard]] virtual int own_address() const = 0;
  /// Error{stall} when too many are on their way and not taken.
  virtual void send(int address, std::string text) = 0;
  /// The next one, if it has come.
  [[nodiscard]] virtual std::optional<std::string> poll() = 0;
};

}  // namespace dflash
