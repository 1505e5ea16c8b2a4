#include "adapters/sqlite/registration_rows.h"

#include "adapters/sqlite/records.h"

namespace fermata::sqlite {
namespace {

/// A row is written without knowing its number, and found by its id.
constexpr uint64_t no_number = 0;

std::optional<fleet::RegistrationRecord> decode_roll_row(std::string_view bytes,
                                                         std::string_view id) {
  std::optional<std::string_view> body = unseal(bytes, no_number);
  if (!body) return std::nullopt;
  auto record = fleet::decode_registration(*body);
  if (!record || record->id.text() != id) return std::nullopt;
  return *std::move(record);
}

}  // namespace

bool RegistrationRows::write(const RollWrite& roll) {
  for (const fleet::RegistrationRecord& record : roll.written) {
    std::string bytes = seal(fleet::encode(record), no_number);
    if (!put_.execute(record.id.text(), Blob{bytes})) return false;
  }
  for (const RegistrationId& id : roll.forgotten)
    if (!drop_.execute(id.text())) return false;
  return true;
}

Outcome<std::vector<fleet::RegistrationRecord>> RegistrationRows::all(
    const std::function<void(const Error&)>& on_damage) {
  std::vector<fleet::RegistrationRecord> out;
  Rows rows = all_.query();
  while (rows.next()) {
    auto record = decode_roll_row(rows.blob(2), rows.text(1));
    if (record) {
      out.push_back(*std::move(record));
    } else if (on_damage) {
      on_damage(damaged("registration", rows.natural(0), "it cannot be read").value);
    }
  }
  if (rows.failed()) return database_.failure("reading the registrations of workers");
  return out;
}

}  // namespace fermata::sqlite
