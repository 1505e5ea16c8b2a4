#pragma once
#include <chrono>
#include <deque>
#include <memory>
#include <span>
#include <string>

#include "server/http/exchange.h"
#include "server/http/handler.h"
#include "server/http/parser.h"
#include "server/http/serialise.h"
#include "server/http/transport.h"

namespace fermata::http {

using SteadyTime = std::chrono::steady_clock::time_point;

struct ConnectionLimits {
  ParserLimits parser;
  size_t pipeline_max = 64;           ///< requests of one connection under way together
  size_t output_bytes_max = 1 << 20;  ///< no further request is begun while more waits to be sent
  std::chrono::milliseconds idle_timeout{75'000};
  std::chrono::milliseconds head_timeout{10'000};        ///< first byte to end of the header
  std::chrono::milliseconds body_stall_timeout{15'000};  ///< without a byte of the body
  std::chrono::milliseconds body_timeout{120'000};       ///< for the whole body
  std::chrono::milliseconds write_timeout{30'000};       ///< without the client taking a byte
  std::chrono::milliseconds linger_timeout{2'000};       ///< for reading what follows a refusal
};

/// What connections of one loop share. Owned by the loop.
struct ConnectionShared {
  Handler& handler;
  std::shared_ptr<Mailbox> mailbox;
  ConnectionLimits limits;
  std::string date;
  SteadyTime now;
  bool draining = false;    ///< the server stops: finish what is under way, begin nothing
  std::span<char> scratch;  ///< where reads land first
};

/// One client's connection: reads requests, begins them as their lanes allow, writes the answers in
/// the order of the requests. Belongs to the loop's thread.
class Connection {
 public:
  Connection(uint64_t id, std::unique_ptr<Transport> transport, ConnectionShared& shared,
             bool from_elsewhere = false);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void set_readable() { readable_ = true; }
  void set_writable() { writable_ = true; }
  /// The other side has gone; nothing can be sent any more.
  void set_broken() { broken_ = true; }
  /// The other side sends nothing more: a stream's reader that does this has left.
  void set_peer_closed();
  /// Reads, parses and begins requests as far as possible now. True when there may be more to
  /// read at once (so that one busy client cannot hold the loop).
  bool advance();
  /// An answer, or more of a stream, has arrived.
  void deliver(Exchange& exchange);
  /// Sends what is ready with as few writes as possible.
  void flush();
  /// True when it is over and may be destroyed.
  bool finished() const;
  /// True when it could go on at once although nothing new has come from outside.
  bool has_more_to_do() const { return may_read() || (current_complete_ && may_begin()); }
  /// Ends it if it has exceeded a timeout.
  void enforce_deadlines();
  /// The server stops: ends streams and, when idle, the connection.
  void drain();
  int fd() const { return transport_->fd(); }
  uint64_t id() const { return id_; }
  bool listed = false;  ///< the loop has it on its list of connections to serve this turn

 private:
  bool may_read() const;
  bool may_begin() const;
  bool read_once();
  void parse();
  void begin_current();
  /// Answers what cannot be read as a request and closes.
  void refuse_current(const Error& error);
  /// A request that began and does not go on.
  void give_up(const char* waited_for);
  void write_ready();
  bool write_stream(Exchange& exchange);
  void write_head(Exchange& exchange, Framing framing, bool close);
  bool closes_after(const Exchange& exchange) const;
  void abandon_exchanges();
  void finish_output();
  size_t unsent() const { return output_.size() - output_sent_; }

  const uint64_t id_;
  const std::unique_ptr<Transport> transport_;
  ConnectionShared& shared_;
  const bool from_elsewhere_;
  RequestParser parser_;
  std::shared_ptr<Exchange> current_;  ///< being read, or complete and waiting for its turn
  Lane current_lane_ = Lane::exclusive;
  bool current_complete_ = false;
  bool continue_sent_ = false;
  std::string input_;                                ///< read but not yet parsed
  std::deque<std::shared_ptr<Exchange>> exchanges_;  ///< begun, in order of request
  Lane lane_ = Lane::exclusive;                      ///< of the exchanges under way
  std::string output_;
  size_t output_sent_ = 0;

  bool readable_ = false;
  bool writable_ = true;
  bool peer_closed_ = false;
  bool input_ended_ = false;
  bool closing_ = false;  ///< no further request is read
  bool refused_ = false;  ///< bytes may follow that nobody will read as a request
  bool lingering_ = false;
  bool broken_ = false;
  SteadyTime active_at_;  ///< last byte either way
  SteadyTime request_begun_at_;
  SteadyTime linger_until_;
};

}  // namespace fermata::http
