#include "server/http/transport.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace fermata::http {
namespace {

class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(int fd) : fd_(fd) {}
  ~PlainTransport() override { ::close(fd_); }

  IoResult read(std::span<char> into) override {
    for (;;) {
      ssize_t n = ::recv(fd_, into.data(), into.size(), 0);
      if (n > 0) {
        auto bytes = static_cast<size_t>(n);
        return {Io::ok, bytes, bytes == into.size()};
      }
      if (n == 0) return {Io::ended, 0};
      if (errno != EINTR) return {would_block() ? Io::blocked : Io::broken, 0};
    }
  }
  IoResult write(std::string_view bytes) override {
    for (;;) {
      ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n >= 0) return {Io::ok, static_cast<size_t>(n)};
      if (errno != EINTR) return {would_block() ? Io::blocked : Io::broken, 0};
    }
  }
  void finish_writing() override { ::shutdown(fd_, SHUT_WR); }
  int fd() const override { return fd_; }

 private:
  static bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }
  const int fd_;
};

}  // namespace

std::unique_ptr<Transport> plain_transport(int fd) { return std::make_unique<PlainTransport>(fd); }

}  // namespace fermata::http
