#pragma once
#include <curl/curl.h>

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adapters/http/network_policy.h"
#include "adapters/http/request_rules.h"
#include "adapters/http/response_reader.h"
#include "adapters/http/web_url.h"
#include "ports/call_secrets.h"

namespace fermata::http {

/// One call from its request to its answer, over as many hops as redirects ask for. Redirects are
/// followed here and not by the library, which would carry secret headers along. Belongs to the
/// thread of the multi handle; must not move while a handle is prepared for it.
class Transfer {
 public:
  Transfer(CallTicket ticket, CallRequest request)
      : ticket_(std::move(ticket)), request_(std::move(request)) {}

  /// Ends it before it begins, whatever the request says; false.
  bool refuse(std::string error, std::string message);
  /// Judges the request. False when it cannot be sent; then answer() says why.
  bool accept();
  /// Adds what a credential stands for to an accepted request. False as accept().
  bool take_secrets(CallSecrets secrets);
  /// The clock starts: time spent waiting for a turn is not the callee's.
  void begin();
  /// Sets a fresh handle up for the next hop. `policy` and `resolve` must outlive the hop.
  void prepare(CURL* handle, const NetworkPolicy& policy, curl_slist* resolve);
  /// A hop has ended. True when a redirect asks for another; else answer() is complete.
  bool conclude(CURLcode code);

  CallAnswer answer();
  const CallTicket& ticket() const { return ticket_; }
  const AccountId& account() const { return request_.account; }
  const Value& credentials() const { return request_.credentials; }

  uint64_t number = 0;     ///< given by whoever runs the multi handle, as is:
  CURL* handle = nullptr;  ///< while under way; owned by the same

 private:
  struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  using HeaderList = std::unique_ptr<curl_slist, FreeList>;

  static size_t on_line(char* data, size_t size, size_t count, void* self) noexcept;
  static size_t on_piece(char* data, size_t size, size_t count, void* self) noexcept;
  static curl_socket_t on_open(void* self, curlsocktype purpose, curl_sockaddr* at) noexcept;
  static int on_request(void* self, char* remote, char* local, int remote_port,
                        int local_port) noexcept;

  void sign();
  void set_method(CURL* target);
  void set_guards(CURL* target);
  HeaderList header_list() const;
  bool follow();
  void explain(CURLcode code);
  bool point_at(const std::string& address);
  bool fail(std::string error, std::string message);
  int64_t elapsed_ms() const;

  const CallTicket ticket_;
  CallRequest request_;
  std::set<std::string> secret_names_;  ///< of headers, lower case
  CallSecrets secrets_;                 ///< its query only while the origin is the first one
  std::optional<WebUrl> url_;
  std::chrono::steady_clock::time_point began_;
  int hops_ = 0;
  std::string error_;
  std::string message_;

  // Of the present hop.
  const NetworkPolicy* policy_ = nullptr;
  HeaderList headers_;
  ResponseReader response_;
  AddressClass refused_ = AddressClass::open;
  int sockets_ = 0;
  int sendings_ = 0;
  char problem_[CURL_ERROR_SIZE] = {};
};

}  // namespace fermata::http
