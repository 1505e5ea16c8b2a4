#include "server/router.h"

#include <algorithm>

#include "base/check.h"

namespace fermata::server {
namespace {

/// Takes the next segment off `/a/b`.
std::string_view take_segment(std::string_view& rest) {
  rest.remove_prefix(1);
  size_t end = std::min(rest.find('/'), rest.size());
  std::string_view segment = rest.substr(0, end);
  rest.remove_prefix(end);
  return segment;
}

void add_method(std::string& allow, std::string_view method) {
  if (allow.find(method) != std::string::npos) return;
  allow.append(allow.empty() ? "" : ", ").append(method);
}

}  // namespace

Router::Router(std::span<const Route> routes) {
  for (const Route& route : routes) {
    Node* node = &root_;
    std::string_view rest = route.path;
    while (!rest.empty()) {
      std::string_view segment = take_segment(rest);
      auto& next = segment.starts_with('{') ? node->variable : node->literals[std::string(segment)];
      if (!next) next = std::make_unique<Node>();
      node = next.get();
    }
    node->routes.push_back(&route);
  }
}

struct Router::Walk {
  http::Request& request;
  http::Method method;
  size_t depth = 0;
  std::string allow{};
  bool malformed = false;
};

const Route* Router::walk(const Node& node, Walk& state, std::string_view rest) {
  if (rest.empty()) {
    for (const Route* route : node.routes) {
      if (route->method == state.method) return route;
      add_method(state.allow, name_of(route->method));
      if (route->method == http::Method::get) add_method(state.allow, "HEAD");
    }
    return nullptr;
  }
  std::string_view segment = take_segment(rest);
  if (auto literal = node.literals.find(segment); literal != node.literals.end())
    if (const Route* found = walk(*literal->second, state, rest)) return found;
  if (!node.variable || segment.empty()) return nullptr;
  check(state.depth < state.request.variables.size());
  std::string decoded;
  if (!http::percent_decode(segment, decoded)) {
    state.malformed = true;
    return nullptr;
  }
  size_t index = state.depth++;
  const Route* found = walk(*node.variable, state, rest);
  if (found) state.request.variables[index] = std::move(decoded);
  --state.depth;
  return found;
}

Router::Match Router::find(http::Request& request) const {
  Walk state{request, request.method == http::Method::head ? http::Method::get : request.method};
  if (!request.path.starts_with('/')) return {};
  Match match;
  match.route = walk(root_, state, request.path);
  match.malformed = state.malformed;
  if (!match.route) match.allow = std::move(state.allow);
  return match;
}

}  // namespace fermata::server
