#pragma once
#include <optional>
#include <set>
#include <string>

#include "adapters/http/request_rules.h"
#include "adapters/http/response_reader.h"
#include "adapters/http/transfer.h"
#include "adapters/http/web_url.h"

namespace fermata::http {

/// An HTTP request over as many hops as redirects ask for. Redirects are followed here and not by
/// the library, which would carry secret headers along.
class WebTransfer final : public Transfer {
 public:
  using Transfer::Transfer;

  bool accept() override;
  bool take_secrets(CallSecrets secrets) override;
  bool conclude(CURLcode code) override;

 private:
  static size_t on_line(char* data, size_t size, size_t count, void* self) noexcept;
  static size_t on_piece(char* data, size_t size, size_t count, void* self) noexcept;

  void set_up(CURL* target) override;
  const char* schemes() const override { return "http,https"; }
  bool may_repeat() const override;
  void fill(CallAnswer& answer) override;

  void sign();
  void set_method(CURL* target);
  List header_list() const;
  bool follow();
  void explain(CURLcode code);
  bool point_at(const std::string& address);

  std::set<std::string> secret_names_;  ///< of headers, lower case
  std::optional<WebUrl> url_;
  int hops_ = 0;

  // Of the present hop.
  List headers_;
  ResponseReader response_;
};

}  // namespace fermata::http
