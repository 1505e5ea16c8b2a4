#include "core/callback/settle.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace fermata::callback {
namespace {

constexpr size_t message_bytes_max = 300;

bool is_taken(const CallAnswer& answer) {
  return answer.error.empty() && answer.status >= 200 && answer.status < 300;
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, the one form of dates that is written today.
std::optional<Instant> parse_http_date(std::string_view text) {
  constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  constexpr size_t length = 29;
  if (text.size() != length || !text.ends_with(" GMT") || text[3] != ',') return std::nullopt;
  size_t month = months.find(text.substr(8, 3));
  if (month == std::string_view::npos || month % 3 != 0) return std::nullopt;
  month = month / 3 + 1;
  std::string number = (month < 10 ? "0" : "") + std::to_string(month);
  return parse_rfc3339(std::string(text.substr(12, 4)) + "-" + number + "-" +
                       std::string(text.substr(5, 2)) + "T" + std::string(text.substr(17, 8)) +
                       "Z");
}

void note_attempt(Delivery& delivery, const CallAnswer& answer, Instant now) {
  ++delivery.attempts;
  DeliveryAttempt attempt;
  attempt.at = now;
  attempt.number = delivery.attempts;
  attempt.status = static_cast<uint32_t>(std::max(0, answer.status));
  attempt.error = answer.error;
  attempt.message = answer.message.substr(0, message_bytes_max);
  attempt.duration_ms = answer.duration_ms;
  delivery.latest.push_back(std::move(attempt));
  if (delivery.latest.size() > attempts_shown_max) delivery.latest.erase(delivery.latest.begin());
}

void end(Delivery& delivery, DeliveryState state, Instant now, std::string note) {
  delivery.state = state;
  delivery.ended_at = now;
  delivery.next_at.reset();
  delivery.note = std::move(note);
}

}  // namespace

Duration delay_after(uint32_t attempts, double fraction) {
  double delay = static_cast<double>(first_delay_ms) *
                 std::pow(3.0, std::min<uint32_t>(attempts, 12) - (attempts > 0 ? 1 : 0));
  delay = std::min(delay, static_cast<double>(delay_ms_max));
  return Duration{std::llround(delay * (0.9 + 0.2 * fraction))};
}

std::optional<Duration> asked_delay(const CallAnswer& answer, Instant now) {
  for (const auto& [name, value] : answer.headers) {
    if (name != "retry-after") continue;
    int64_t seconds = 0;
    const char* last = value.data() + value.size();
    auto read = std::from_chars(value.data(), last, seconds);
    Duration wanted{0};
    if (read.ec == std::errc() && read.ptr == last && seconds >= 0) {
      wanted = Duration{std::min(seconds, delay_ms_max / 1'000) * 1'000};
    } else if (auto date = parse_http_date(value)) {
      wanted = *date - now;
    } else {
      return std::nullopt;
    }
    return Duration{std::clamp<int64_t>(wanted.ms, 0, delay_ms_max)};
  }
  return std::nullopt;
}

Delivery settled(Delivery delivery, const CallAnswer& answer, Instant now, double fraction) {
  note_attempt(delivery, answer, now);
  constexpr int gone = 410;
  if (is_taken(answer)) {
    end(delivery, DeliveryState::done, now, "");
  } else if (answer.error.empty() && answer.status == gone) {
    end(delivery, DeliveryState::gone, now, "the receiver answered 410");
  } else {
    Duration delay = asked_delay(answer, now).value_or(delay_after(delivery.attempts, fraction));
    Instant next = now + delay;
    if (next > delivery.give_up_at) {
      end(delivery, DeliveryState::dead, now, "callback_failed");
    } else {
      delivery.next_at = next;
    }
  }
  return delivery;
}

Delivery renewed(Delivery delivery, Instant now) {
  Duration patience = delivery.give_up_at - delivery.created_at;
  delivery.state = DeliveryState::pending;
  delivery.next_at = now;
  delivery.give_up_at = now + patience;
  delivery.ended_at.reset();
  delivery.note.clear();
  return delivery;
}

}  // namespace fermata::callback
