#pragma once
#include <string>

#include "core/model/activation.h"
#include "core/model/approval.h"

/// What happens to the questions of a run, as its history tells it.
namespace fermata {

/// People are asked; the token or the script waits for the answer.
struct ApprovalRequested {
  Activation activation;  ///< of the node; of no token when a script asks
  Approval approval;
  template <class V> void each(V&& v) { v("activation", activation); v("approval", approval); }
};
/// Somebody has answered, or nobody has in time. What it means to the run follows it.
struct ApprovalDecided {
  uint64_t number = 0;
  std::string id;
  ApprovalStatus status = ApprovalStatus::approved;
  std::string by;
  std::string comment;
  template <class V> void each(V&& v) {
    v("number", number); v("approval_id", id); v("status", status); v("by", by);
    v("comment", comment);
  }
};

}  // namespace fermata
