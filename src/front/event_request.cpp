#include "front/event_request.h"

#include "base/json.h"
#include "base/words.h"
#include "core/wait/address.h"
#include "core/wait/event_types.h"
#include "front/fields.h"
#include "front/filter_reading.h"

namespace fermata::front {
namespace {

constexpr size_t address_bytes_max = 320;

/// The mistakes of a body are one kind of error here, unless they have a code of their own.
Failure<Error> invalid(Error error) {
  if (error.code == ErrorCode::invalid_field) error.code = ErrorCode::invalid_event;
  return Failure{std::move(error)};
}

/// Reads the type: any name for one execution, else one that is known.
std::string type_of(Fields& fields, const EventSender& sender, bool to_run,
                    const std::string& path) {
  fields.require("event_type");
  auto name = fields.text("event_type", 1'000);
  if (!name) return {};
  auto type =
      to_run ? waits::run_signal_named(*name) : waits::event_type_named(*name, sender.event_types);
  if (type) return *std::move(type);
  std::string_view meant = waits::nearest_event_type(*name);
  fields.add({{"unknown_event_type",
               path + "/event_type",
               quoted(*name) + " is no type of events." +
                   (meant.empty() ? " Own ones begin with \"custom.\"."
                                  : " Did you mean " + quoted(meant) + "?"),
               {}}});
  return {};
}

void read_addresses(Fields& fields, Signal& signal) {
  signal.contact_id = fields.id("contact_id").value_or("");
  if (auto phone = fields.text("phone", address_bytes_max)) {
    signal.phone = waits::normal_phone(*phone);
    if (signal.phone.empty()) fields.wrong("phone", "A number with digits is expected.");
  }
  if (auto email = fields.text("email", address_bytes_max)) {
    signal.email = waits::normal_email(*email);
    if (signal.email.find('@') == std::string::npos)
      fields.wrong("email", "An address such as ann@example.org is expected.");
  }
  signal.run = RunId(fields.id("execution_id").value_or(""));
  // Whoever passes on the data of another system need not take it apart.
  const Value& named = signal.data.get("contact_id");
  if (signal.contact_id.empty() && named.is_string() && is_valid_id(named.as_string()))
    signal.contact_id = named.as_string();
}

class SignalReading final : public FilterReading {
 public:
  explicit SignalReading(SignalFilter& filter) : filter_(filter) {}

 private:
  void one(const std::string& name, const std::string& value) override {
    if (name == "event_type") filter_.type = waits::run_signal_named(value).value_or(value);
    if (name == "contact_id") filter_.contact_id = value;
    if (name == "from") instant(name, value, filter_.from);
    if (name == "to") instant(name, value, filter_.to);
    if (name != "matched") return;
    if (value != "true" && value != "false") return wrong(name, "true or false is expected.");
    filter_.matched = value == "true";
  }
  SignalFilter& filter_;
};

}  // namespace

Outcome<Signal> read_event(const Value& body, const EventSender& sender, const std::string& path) {
  Fields fields(body, path);
  Signal signal;
  signal.account = sender.account;
  if (auto account = fields.id("account_id"); account && *account != sender.account.text())
    return fail(ErrorCode::account_mismatch,
                "The event names the account " + quoted(*account) + ".");
  signal.data = fields.object("data");
  if (!signal.data.is_null() && to_json(signal.data).size() > event_data_bytes_max)
    return fail(ErrorCode::signal_too_large,
                path + "/data is larger than " + std::to_string(event_data_bytes_max) + " bytes.");
  signal.id = fields.id("event_id").value_or("");
  signal.correlation_id = fields.id("correlation_id").value_or("");
  signal.occurred_at = fields.instant("timestamp");
  read_addresses(fields, signal);
  signal.type = type_of(fields, sender, !signal.run.empty(), path);
  if (auto read = fields.finish(); !read) return invalid(std::move(read).error());
  return signal;
}

Outcome<SignalFilter> read_signal_filter(const NamedValues& query, const AccountId& account) {
  SignalFilter filter{.account = account};
  SignalReading reading(filter);
  FERMATA_TRY_VOID(reading.read(query));
  return filter;
}

}  // namespace fermata::front
