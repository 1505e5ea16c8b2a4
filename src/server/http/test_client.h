#pragma once
#include <map>
#include <string>
#include <string_view>

namespace fermata::server {

/// What came back, taken apart.
struct ClientAnswer {
  int status = 0;  ///< 0: the connection ended or the deadline passed first
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
};

/// A client for tests: one connection to 127.0.0.1, blocking, every wait bounded by a deadline.
/// With a `tls` of true it speaks TLS and trusts anybody.
class TestClient {
 public:
  explicit TestClient(uint16_t port, bool tls = false);
  ~TestClient();
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  bool send(std::string_view bytes);
  /// Reads one answer; of a HEAD request when told so.
  ClientAnswer receive(bool head = false);
  ClientAnswer ask(std::string_view method, std::string_view target, std::string_view body = "",
                   std::string_view headers = "");
  /// Reads until `text` has been seen; everything read so far, without it when time was over.
  std::string read_until(std::string_view text);
  /// True when the server ends the connection within the deadline.
  bool ended();
  void finish_sending();

 private:
  bool fill();
  ClientAnswer receive_body(ClientAnswer answer, bool head);
  std::string take(size_t count);
  std::string take_line();

  int fd_ = -1;
  void* ssl_ = nullptr;
  void* context_ = nullptr;
  std::string buffer_;
};

}  // namespace fermata::server
