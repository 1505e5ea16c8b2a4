#pragma once
#include <functional>
#include <map>
#include <string>

#include "core/model/call.h"

namespace fermata::sim {

/// The servers that calls go to. They outlive every crash and remember what each idempotency key
/// was used for.
///
/// What a server does stands in the path: `/ok/…` answers 200 with `{"t": n}`, `/status/503/…` that
/// status, `/down/…` refuses the connection, `/flaky/2/…` fails twice per key, then answers.
class Outside {
 public:
  /// Takes a request in; the answer is what would be sent back.
  CallAnswer handle(const CallTicket& ticket, const CallRequest& request);
  /// Has everything answered by somebody else.
  void receive(std::function<CallAnswer(const CallRequest&)> receiver) {
    receiver_ = std::move(receiver);
  }
  /// How often a key was taken in.
  uint64_t times(const std::string& key) const;
  static std::string key_of(const CallRequest& request);
  /// The number in the answer of `/ok/…`, made from the url.
  static int64_t number_of(const std::string& url);

 private:
  struct Seen {
    std::map<RunId, std::string> requests;
    uint64_t times = 0;
  };
  std::map<std::string, Seen> seen_;
  std::function<CallAnswer(const CallRequest&)> receiver_;
};

}  // namespace fermata::sim
