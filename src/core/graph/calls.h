#pragma once
#include "core/graph/nodes/node.h"
#include "core/run/step.h"

/// What the nodes that call outside bring along; all they share is in calls.cpp.
namespace fermata::graph {

// http.cpp
CallRequest http_request(const Step& step, TokenId id);
void take_http_answer(Step& step, const CallAnswer& answer);

// smtp.cpp
/// Why no mail can be made of these parameters, if so.
std::optional<NodeError> mistake_in_mail(const Step& step, const Value& parameters);
/// Of parameters without a mistake. The same bytes for every attempt.
CallRequest mail_request(const Step& step, TokenId id);
void take_mail_answer(Step& step, const CallAnswer& answer);

}  // namespace fermata::graph
