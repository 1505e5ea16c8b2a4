#pragma once
#include <map>

#include "front/fields.h"
#include "server/bulk_previews.h"
#include "server/routes/common.h"

/// What requests for bulk operations have in common, whatever they act on.
namespace fermata::server::routes {

struct BulkRequest {
  Value filter;  ///< null when absent
  std::optional<std::vector<std::string>> ids;
  bool all = false;
  std::string reason;
  bool dry_run = false;
  std::string token;
  uint32_t per_minute = 0;
};
BulkRequest read_bulk_request(front::Fields& fields);
/// A selection is needed, and only one: fails with filter_required or invalid_field.
Outcome<void> check_bulk_request(const BulkRequest& request);
/// Over what is asked for: without what says how and whether to act.
std::string bulk_request_hash(const Value& body);

/// What would happen to a selection, thing by thing.
class BulkForecast {
 public:
  /// `refusal` is why the action would be refused, if it would.
  void add(std::string_view status, std::string_view id, std::optional<ErrorCode> refusal);
  void add_missing(ErrorCode code, size_t count);
  /// {count, by_status, sample, refused}
  Value value() const;

 private:
  size_t count_ = 0;
  std::map<std::string, int64_t, std::less<>> by_status_, refused_;
  std::vector<std::string> sample_;
};
/// A filter that selects more than `bulk_items_max` of these.
Failure<Error> too_many(const Api& api, std::string_view things);

/// Keeps the preview and answers `told` with the token that acts on it.
void answer_preview(Api& api, const Call& call, BulkPreview preview, Value told);
/// Acts on exactly what the dry run of the token has shown.
Outcome<void> act_on_preview(Api& api, const Call& call, const BulkRequest& request,
                             const std::string& request_hash);
/// Stores the operation, begins it and answers 202 {bulk_id}.
Outcome<void> begin_bulk(Api& api, const Call& call, const BulkRequest& request,
                         BulkPreview preview);

}  // namespace fermata::server::routes
