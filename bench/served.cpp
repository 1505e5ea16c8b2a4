#include "bench/served.h"

#include <cstdio>
#include <cstdlib>

namespace fermata::bench {

namespace {

server::ApiOptions without_rate_limit() {
  server::ApiOptions options;
  options.rate_limit.per_second = 0;
  return options;
}

server::ServerOptions any_port() {
  server::ServerOptions options;
  options.listen = "127.0.0.1:0";
  return options;
}

}  // namespace

Served::Served(Engine& engine)
    : vault_(*engine.store, front::given_keys(SealingKeys::fresh())),
      policy_(*engine.store, engine.clock, {}),
      pools_(*engine.store, engine.clock, {}),
      accounts_(*engine.store),
      api_({engine.host(),  *engine.store, *engine.store,        *engine.store, engine.clock,
            engine.entropy, engine.hub,    engine.definitions(), vault_,        *engine.store,
            engine.host(),  engine.host(), *engine.store,        *engine.store, engine.host(),
            engine.host(),  policy_,       engine.host(),        *engine.store, accounts_,
            *engine.store,  pools_},
           without_rate_limit()),
      server_(any_port(), api_) {
  if (auto started = server_.start(); !started) {
    std::fprintf(stderr, "bench: %s\n", started.error().message.c_str());
    std::exit(5);
  }
}

Served::~Served() { server_.stop(); }

uint16_t Served::port() const { return server_.port(); }

}  // namespace fermata::bench
