#pragma once
#include <cstdint>
#include <string>

namespace fermata::bench {

/// A keep-alive connection to a server on this machine. A failure of it ends the program.
int connect_to(uint16_t port);
void send_all(int fd, const std::string& bytes);
/// Takes one complete answer off the front; its status, or 0 when it is not complete yet.
int take_answer(std::string& received, std::string* body = nullptr);
std::string post_request(uint16_t port, const std::string& path, const std::string& body);

/// Asks and waits for the answer.
class Client {
 public:
  explicit Client(uint16_t port) : port_(port), fd_(connect_to(port)) {}
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  struct Answer {
    int status = 0;
    std::string body;
  };
  Answer post(const std::string& path, const std::string& body);

 private:
  const uint16_t port_;
  const int fd_;
  std::string received_;
};

}  // namespace fermata::bench
