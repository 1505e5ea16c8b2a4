#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "adapters/nats/handles.h"
#include "base/error.h"

/// The streams and consumers that messages of CAP are kept in.
namespace fermata::nats {

struct StreamWanted {
  std::string name;
  std::string setting;  ///< that names it
  std::vector<std::string> subjects;
};
struct ConsumerWanted {
  std::string name;
  std::string subject;
};
constexpr int64_t stream_age_ms = int64_t{7} * 86'400'000;
constexpr int64_t duplicate_window_ms = 120'000;
constexpr int64_t ack_wait_ms = 30'000;
constexpr int64_t deliveries_max = 100;
constexpr int64_t ack_pending_max = 2'048;

/// The two streams of the protocol under the names that the settings give them. `prefix` stands
/// before every subject.
std::vector<StreamWanted> streams_wanted(const std::string& sys, const std::string& jobs,
                                         const std::string& prefix = "");
std::vector<ConsumerWanted> consumers_wanted(const std::string& prefix = "");

/// True when every subject that fits `subject` fits `pattern`; both may have wildcards.
bool covers(std::string_view pattern, std::string_view subject);

/// Makes the stream where it is missing. One that is there is used as it is, and left alone: fails
/// with invalid_setting, naming the difference, when it cannot be used, and with io_failed when the
/// server cannot be asked. Answers what to warn of.
Outcome<std::vector<std::string>> prepare_stream(jsCtx* js, const StreamWanted& wanted);
/// The same of a consumer.
Outcome<void> prepare_consumer(jsCtx* js, const std::string& stream, const ConsumerWanted& wanted);

}  // namespace fermata::nats
