#pragma once
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "adapters/http/test_stream.h"

namespace fermata {

/// A mail that a test server has taken.
struct TestMail {
  std::string from;                     ///< the parameter of MAIL FROM, with what follows it
  std::vector<std::string> recipients;  ///< of RCPT TO
  std::string data;                     ///< as it was sent, dots undone
  std::string login;                    ///< base64 of AUTH PLAIN; empty without one
  bool encrypted = false;
};

/// An SMTP server on loopback and a port of the system's choice, for tests only: one thread per
/// connection, every wait ended by the destructor.
class SmtpTestServer {
 public:
  struct Options {
    bool starttls = false;  ///< offered, with a certificate that it signs itself
    bool tls = false;       ///< spoken from the start
    bool login = false;     ///< AUTH PLAIN is offered
    /// What is answered to a command (`MAIL`, `RCPT a@b`, `.` for the end of the data, `connect`)
    /// instead of the usual; `hang up` closes the connection, `silence` never answers.
    std::map<std::string, std::string> replies = {};
  };
  explicit SmtpTestServer(Options options);
  SmtpTestServer() : SmtpTestServer(Options()) {}
  ~SmtpTestServer();
  SmtpTestServer(const SmtpTestServer&) = delete;
  SmtpTestServer& operator=(const SmtpTestServer&) = delete;

  int port() const { return port_; }
  size_t connections() const;
  std::vector<TestMail> mails() const;
  /// Every command that came, in order.
  std::vector<std::string> commands() const;
  /// True once that many connections have ended; false after 30 seconds.
  bool await_closed(size_t count) const;
  bool await_commands(size_t count) const;

 private:
  struct Talk;
  void accept_loop();
  void serve(int socket);
  void converse(TestStream& stream);
  bool react(Talk& talk, const std::string& line);
  bool reply(Talk& talk, const std::string& command, const std::string& usual);
  bool take_data(Talk& talk);
  bool greet(Talk& talk);

  const Options options_;
  const TestTls tls_;
  int listener_ = -1;
  int stop_event_ = -1;
  int port_ = 0;

  mutable std::mutex mutex_;  ///< guards down to the next blank line
  mutable std::condition_variable changed_;
  bool stopping_ = false;
  size_t accepted_ = 0;
  size_t closed_ = 0;
  std::vector<TestMail> mails_;
  std::vector<std::string> commands_;
  std::list<int> sockets_;
  std::vector<std::thread> workers_;

  std::thread acceptor_;
};

}  // namespace fermata
