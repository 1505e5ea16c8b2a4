#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "server/api.h"

namespace fermata::server {

/// One Server-Sent Event. `id` may be empty.
std::string sse_event(std::string_view event, std::string_view id, std::string_view data);

/// A stream of events to one client. It holds no queue: whenever there may be news it looks, on a
/// worker thread and never twice at once, for what the client has not yet been sent. A client that
/// does not read stops the looking, is cut off by the connection's write timeout, and resumes by
/// Last-Event-ID. Kept alive by its connection.
class EventStream : public std::enable_shared_from_this<EventStream> {
 public:
  virtual ~EventStream();
  /// Answers the call with the stream and begins to look.
  static void open(const std::shared_ptr<EventStream>& stream, const Call& call);
  /// There may be news. Any thread.
  void wake();

 protected:
  explicit EventStream(Api& api);
  enum class Look : uint8_t { nothing, more, over };
  /// Sends some of what is new by `send`; on a worker thread.
  virtual Look look() = 0;
  /// Listens for news, if it does not yet; before the first look.
  virtual FeedHub::Subscription subscribe() = 0;
  bool send(std::string_view events);
  Api& api() { return api_; }

 private:
  void turn();
  void look_until_quiet();
  void keep_alive();
  void leave();

  Api& api_;
  http::Stream stream_;
  std::mutex mutex_;
  bool scheduled_ = false;  ///< a turn is queued or under way
  bool news_ = false;       ///< something came while it was
  bool left_ = false;
  FeedHub::Subscription subscription_;
};

}  // namespace fermata::server
