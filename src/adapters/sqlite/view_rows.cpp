#include "adapters/sqlite/view_rows.h"

#include "adapters/sqlite/writer.h"
#include "ports/accounts.h"
#include "ports/record/fields_record.h"

namespace fermata::sqlite {

Outcome<std::vector<Numbered<SavedView>>> ViewQueries::collect(Rows rows) {
  std::vector<Numbered<SavedView>> out;
  while (rows.next()) {
    uint64_t number = rows.natural(0);
    auto view = decode_fields<SavedView>(rows.blob(1), number);
    if (!view) return damaged("view", number, "its checksum does not match");
    out.push_back({number, *std::move(view)});
  }
  if (rows.failed()) return database_.failure("reading views");
  return out;
}

Outcome<std::vector<Numbered<SavedView>>> ViewQueries::views(const AccountId& account) {
  return collect(all_.query(account.text()));
}

Outcome<std::optional<Numbered<SavedView>>> ViewQueries::view(const AccountId& account,
                                                              const std::string& id) {
  FERMATA_TRY(found, collect(one_.query(account.text(), id)));
  if (found.empty()) return std::optional<Numbered<SavedView>>{};
  return std::optional(std::move(found.front()));
}

ViewWriter::ViewWriter(Writer& writer) : writer_(writer), database_(writer.database()) {}

Outcome<void> ViewWriter::put(const SavedView& view, const AuditLine& audit) {
  return writer_.transact(&audit, [&]() -> Outcome<void> {
    FERMATA_TRY(known, queries_.view(view.account, view.id));
    FERMATA_TRY_VOID(check_revision(known ? known->record.revision : 0, view.revision, "the view"));
    uint64_t number = known ? known->number : 0;
    if (!known) {
      FERMATA_TRY(last, database_.number("SELECT max(number) FROM view"));
      number = static_cast<uint64_t>(last) + 1;
    }
    std::string bytes = encode_fields(view, number);
    if (!put_.execute(number, view.account.text(), view.id, Blob{bytes}))
      return database_.failure("writing a view");
    return {};
  });
}

Outcome<void> ViewWriter::remove(const AccountId& account, const std::string& id,
                                 const AuditLine& audit) {
  return writer_.transact(&audit, [&]() -> Outcome<void> {
    FERMATA_TRY(known, queries_.view(account, id));
    if (!known) return fail(ErrorCode::value_not_found, "There is no view `" + id + "`.");
    if (!remove_.execute(account.text(), id)) return database_.failure("removing a view");
    return {};
  });
}

}  // namespace fermata::sqlite
