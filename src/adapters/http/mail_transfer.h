#pragma once
#include <atomic>
#include <optional>
#include <string>

#include "adapters/http/transfer.h"

namespace fermata::http {

/// A mail on its way to the server of its credential. All recipients or none: when the server
/// refuses one of them, nothing is sent. The connection is encrypted from the start on port 465 and
/// by STARTTLS elsewhere: where it is offered, and in any case before a login; never with `plain`.
/// A connection carries one mail, so no account speaks over one that another has opened.
class MailTransfer final : public Transfer {
 public:
  using Transfer::Transfer;

  bool accept() override;
  bool take_secrets(CallSecrets secrets) override;
  bool conclude(CURLcode code) override;

  /// Ends it soon; from any thread.
  void break_off() { is_broken_off_ = true; }
  bool is_broken_off() const { return is_broken_off_; }

 private:
  static size_t on_reply(char* data, size_t size, size_t count, void* self) noexcept;
  static size_t on_read(char* data, size_t size, size_t count, void* self) noexcept;

  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept;

  void set_up(CURL* target) override;
  const char* schemes() const override { return "smtp,smtps"; }
  bool may_repeat() const override { return false; }
  void fill(CallAnswer& answer) override;

  void set_security(CURL* target) const;
  void explain(CURLcode code);
  void take_reply(std::string_view line);

  std::string url_;
  std::atomic<bool> is_broken_off_ = false;

  // Of the present hop.
  List recipients_;
  size_t sent_ = 0;
  int reply_ = 0;  ///< the code of the newest reply
  std::string reply_text_;
  bool is_taken_ = false;
  std::optional<int64_t> judged_ms_;  ///< when the reply to the whole message came
};

}  // namespace fermata::http
