#pragma once
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/route.h"

namespace fermata::server {

/// Finds the route of a request. A literal segment beats a variable one, unless only the variable
/// one leads to a route that takes the method.
class Router {
 public:
  explicit Router(std::span<const Route> routes);

  struct Match {
    const Route* route = nullptr;
    std::string allow;       ///< methods the path takes, when it exists but not with this one
    bool malformed = false;  ///< an escape in the path is broken
  };
  /// Fills the request's variables. HEAD finds the GET route.
  Match find(http::Request& request) const;

 private:
  struct Node {
    std::map<std::string, std::unique_ptr<Node>, std::less<>> literals;
    std::unique_ptr<Node> variable;
    std::vector<const Route*> routes;
  };
  struct Walk;
  static const Route* walk(const Node& node, Walk& state, std::string_view rest);

  Node root_;
};

/// OpenAPI 3.1 of the routes, as JSON text.
std::string openapi_of(std::span<const Route> routes, std::string_view version);

}  // namespace fermata::server
