// The client that the tests of this folder share; it has the suffix of a test so that it stays out
// of the library.
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "server/http/test_client.h"

namespace fermata::server {
namespace {

constexpr int deadline_ms = 20'000;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(c));
  return text;
}

}  // namespace

TestClient::TestClient(uint16_t port, bool tls) {
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    ::close(fd_);
    fd_ = -1;
    return;
  }
  timeval limit{deadline_ms / 1000, 0};
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (!tls) return;
  auto* context = SSL_CTX_new(TLS_client_method());
  auto* ssl = SSL_new(context);
  SSL_set_fd(ssl, fd_);
  context_ = context;
  ssl_ = ssl;
  if (SSL_connect(ssl) != 1) {
    ::close(fd_);
    fd_ = -1;
  }
}

TestClient::~TestClient() {
  if (ssl_) SSL_free(static_cast<SSL*>(ssl_));
  if (context_) SSL_CTX_free(static_cast<SSL_CTX*>(context_));
  if (fd_ >= 0) ::close(fd_);
}

bool TestClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n =
        ssl_ ? SSL_write(static_cast<SSL*>(ssl_), bytes.data(), static_cast<int>(bytes.size()))
             : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

bool TestClient::fill() {
  char piece[16 << 10];
  ssize_t n = ssl_ ? SSL_read(static_cast<SSL*>(ssl_), piece, sizeof piece)
                   : recv(fd_, piece, sizeof piece, 0);
  if (n <= 0) return false;
  buffer_.append(piece, static_cast<size_t>(n));
  return true;
}

std::string TestClient::read_until(std::string_view text) {
  size_t found;
  while ((found = buffer_.find(text)) == std::string::npos)
    if (!fill()) return std::exchange(buffer_, {});
  return take(found + text.size());
}

std::string TestClient::take(size_t count) {
  while (buffer_.size() < count)
    if (!fill()) break;
  std::string out = buffer_.substr(0, count);
  buffer_.erase(0, out.size());
  return out;
}

std::string TestClient::take_line() {
  std::string line = read_until("\r\n");
  if (line.ends_with("\r\n")) line.resize(line.size() - 2);
  return line;
}

ClientAnswer TestClient::receive(bool head) {
  ClientAnswer answer;
  std::string line = take_line();
  if (line.size() < 12) return answer;
  answer.status = std::atoi(line.c_str() + 9);
  while (!(line = take_line()).empty()) {
    size_t colon = line.find(": ");
    if (colon == std::string::npos) break;
    answer.headers[lower(line.substr(0, colon))] = line.substr(colon + 2);
  }
  return receive_body(std::move(answer), head);
}

ClientAnswer TestClient::receive_body(ClientAnswer answer, bool head) {
  if (head) return answer;
  if (answer.headers.contains("content-length")) {
    answer.body = take(static_cast<size_t>(std::atoll(answer.headers["content-length"].c_str())));
  } else if (answer.headers["transfer-encoding"] == "chunked") {
    for (;;) {
      size_t size = std::strtoull(take_line().c_str(), nullptr, 16);
      answer.body += take(size);
      take_line();
      if (size == 0) break;
    }
  }
  return answer;
}

ClientAnswer TestClient::ask(std::string_view method, std::string_view target,
                             std::string_view body, std::string_view headers) {
  std::string text = std::string(method) + " " + std::string(target) +
                     " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + std::string(headers);
  if (!body.empty() && headers.find("ontent-Type") == std::string_view::npos)
    text += "Content-Type: application/json\r\n";
  if (!body.empty() || method == "POST" || method == "PUT")
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  if (!send(text + "\r\n" + std::string(body))) return {};
  return receive(method == "HEAD");
}

bool TestClient::ended() {
  while (fill()) {
  }
  pollfd wait{fd_, POLLRDHUP, 0};
  return poll(&wait, 1, 0) == 1;
}

void TestClient::finish_sending() { shutdown(fd_, SHUT_WR); }

}  // namespace fermata::server
