#pragma once
#include "bench/engine.h"
#include "front/account_book.h"
#include "front/policy_board.h"
#include "front/pool_board.h"
#include "front/vault.h"
#include "server/api.h"
#include "server/server.h"

namespace fermata::bench {

/// An engine behind HTTP on a port of the system's choice, as `fermata serve` has it.
class Served {
 public:
  explicit Served(Engine& engine);
  ~Served();
  uint16_t port() const;

 private:
  front::Vault vault_;
  front::PolicyBoard policy_;  ///< without rules: what is measured is the way without them
  front::PoolBoard pools_;
  front::AccountBook accounts_;
  server::Api api_;
  server::Server server_;
};

}  // namespace fermata::bench
