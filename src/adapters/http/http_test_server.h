#pragma once
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/http/test_stream.h"

namespace fermata {

/// What a test server was asked.
struct TestRequest {
  std::string method;
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers;  ///< names in lower case
  std::string body;
  /// The first value of a header, or empty.
  std::string header(const std::string& lower_name) const;
  bool has_header(const std::string& lower_name) const;
};

/// What a test server does about it.
struct TestReply {
  int status = 200;
  std::string reason = "OK";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string raw;           ///< written instead of all the above when not empty
  bool hold_before = false;  ///< nothing is written before release()
  bool hold_after = false;   ///< the connection is not used further before release()
  bool hang_up = false;      ///< closed after what is written; nothing is, with status 0

  static TestReply redirect(int status, std::string location);
};

/// An HTTP/1.1 server on a loopback address and a port of the system's choice, for tests only: one
/// thread per connection, a limit of connections, every wait ended by the destructor.
class HttpTestServer {
 public:
  using Handler = std::function<TestReply(const TestRequest&)>;
  struct Options {
    std::string address = "127.0.0.1";
    bool tls = false;  ///< with a certificate for `localhost` that it signs itself
  };

  /// The handler is called by several threads.
  explicit HttpTestServer(Handler handler);
  HttpTestServer(Handler handler, Options options);
  ~HttpTestServer();
  HttpTestServer(const HttpTestServer&) = delete;
  HttpTestServer& operator=(const HttpTestServer&) = delete;

  int port() const { return port_; }
  /// Absolute address of a path at this server, by its number or by another name for it.
  std::string url(const std::string& path) const { return url(path, options_.address); }
  std::string url(const std::string& path, const std::string& host) const;

  size_t connections() const;
  std::vector<TestRequest> requests() const;
  /// True once that many requests have come; false after 30 seconds.
  bool await_requests(size_t count) const;
  /// True once that many connections have ended; false after 30 seconds.
  bool await_closed(size_t count) const;
  /// Lets held replies go, those to come too.
  void release();

 private:
  void accept_loop();
  void serve(int socket);
  void converse(TestStream& stream);
  bool answer(TestStream& stream, const TestReply& reply);
  void wait_for_release();

  const Handler handler_;
  const Options options_;
  std::unique_ptr<TestTls> tls_;
  int listener_ = -1;
  int stop_event_ = -1;
  int port_ = 0;

  mutable std::mutex mutex_;  ///< guards down to the next blank line
  mutable std::condition_variable changed_;
  bool stopping_ = false;
  bool released_ = false;
  size_t accepted_ = 0;
  size_t closed_ = 0;
  std::vector<TestRequest> requests_;
  std::list<int> sockets_;
  std::vector<std::thread> workers_;

  std::thread acceptor_;
};

}  // namespace fermata
