#pragma once
#include <curl/curl.h>

#include <chrono>
#include <memory>
#include <string>

#include "adapters/http/network_policy.h"
#include "ports/call_secrets.h"

namespace fermata::http {

/// One call from its request to its answer: what every kind of call shares, foremost the guard of
/// the network. Belongs to the thread of the multi handle; must not move while a handle is prepared
/// for it.
class Transfer {
 public:
  Transfer(CallTicket ticket, CallRequest request)
      : request_(std::move(request)), ticket_(std::move(ticket)) {}
  virtual ~Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  /// Ends it before it begins, whatever the request says; false.
  bool refuse(std::string error, std::string message);
  /// Judges the request. False when it cannot be sent; then answer() says why.
  virtual bool accept() = 0;
  /// Adds what a credential stands for to an accepted request. False as accept().
  virtual bool take_secrets(CallSecrets secrets) = 0;
  /// The clock starts: time spent waiting for a turn is not the callee's.
  void begin();
  /// Sets a fresh handle up for the next hop. `policy` and `resolve` must outlive the hop.
  void prepare(CURL* handle, const NetworkPolicy& policy, curl_slist* resolve);
  /// A hop has ended. True when another is needed; else answer() is complete.
  virtual bool conclude(CURLcode code) = 0;

  CallAnswer answer();
  const CallTicket& ticket() const { return ticket_; }
  const AccountId& account() const { return request_.account; }
  const Value& credentials() const { return request_.credentials; }

  uint64_t number = 0;     ///< given by whoever runs the multi handle, as is:
  CURL* handle = nullptr;  ///< while under way; owned by the same

 protected:
  struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  using List = std::unique_ptr<curl_slist, FreeList>;
  static void append(List& list, const std::string& line);

  /// What the kind of call needs beyond the guards.
  virtual void set_up(CURL* target) = 0;
  /// The schemes that it may speak, as the library lists them.
  virtual const char* schemes() const = 0;
  /// Whether the library may send it once more when a kept connection turns out to be closed.
  virtual bool may_repeat() const = 0;
  /// What came back, when nothing failed.
  virtual void fill(CallAnswer& answer) = 0;

  /// Takes the place of the reference; an answer will not repeat what is hidden.
  void keep(CallSecrets secrets);
  /// False, as the reason of whoever calls it.
  bool fail(std::string error, std::string message);
  bool has_failed() const { return !error_.empty(); }
  int64_t elapsed_ms() const;
  /// What the library says of the hop that ended.
  std::string problem(CURLcode code) const;
  /// True, and told, when the network policy or the clock ended the hop.
  bool explain_common(CURLcode code);

  CallRequest request_;
  CallSecrets secrets_;

 private:
  static curl_socket_t on_open(void* self, curlsocktype purpose, curl_sockaddr* at) noexcept;
  static int on_request(void* self, char* remote, char* local, int remote_port,
                        int local_port) noexcept;
  void set_guards(CURL* target);

  const CallTicket ticket_;
  std::chrono::steady_clock::time_point began_;
  std::string error_;
  std::string message_;

  // Of the present hop.
  const NetworkPolicy* policy_ = nullptr;
  NetworkPolicy widened_;  ///< with what this request may reach beside
  AddressClass refused_ = AddressClass::open;
  int sockets_ = 0;
  int sendings_ = 0;
  char problem_[CURL_ERROR_SIZE] = {};
};

/// A request over HTTP, or a mail.
std::unique_ptr<Transfer> make_transfer(CallTicket ticket, CallRequest request);

}  // namespace fermata::http
