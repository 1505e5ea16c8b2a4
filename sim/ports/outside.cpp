#include "sim/ports/outside.h"

#include <cstdlib>

#include "sim/fault.h"

namespace fermata::sim {

namespace {

/// The part of the path after `word/`, or empty when the path does not begin with it.
std::string_view after(std::string_view url, std::string_view word) {
  constexpr std::string_view host = "http://sim/";
  if (!url.starts_with(host)) return {};
  url.remove_prefix(host.size());
  if (!url.starts_with(word) || url.size() <= word.size() || url[word.size()] != '/') return {};
  return url.substr(word.size() + 1);
}

std::string whole(const CallRequest& request) {
  std::string text = request.method + " " + request.url + "\n";
  for (const auto& [name, value] : request.headers) text += name + ": " + value + "\n";
  if (request.mail)
    for (const std::string& to : request.mail->recipients) text += "to " + to + "\n";
  return text + "\n" + request.body;
}

/// `flaky2@sim` takes a mail at the third attempt, anybody else at once.
void take_mail(const MailEnvelope& mail, uint64_t times, CallAnswer& answer) {
  constexpr std::string_view flaky = "flaky";
  const std::string& to = mail.recipients.front();
  bool waits = to.starts_with(flaky) &&
               times <= static_cast<uint64_t>(std::atoi(to.substr(flaky.size()).c_str()));
  answer.status = waits ? 451 : 250;
  answer.status_text = waits ? "later" : "OK";
}

}  // namespace

std::string Outside::key_of(const CallRequest& request) {
  if (request.mail) return request.mail->message_id;
  for (const auto& [name, value] : request.headers)
    if (name == "Idempotency-Key") return value;
  return {};
}

int64_t Outside::number_of(const std::string& url) {
  uint64_t number = 7;
  for (char c : url) number = (number * 31 + static_cast<unsigned char>(c)) % 1'000;
  return static_cast<int64_t>(number);
}

uint64_t Outside::times(const std::string& key) const {
  auto found = seen_.find(key);
  return found == seen_.end() ? 0 : found->second.times;
}

CallAnswer Outside::handle(const CallTicket& ticket, const CallRequest& request) {
  std::string key = key_of(request);
  if (receiver_) {
    CallAnswer answer = receiver_(request);
    answer.ticket = ticket;
    return answer;
  }
  if (key.empty()) throw Violation{"a call without an idempotency key: " + request.url};
  Seen& seen = seen_[key];
  // A run that retries another one evaluates its parameters anew under the old key.
  std::string& before = seen.requests[ticket.run];
  if (before.empty()) before = whole(request);
  if (before != whole(request))
    throw Violation{"one idempotency key was used for two requests:\n" + before + "\nand\n" +
                    whole(request)};
  ++seen.times;
  CallAnswer answer;
  answer.ticket = ticket;
  answer.duration_ms = 1;
  if (request.mail) {
    take_mail(*request.mail, seen.times, answer);
    return answer;
  }
  if (!after(request.url, "down").empty()) {
    answer.error = "network";
    answer.message = "connection refused";
    return answer;
  }
  answer.status = 200;
  if (auto rest = after(request.url, "status"); !rest.empty())
    answer.status = std::atoi(std::string(rest).c_str());
  if (auto rest = after(request.url, "flaky"); !rest.empty())
    if (seen.times <= static_cast<uint64_t>(std::atoi(std::string(rest).c_str())))
      answer.status = 503;
  answer.status_text = answer.status == 200 ? "OK" : "No";
  answer.headers = {{"content-type", "application/json"}};
  answer.body = "{\"t\":" + std::to_string(number_of(request.url)) + "}";
  return answer;
}

}  // namespace fermata::sim
