#include "server/http/connection.h"

namespace fermata::http {
namespace {

constexpr size_t reads_per_turn_max = 4;
constexpr size_t output_shrink_bytes = 256 << 10;

}  // namespace

Connection::Connection(uint64_t id, std::unique_ptr<Transport> transport, ConnectionShared& shared,
                       bool from_elsewhere)
    : id_(id),
      transport_(std::move(transport)),
      shared_(shared),
      from_elsewhere_(from_elsewhere),
      parser_(shared.limits.parser),
      active_at_(shared.now) {}

Connection::~Connection() { abandon_exchanges(); }

void Connection::abandon_exchanges() {
  for (auto& exchange : exchanges_) {
    exchange->abandoned = true;
    if (exchange->streams()) exchange->stream->leave();
  }
  exchanges_.clear();
}

void Connection::set_peer_closed() {
  readable_ = peer_closed_ = true;
  if (!exchanges_.empty() && exchanges_.front()->streams()) broken_ = true;
}

bool Connection::may_read() const {
  return readable_ && !input_ended_ && !broken_ && !closing_ && !current_complete_ &&
         input_.empty() && unsent() <= shared_.limits.output_bytes_max &&
         exchanges_.size() < shared_.limits.pipeline_max;
}

bool Connection::may_begin() const {
  if (exchanges_.empty()) return unsent() <= shared_.limits.output_bytes_max;
  return current_lane_ == lane_ && lane_ != Lane::exclusive &&
         exchanges_.size() < shared_.limits.pipeline_max;
}

bool Connection::advance() {
  if (lingering_) {
    while (readable_ && read_once()) input_.clear();
    return false;
  }
  for (size_t reads = 0;; ++reads) {
    parse();
    if (!may_read()) return false;
    if (reads == reads_per_turn_max) return true;
    if (!read_once()) return false;
  }
}

bool Connection::read_once() {
  IoResult result = transport_->read(shared_.scratch);
  if (result.status == Io::ok) {
    active_at_ = shared_.now;
    input_.append(shared_.scratch.data(), result.bytes);
    readable_ = result.more || peer_closed_;
    return true;
  }
  readable_ = false;
  if (result.status == Io::ended) {
    input_ended_ = true;
    // Who has only stopped sending can still read why nothing will come of it.
    if (current_ && parser_.begun() && !current_complete_ && !closing_)
      refuse_current({ErrorCode::bad_request, "The request ended before it was complete.", {}});
  }
  if (result.status == Io::broken) broken_ = true;
  return false;
}

/// Takes as many requests from what has been read as may begin now.
void Connection::parse() {
  size_t taken = 0;
  while (!closing_ && !broken_) {
    if (current_complete_) {
      if (!may_begin()) break;
      begin_current();
      continue;
    }
    if (taken == input_.size()) break;
    if (!current_) {
      current_ = std::make_shared<Exchange>();
      current_->mailbox = shared_.mailbox;
      current_->connection = id_;
      current_->request.from_elsewhere = from_elsewhere_;
      request_begun_at_ = shared_.now;
    }
    taken += parser_.feed(std::string_view(input_).substr(taken), current_->request);
    if (parser_.state() == RequestParser::State::done) {
      current_complete_ = true;
      current_lane_ = shared_.handler.classify(current_->request);
    } else if (parser_.state() == RequestParser::State::failed) {
      refuse_current(parser_.error());
    }
  }
  input_.erase(0, taken);
  if (parser_.expects_continue() && !continue_sent_ && exchanges_.empty() && !closing_) {
    continue_sent_ = true;
    output_.append("HTTP/1.1 100 Continue\r\n\r\n");
  }
}

void Connection::begin_current() {
  auto exchange = std::move(current_);
  current_ = nullptr;
  current_complete_ = continue_sent_ = false;
  parser_.reset();
  lane_ = current_lane_;
  exchange->begun_at = shared_.now;
  if (!exchange->request.keep_alive) closing_ = true;
  exchanges_.push_back(exchange);
  shared_.handler.handle(exchange->request, Responder(exchange));
}

void Connection::refuse_current(const Error& error) {
  auto exchange = std::move(current_);
  current_ = nullptr;
  closing_ = refused_ = true;
  exchange->answered = true;
  exchange->ready = true;
  exchange->begun_at = shared_.now;
  exchange->response = shared_.handler.refuse(error);
  exchange->response.close = true;
  exchanges_.push_back(std::move(exchange));
  write_ready();
}

void Connection::deliver(Exchange& exchange) {
  exchange.ready = true;
  if (exchange.abandoned && exchange.stream) exchange.stream->leave();
  write_ready();
}

bool Connection::closes_after(const Exchange& exchange) const {
  bool last = exchanges_.size() == 1 && !current_complete_;
  return exchange.response.close || !exchange.request.keep_alive || (shared_.draining && last);
}

void Connection::write_head(Exchange& exchange, Framing framing, bool close) {
  append_response(output_, exchange.response,
                  {.framing = framing,
                   .close = close,
                   .http_1_0 = exchange.request.http_1_0,
                   .without_body = exchange.request.method == Method::head,
                   .date = shared_.date});
  shared_.handler.answered(exchange.request, exchange.response.status,
                           shared_.now - exchange.begun_at);
}

void Connection::write_ready() {
  while (!exchanges_.empty() && exchanges_.front()->ready) {
    Exchange& exchange = *exchanges_.front();
    bool close = closes_after(exchange);
    if (exchange.stream) {
      if (!write_stream(exchange)) return;
      close = close || exchange.request.http_1_0 || shared_.draining;
      exchange.stream->leave();
    } else {
      write_head(exchange, Framing::length, close);
    }
    exchanges_.pop_front();
    if (close) {
      closing_ = true;
      abandon_exchanges();
    }
  }
}

/// True when the stream has ended.
bool Connection::write_stream(Exchange& exchange) {
  bool chunked = !exchange.request.http_1_0;
  bool silent = exchange.request.method == Method::head;
  if (!exchange.head_written) {
    exchange.head_written = true;
    write_head(exchange, chunked ? Framing::chunked : Framing::until_close,
               !chunked || closes_after(exchange));
  }
  bool ended = false;
  std::string bytes = exchange.stream->take(ended);
  ended = ended || shared_.draining;
  if (silent) return true;
  if (chunked) {
    append_chunk(output_, bytes);
    if (ended) append_last_chunk(output_);
  } else {
    output_.append(bytes);
  }
  return ended;
}

void Connection::flush() {
  while (!broken_ && writable_ && unsent() > 0) {
    IoResult result = transport_->write(std::string_view(output_).substr(output_sent_));
    if (result.status == Io::ok) {
      output_sent_ += result.bytes;
      active_at_ = shared_.now;
    } else {
      writable_ = false;
      if (result.status != Io::blocked) broken_ = true;
    }
  }
  if (unsent() == 0 && output_sent_ > 0) {
    output_.clear();
    output_sent_ = 0;
    if (output_.capacity() > output_shrink_bytes) output_.shrink_to_fit();
  }
  if (!exchanges_.empty() && exchanges_.front()->streams())
    exchanges_.front()->stream->sent(unsent());
  if (closing_ && exchanges_.empty() && unsent() == 0) finish_output();
}

/// Closing while the client still sends would reset the connection and might take the answer away
/// from it, so what follows a refusal is read and dropped for a moment.
void Connection::finish_output() {
  if (lingering_ || !refused_ || input_ended_ || broken_) return;
  lingering_ = true;
  linger_until_ = shared_.now + shared_.limits.linger_timeout;
  input_.clear();
  transport_->finish_writing();
}

bool Connection::finished() const {
  if (broken_) return true;
  if (!exchanges_.empty() || unsent() > 0) return false;
  if (lingering_) return input_ended_;
  if (closing_) return true;
  return !current_complete_ && (input_ended_ || (shared_.draining && !parser_.begun()));
}

void Connection::enforce_deadlines() {
  const ConnectionLimits& limits = shared_.limits;
  SteadyTime now = shared_.now;
  if (lingering_) {
    broken_ = broken_ || now >= linger_until_;
  } else if (unsent() > 0) {
    broken_ = broken_ || now - active_at_ >= limits.write_timeout;
  } else if (!exchanges_.empty() || current_complete_) {
    return;
  } else if (parser_.state() == RequestParser::State::body) {
    bool late = now - active_at_ >= limits.body_stall_timeout ||
                now - request_begun_at_ >= limits.body_timeout;
    if (late) give_up("body");
  } else if (parser_.begun()) {
    if (now - request_begun_at_ >= limits.head_timeout) give_up("header");
  } else {
    broken_ = broken_ || now - active_at_ >= limits.idle_timeout;
  }
}

void Connection::give_up(const char* waited_for) {
  if (closing_ || !current_) {
    broken_ = true;
    return;
  }
  refuse_current({ErrorCode::request_timeout,
                  std::string("The ") + waited_for + " of the request did not arrive in time.",
                  {}});
  flush();
}

void Connection::drain() { write_ready(); }

}  // namespace fermata::http
