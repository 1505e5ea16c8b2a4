#include "server/http/exchange.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "server/http/responder.h"

namespace fermata::http {
namespace {

constexpr size_t stream_drained_bytes = 64 << 10;

}  // namespace

Mailbox::Mailbox() : wake_fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
Mailbox::~Mailbox() {
  if (wake_fd_ >= 0) ::close(wake_fd_);
}

bool Mailbox::post(std::shared_ptr<Exchange> exchange) {
  {
    std::lock_guard lock(mutex_);
    if (closed_) return false;
    items_.push_back(std::move(exchange));
  }
  if (dozing_.exchange(false)) wake();
  return true;
}

void Mailbox::run_there(std::function<void()> errand) {
  {
    std::lock_guard lock(mutex_);
    if (closed_) return;
    errands_.push_back(std::move(errand));
  }
  if (dozing_.exchange(false)) wake();
}

std::vector<std::function<void()>> Mailbox::take_errands() {
  std::lock_guard lock(mutex_);
  return std::exchange(errands_, {});
}

bool Mailbox::doze() {
  dozing_ = true;
  std::lock_guard lock(mutex_);
  return items_.empty() && errands_.empty();
}

void Mailbox::wake() {
  uint64_t one = 1;
  [[maybe_unused]] auto ignored = ::write(wake_fd_, &one, sizeof one);
}

void Mailbox::clear_wake() {
  uint64_t count;
  [[maybe_unused]] auto ignored = ::read(wake_fd_, &count, sizeof count);
}

void Mailbox::take(std::vector<std::shared_ptr<Exchange>>& out) {
  out.clear();
  std::lock_guard lock(mutex_);
  out.swap(items_);
}

std::vector<std::shared_ptr<Exchange>> Mailbox::close() {
  std::vector<std::function<void()>> dropped;  // without the lock: what they hold may post
  std::lock_guard lock(mutex_);
  closed_ = true;
  dropped.swap(errands_);
  return std::exchange(items_, {});
}

bool StreamState::append(std::string_view bytes, bool& post) {
  std::lock_guard lock(mutex_);
  if (gone_ || ended_) return false;
  if (pending_.size() + in_socket_buffer_ > stream_bytes_max) {
    was_full_ = true;
    return false;
  }
  pending_.append(bytes);
  if (pending_.size() + in_socket_buffer_ > stream_drained_bytes) was_full_ = true;
  post = !posted_;
  posted_ = true;
  return true;
}

bool StreamState::end(bool& post) {
  std::lock_guard lock(mutex_);
  if (gone_ || ended_) return false;
  ended_ = true;
  post = !posted_;
  posted_ = true;
  return true;
}

size_t StreamState::unsent() const {
  std::lock_guard lock(mutex_);
  return pending_.size() + in_socket_buffer_;
}

void StreamState::set_drained(std::function<void()> callback) {
  std::lock_guard lock(mutex_);
  // A callback kept after the end would keep its owner, which keeps this, for ever.
  if (!gone_) on_drained_ = std::move(callback);
}

void StreamState::set_gone(std::function<void()> callback) {
  {
    std::lock_guard lock(mutex_);
    if (!gone_) {
      on_gone_ = std::move(callback);
      return;
    }
  }
  if (callback) callback();
}

std::string StreamState::take(bool& ended) {
  std::lock_guard lock(mutex_);
  posted_ = false;
  ended = ended_;
  in_socket_buffer_ += pending_.size();
  return std::exchange(pending_, {});
}

void StreamState::sent(size_t left_in_socket_buffer) {
  std::function<void()> callback;
  {
    std::lock_guard lock(mutex_);
    in_socket_buffer_ = left_in_socket_buffer;
    if (!was_full_ || in_socket_buffer_ + pending_.size() > stream_drained_bytes) return;
    was_full_ = false;
    callback = on_drained_;
  }
  if (callback) callback();
}

void StreamState::leave() {
  std::function<void()> callback;
  std::function<void()> released;
  {
    std::lock_guard lock(mutex_);
    if (gone_.exchange(true)) return;
    callback = std::move(on_gone_);
    released = std::move(on_drained_);
    on_gone_ = nullptr;
    on_drained_ = nullptr;
    pending_.clear();
  }
  if (callback) callback();
}

Stream::Stream(std::shared_ptr<Exchange> exchange, std::shared_ptr<StreamState> state)
    : exchange_(std::move(exchange)), state_(std::move(state)) {}

bool Stream::write(std::string_view bytes) const {
  bool post = false;
  if (!state_ || !state_->append(bytes, post)) return false;
  if (post) exchange_->mailbox->post(exchange_);
  return true;
}

void Stream::close() const {
  bool post = false;
  if (state_ && state_->end(post) && post) exchange_->mailbox->post(exchange_);
}

bool Stream::gone() const { return !state_ || state_->gone(); }
size_t Stream::unsent() const { return state_ ? state_->unsent() : 0; }
void Stream::on_drained(std::function<void()> callback) const {
  if (state_) state_->set_drained(std::move(callback));
}
void Stream::on_gone(std::function<void()> callback) const {
  if (state_) state_->set_gone(std::move(callback));
}

Responder::Responder(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {
  ++exchange_->handles;
}

Responder::Responder(const Responder& other) : exchange_(other.exchange_) {
  if (exchange_) ++exchange_->handles;
}

Responder& Responder::operator=(Responder other) noexcept {
  std::swap(exchange_, other.exchange_);
  return *this;
}

Responder::~Responder() {
  if (!exchange_ || --exchange_->handles > 0 || exchange_->answered) return;
  Response lost;
  lost.status = 500;
  lost.content_type = "application/problem+json";
  lost.body = R"({"type":"urn:fermata:error:internal","title":"The server met a defect",)"
              R"("status":500,"detail":"The request was dropped.","code":"internal"})";
  send(std::move(lost));
}

void Responder::send(Response response) const {
  if (!exchange_ || exchange_->answered.exchange(true)) return;
  exchange_->response = std::move(response);
  exchange_->mailbox->post(exchange_);
}

Stream Responder::stream(Response head) const {
  if (!exchange_ || exchange_->answered.exchange(true)) return {};
  exchange_->response = std::move(head);
  exchange_->stream = std::make_shared<StreamState>();
  Stream stream(exchange_, exchange_->stream);
  if (!exchange_->mailbox->post(exchange_)) exchange_->stream->leave();
  return stream;
}

}  // namespace fermata::http
