#pragma once
#include "ports/passages.h"
#include "server/http/loop.h"

namespace fermata::server {

/// What a server says when it opens a passage for a request: where that has come from.
constexpr std::string_view carried_from_loopback = "http loopback";
constexpr std::string_view carried_from_anywhere = "http anywhere";

/// Requests that other servers carry to this one are served as those of its own clients are: each
/// passage is a connection of the loop.
Passages::Taker carried_requests(http::LoopDoor door);

}  // namespace fermata::server
