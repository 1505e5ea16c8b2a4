#include <cmath>

#include "base/hash.h"
#include "base/utf8.h"
#include "base/uuid.h"
#include "core/flow/library_call.h"

namespace fermata::flow::natives {

Datum random_uuid(Machine& machine, Arguments) {
  uint64_t high = machine.random().next();
  return machine.text(uuid_v4(high, machine.random().next()));
}

Datum random_number(Machine& machine, Arguments) { return Datum::of(machine.random().fraction()); }

Datum random_int(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  double low = std::ceil(call.number(0));
  double high = std::floor(call.number(1));
  if (call.failed()) return {};
  constexpr double limit = 9007199254740991.0;
  bool fits = std::fabs(low) <= limit && std::fabs(high) <= limit && low <= high;
  if (!fits) return machine.throw_argument("Random.int takes two integers, the smaller first");
  auto width = static_cast<uint64_t>(high - low) + 1;
  return Datum::of_integer(static_cast<int64_t>(low) +
                           static_cast<int64_t>(machine.random().below(width)));
}

Datum random_pick(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  Datum array = call.array(0);
  if (call.failed()) return {};
  size_t size = machine.array_size(array);
  if (size == 0) return machine.throw_argument("Random.pick takes an array with items");
  return machine.array_item(array, machine.random().below(size));
}

namespace {

bool wants_url(Machine& machine, Call& call) {
  if (!call.has(1)) return false;
  Datum options = call.object(1);
  if (call.failed()) return false;
  auto url = machine.object_find(options, "url");
  return url && Machine::truthy(*url);
}

}  // namespace

Datum base64_encode(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  bool url = wants_url(machine, call);
  if (call.failed() || !machine.text_fits(text.size() / 3 * 4 + 4)) return {};
  return machine.text(base64(text, url));
}

Datum base64_decode(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  wants_url(machine, call);
  if (call.failed() || !machine.charge_bytes(text.size())) return {};
  std::string out;
  if (!unbase64(text, out)) return machine.throw_argument("the text is not base64");
  if (!is_utf8(out)) return machine.throw_argument("the decoded bytes are not a text");
  return machine.text(std::move(out));
}

Datum hash_sha256(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  if (call.failed() || !machine.charge_bytes(text.size())) return {};
  return machine.text(sha256_hex(text));
}

}  // namespace fermata::flow::natives
