#pragma once
#include <functional>
#include <memory>

#include "base/value.h"
#include "core/wait/days.h"
#include "core/wait/zone_table.h"

namespace fermata::flow {

/// What an activation is told of time zones. Zone data changes over the years; whoever runs an
/// activation again gives it the answers it was given then.
class ZoneAnswers {
 public:
  using Ask = std::function<Value(const ZoneTable&)>;

  /// Asks the table and notes what it says. Without a table there are UTC and fixed offsets.
  explicit ZoneAnswers(std::shared_ptr<const ZoneTable> table) : table_(std::move(table)) {}
  /// What waits that name no zone mean (R10); told of in answers, as the table is.
  std::string contact_zone{};
  std::string account_zone{};
  BusinessDays business{};
  GapPolicy gap_policy = GapPolicy::gap_end;
  /// Gives these answers again, in their order.
  static ZoneAnswers again(const Value& noted) {
    ZoneAnswers out{nullptr};
    out.repeats_ = true;
    out.noted_ = noted;
    return out;
  }

  Value answer(const Ask& ask) {
    if (repeats_) {
      bool there = noted_.is_array() && next_ < noted_.size();
      return there ? noted_.items()[next_++] : Value();
    }
    Value told = ask(table_ ? *table_ : *utc_table());
    if (noted_.is_null()) noted_ = Value::array();
    noted_.push(told);
    return told;
  }
  /// Null when nothing was asked.
  const Value& noted() const { return noted_; }

 private:
  std::shared_ptr<const ZoneTable> table_;
  Value noted_;
  size_t next_ = 0;
  bool repeats_ = false;
};

}  // namespace fermata::flow
