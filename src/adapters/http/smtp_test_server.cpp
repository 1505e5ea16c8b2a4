#include "adapters/http/smtp_test_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <optional>

#include "base/check.h"

namespace fermata {
namespace {

constexpr auto mail_patience = std::chrono::seconds(30);

std::optional<std::string> line_from(TestStream& stream) {
  size_t end;
  while ((end = stream.buffer.find("\r\n")) == std::string::npos)
    if (!stream.fill(stream.buffer.size() + 1)) return std::nullopt;
  std::string line = stream.buffer.substr(0, end);
  stream.buffer.erase(0, end + 2);
  return line;
}

/// What stands in the angle brackets of a command.
std::string bracketed(const std::string& line) {
  const size_t open = line.find('<');
  return line.substr(open + 1, line.find('>') - open - 1);
}

}  // namespace

struct SmtpTestServer::Talk {
  TestStream& stream;
  TestMail mail;
};

SmtpTestServer::SmtpTestServer(Options options) : options_(std::move(options)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  stop_event_ = eventfd(0, EFD_CLOEXEC);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  check(bind(listener_, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0);
  check(listen(listener_, 128) == 0);
  socklen_t size = sizeof at;
  check(getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size) == 0);
  port_ = ntohs(at.sin_port);
  acceptor_ = std::thread([this] { accept_loop(); });
}

SmtpTestServer::~SmtpTestServer() {
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

size_t SmtpTestServer::connections() const {
  std::lock_guard lock(mutex_);
  return accepted_;
}

std::vector<TestMail> SmtpTestServer::mails() const {
  std::lock_guard lock(mutex_);
  return mails_;
}

std::vector<std::string> SmtpTestServer::commands() const {
  std::lock_guard lock(mutex_);
  return commands_;
}

bool SmtpTestServer::await_closed(size_t count) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, mail_patience, [&] { return closed_ >= count; });
}

bool SmtpTestServer::await_commands(size_t count) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, mail_patience, [&] { return commands_.size() >= count; });
}

void SmtpTestServer::accept_loop() {
  for (;;) {
    pollfd waits[2] = {{listener_, POLLIN, 0}, {stop_event_, POLLIN, 0}};
    if (poll(waits, 2, -1) < 0) continue;
    if (waits[1].revents != 0) return;
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    const timeval limit{30, 0};
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    std::lock_guard lock(mutex_);
    ++accepted_;
    sockets_.push_back(socket);
    workers_.emplace_back([this, socket] { serve(socket); });
  }
}

void SmtpTestServer::serve(int socket) {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  {
    TestStream stream(socket);
    if (!options_.tls || stream.start_tls(tls_)) converse(stream);
  }
  {
    std::lock_guard lock(mutex_);
    sockets_.remove(socket);
    close(socket);
    ++closed_;
  }
  changed_.notify_all();
}

void SmtpTestServer::converse(TestStream& stream) {
  Talk talk{stream, {}};
  if (!reply(talk, "connect", "220 test")) return;
  while (auto line = line_from(stream)) {
    {
      std::lock_guard lock(mutex_);
      commands_.push_back(*line);
    }
    changed_.notify_all();
    if (!react(talk, *line)) return;
  }
}

/// False when the talk is over.
bool SmtpTestServer::reply(Talk& talk, const std::string& command, const std::string& usual) {
  const auto given = options_.replies.find(command);
  const std::string& text = given == options_.replies.end() ? usual : given->second;
  if (text == "hang up") return false;
  if (text == "silence") {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, mail_patience, [&] { return stopping_; });
    return false;
  }
  return talk.stream.write(text + "\r\n");
}

bool SmtpTestServer::greet(Talk& talk) {
  std::string text = "250-test";
  if (options_.starttls && !talk.stream.is_encrypted()) text += "\r\n250-STARTTLS";
  if (options_.login) text += "\r\n250-AUTH PLAIN";
  return reply(talk, "EHLO", text + "\r\n250 SIZE 1000000");
}

bool SmtpTestServer::react(Talk& talk, const std::string& line) {
  const std::string verb = line.substr(0, line.find(' '));
  if (verb == "EHLO") return greet(talk);
  if (verb == "STARTTLS") {
    if (!reply(talk, "STARTTLS", "220 go on")) return false;
    talk.stream.buffer.clear();
    return talk.stream.start_tls(tls_);
  }
  if (verb == "AUTH") {
    talk.mail.login = line.substr(line.rfind(' ') + 1);
    if (talk.mail.login != "PLAIN") return reply(talk, "AUTH", "235 welcome");
    if (!talk.stream.write("334 \r\n")) return false;
    auto login = line_from(talk.stream);
    talk.mail.login = login.value_or("");
    return login && reply(talk, "AUTH", "235 welcome");
  }
  if (verb == "MAIL") {
    talk.mail.from = line.substr(10);
    return reply(talk, "MAIL", "250 sender known");
  }
  if (verb == "RCPT") {
    talk.mail.recipients.push_back(bracketed(line));
    return reply(talk, "RCPT " + bracketed(line), "250 box known");
  }
  if (verb == "DATA") return reply(talk, "DATA", "354 go on") && take_data(talk);
  if (verb == "QUIT") {
    reply(talk, "QUIT", "221 bye");
    return false;
  }
  return reply(talk, verb, "250 fine");
}

bool SmtpTestServer::take_data(Talk& talk) {
  // A reply that refuses the data is no invitation to send any.
  const auto given = options_.replies.find("DATA");
  if (given != options_.replies.end() && !given->second.starts_with("354")) return true;
  for (;;) {
    auto line = line_from(talk.stream);
    if (!line) return false;
    if (*line == ".") break;
    talk.mail.data += (line->starts_with('.') ? line->substr(1) : *line) + "\r\n";
  }
  talk.mail.encrypted = talk.stream.is_encrypted();
  {
    std::lock_guard lock(mutex_);
    mails_.push_back(talk.mail);
  }
  return reply(talk, ".", "250 taken");
}

}  // namespace fermata
