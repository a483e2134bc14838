// A Bootstrap between a test and a process that it forks. Each string is one packet.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "common/base/bootstrap.h"
#include "common/base/error.h"

namespace dflash {

class SocketBootstrap final : public Bootstrap {
 public:
  using Pair = std::pair<std::unique_ptr<Bootstrap>, std::unique_ptr<Bootstrap>>;

  /// One end for each process; after the fork each destroys the end that is not its own.
  [[nodiscard]] static Pair make_pair() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw Error(ErrorKind::internal, "socketpair failed");
    }
    return {std::make_unique<SocketBootstrap>(ends[0]), std::make_unique<SocketBootstrap>(ends[1])};
  }

  explicit SocketBootstrap(int socket) : socket_(socket) {}
  ~SocketBootstrap() override { close(socket_); }
  SocketBootstrap(const SocketBootstrap&) = delete;
  SocketBootstrap& operator=(const SocketBootstrap&) = delete;

  void send(const std::string& text) override {
    if (::send(socket_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
      throw Error(ErrorKind::peer_died, "the test's peer process takes no string");
    }
  }

  std::string receive(Deadline deadline) override {
    pollfd readable{.fd = socket_, .events = POLLIN, .revents = 0};
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(deadline.remaining());
    if (::poll(&readable, 1, static_cast<int>(wait.count())) != 1) {
      throw Error(ErrorKind::stall, "nothing heard from the peer process");
    }
    std::array<char, 4096> text{};
    const ssize_t bytes = recv(socket_, text.data(), text.size(), 0);
    if (bytes <= 0) throw Error(ErrorKind::peer_died, "the peer process is gone");
    return {text.data(), static_cast<size_t>(bytes)};
  }

 private:
  int socket_;
};

}  // namespace dflash
