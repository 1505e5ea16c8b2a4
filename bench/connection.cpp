#include "bench/connection.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace fermata::bench {

int connect_to(uint16_t port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::exit(5);
  int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return fd;
}

void send_all(int fd, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    ssize_t sent = send(fd, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent <= 0) std::exit(5);
    done += static_cast<size_t>(sent);
  }
}

int take_answer(std::string& received, std::string* body) {
  size_t end = received.find("\r\n\r\n");
  if (end == std::string::npos) return 0;
  size_t length = 0;
  for (const char* name : {"Content-Length: ", "content-length: "}) {
    size_t at = received.find(name);
    if (at < end) length = std::strtoul(received.c_str() + at + std::strlen(name), nullptr, 10);
  }
  if (received.size() < end + 4 + length) return 0;
  int status = std::atoi(received.c_str() + 9);
  if (body) *body = received.substr(end + 4, length);
  received.erase(0, end + 4 + length);
  return status;
}

std::string post_request(uint16_t port, const std::string& path, const std::string& body) {
  return "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

Client::~Client() { close(fd_); }

Client::Answer Client::post(const std::string& path, const std::string& body) {
  send_all(fd_, post_request(port_, path, body));
  Answer answer;
  char buffer[65536];
  while ((answer.status = take_answer(received_, &answer.body)) == 0) {
    ssize_t got = read(fd_, buffer, sizeof buffer);
    if (got <= 0) std::exit(5);
    received_.append(buffer, static_cast<size_t>(got));
  }
  return answer;
}

}  // namespace fermata::bench
