#pragma once
#include <string>

#include "base/error.h"
#include "base/value.h"
#include "server/http/message.h"

namespace fermata::server {

/// An error as RFC 7807 problem document: type, title, status, detail, instance, code, hint and
/// errors[].
Value problem_value(const Error& error, const std::string& instance);
/// The same as an answer, with Retry-After and WWW-Authenticate where they belong.
http::Response problem_response(const Error& error, const std::string& instance);
http::Response problem_document(const Error& error, const Value& document);

/// 503 for a server whose clock is wrong (C-103).
http::Response clock_refusal(const std::string& why);

http::Response json_response(int status, const Value& body);

}  // namespace fermata::server
