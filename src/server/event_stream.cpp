#include "server/event_stream.h"

namespace fermata::server {
namespace {

/// More than this waiting in the connection means that the client does not keep up.
constexpr size_t unsent_bytes_max = 64 << 10;

}  // namespace

std::string sse_event(std::string_view event, std::string_view id, std::string_view data) {
  std::string out;
  out.reserve(data.size() + event.size() + id.size() + 32);
  out.append("event: ").append(event).append("\n");
  if (!id.empty()) out.append("id: ").append(id).append("\n");
  out.append("data: ").append(data).append("\n\n");
  return out;
}

EventStream::EventStream(Api& api) : api_(api) { ++api_.metrics().streams_open; }
EventStream::~EventStream() { --api_.metrics().streams_open; }

void EventStream::open(const std::shared_ptr<EventStream>& stream, const Call& call) {
  http::Response head;
  head.content_type = "text/event-stream";
  head.headers.emplace_back("Cache-Control", "no-store");
  head.headers.emplace_back("X-Accel-Buffering", "no");
  // Listens before the first look, so that nothing falls between the two.
  stream->subscription_ = stream->subscribe();
  stream->stream_ = call.responder.stream(std::move(head));
  stream->stream_.on_drained([stream] { stream->wake(); });
  stream->stream_.on_gone([stream] { stream->leave(); });
  stream->send("retry: 1000\n\n");
  stream->wake();
  stream->keep_alive();
}

bool EventStream::send(std::string_view events) { return stream_.write(events); }

void EventStream::leave() {
  if (stream_.unsent() > unsent_bytes_max) ++api_.metrics().streams_cut;
  FeedHub::Subscription ended;
  std::lock_guard lock(mutex_);
  left_ = true;
  ended = std::move(subscription_);
}

void EventStream::wake() {
  {
    std::lock_guard lock(mutex_);
    if (left_) return;
    news_ = true;
    if (scheduled_) return;
    scheduled_ = true;
  }
  api_.pool().submit_owed([self = shared_from_this()] { self->turn(); });
}

void EventStream::turn() {
  look_until_quiet();
  std::lock_guard lock(mutex_);
  scheduled_ = false;
  if (!news_ || left_) return;
  // News came after the last look: take another turn behind the others that wait for a thread.
  scheduled_ = true;
  api_.pool().submit_owed([self = shared_from_this()] { self->turn(); });
}

void EventStream::look_until_quiet() {
  for (;;) {
    {
      std::lock_guard lock(mutex_);
      if (left_) return;
      news_ = false;
    }
    if (stream_.gone() || stream_.unsent() > unsent_bytes_max) return;
    Look found = look();
    if (found == Look::over) stream_.close();
    if (found != Look::more) return;
  }
}

void EventStream::keep_alive() {
  std::weak_ptr<EventStream> weak = shared_from_this();
  api_.deadlines().after(std::chrono::milliseconds(api_.options().stream_keep_alive_ms), [weak] {
    auto self = weak.lock();
    if (!self || self->stream_.gone()) return;
    if (self->stream_.unsent() == 0) self->send(": alive\n\n");
    self->keep_alive();
  });
}

}  // namespace fermata::server
