#include "adapters/http/http_test_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "adapters/http/request_rules.h"
#include "base/check.h"

namespace fermata {
namespace {

constexpr size_t connections_max = 2'048;
constexpr auto patience = std::chrono::seconds(30);

void set_times(int socket) {
  const timeval limit{30, 0};
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

TestRequest parse_head(const std::string& head) {
  TestRequest request;
  size_t start = head.find("\r\n");
  const std::string first = head.substr(0, start);
  const size_t space = first.find(' ');
  request.method = first.substr(0, space);
  request.target = first.substr(space + 1, first.rfind(' ') - space - 1);
  while ((start += 2) < head.size()) {
    const size_t end = head.find("\r\n", start);
    const std::string line = head.substr(start, end - start);
    const size_t colon = line.find(':');
    if (colon == std::string::npos) break;
    const size_t value = line.find_first_not_of(' ', colon + 1);
    request.headers.emplace_back(http::lower_case(line.substr(0, colon)),
                                 value == std::string::npos ? "" : line.substr(value));
    start = end;
  }
  return request;
}

std::string render(const TestReply& reply) {
  if (!reply.raw.empty()) return reply.raw;
  std::string out = "HTTP/1.1 " + std::to_string(reply.status) + " " + reply.reason + "\r\n";
  for (const auto& [name, value] : reply.headers) out += name + ": " + value + "\r\n";
  return out + "Content-Length: " + std::to_string(reply.body.size()) + "\r\n\r\n" + reply.body;
}

}  // namespace

std::string TestRequest::header(const std::string& lower_name) const {
  for (const auto& [name, value] : headers)
    if (name == lower_name) return value;
  return {};
}

bool TestRequest::has_header(const std::string& lower_name) const {
  return std::any_of(headers.begin(), headers.end(),
                     [&](const auto& header) { return header.first == lower_name; });
}

TestReply TestReply::redirect(int status, std::string location) {
  TestReply reply;
  reply.status = status;
  reply.reason = "Redirect";
  reply.headers = {{"Location", std::move(location)}};
  return reply;
}

HttpTestServer::HttpTestServer(Handler handler) : HttpTestServer(std::move(handler), Options()) {}

HttpTestServer::HttpTestServer(Handler handler, Options options)
    : handler_(std::move(handler)), options_(std::move(options)) {
  if (options_.tls) tls_ = std::make_unique<TestTls>();
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  stop_event_ = eventfd(0, EFD_CLOEXEC);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  check(inet_pton(AF_INET, options_.address.c_str(), &at.sin_addr) == 1);
  check(bind(listener_, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0);
  check(listen(listener_, 1'024) == 0);
  socklen_t size = sizeof at;
  check(getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size) == 0);
  port_ = ntohs(at.sin_port);
  acceptor_ = std::thread([this] { accept_loop(); });
}

HttpTestServer::~HttpTestServer() {
  const uint64_t one = 1;
  check(write(stop_event_, &one, sizeof one) == sizeof one);
  acceptor_.join();
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  close(listener_);
  close(stop_event_);
}

std::string HttpTestServer::url(const std::string& path, const std::string& host) const {
  return (options_.tls ? "https://" : "http://") + host + ":" + std::to_string(port_) + path;
}

size_t HttpTestServer::connections() const {
  std::lock_guard lock(mutex_);
  return accepted_;
}

std::vector<TestRequest> HttpTestServer::requests() const {
  std::lock_guard lock(mutex_);
  return requests_;
}

bool HttpTestServer::await_requests(size_t count) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return requests_.size() >= count; });
}

bool HttpTestServer::await_closed(size_t count) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return closed_ >= count; });
}

void HttpTestServer::release() {
  {
    std::lock_guard lock(mutex_);
    released_ = true;
  }
  changed_.notify_all();
}

void HttpTestServer::accept_loop() {
  for (;;) {
    pollfd waits[2] = {{listener_, POLLIN, 0}, {stop_event_, POLLIN, 0}};
    if (poll(waits, 2, -1) < 0) continue;
    if (waits[1].revents != 0) return;
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    set_times(socket);
    std::lock_guard lock(mutex_);
    if (++accepted_ > connections_max) {
      close(socket);
      continue;
    }
    sockets_.push_back(socket);
    workers_.emplace_back([this, socket] { serve(socket); });
  }
}

void HttpTestServer::serve(int socket) {
  // OpenSSL writes without MSG_NOSIGNAL, and the client may have gone.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  {
    TestStream stream(socket);
    if (tls_) stream.start_tls(*tls_);
    converse(stream);
  }
  {
    std::lock_guard lock(mutex_);
    sockets_.remove(socket);
    close(socket);
    ++closed_;
  }
  changed_.notify_all();
}

void HttpTestServer::converse(TestStream& stream) {
  for (;;) {
    size_t head_end;
    while ((head_end = stream.buffer.find("\r\n\r\n")) == std::string::npos)
      if (!stream.fill(stream.buffer.size() + 1)) return;
    TestRequest request = parse_head(stream.buffer.substr(0, head_end + 2));
    const std::string length = request.header("content-length");
    const size_t body_bytes = length.empty() ? 0 : std::stoul(length);
    if (!stream.fill(head_end + 4 + body_bytes)) return;
    request.body = stream.buffer.substr(head_end + 4, body_bytes);
    stream.buffer.erase(0, head_end + 4 + body_bytes);
    {
      std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    changed_.notify_all();
    if (!answer(stream, handler_(request))) return;
  }
}

/// True when the connection may carry another request.
bool HttpTestServer::answer(TestStream& stream, const TestReply& reply) {
  if (reply.hold_before) wait_for_release();
  const bool is_silent = reply.hang_up && reply.raw.empty() && reply.status == 0;
  if (!is_silent && !stream.write(render(reply))) return false;
  if (reply.hold_after) wait_for_release();
  return !reply.hang_up;
}

void HttpTestServer::wait_for_release() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return released_ || stopping_; });
}

}  // namespace fermata
