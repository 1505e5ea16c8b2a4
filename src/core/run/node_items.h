#pragma once
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/run/event_json.h"

namespace fermata {

/// Everything that became of one node in a run (G-100, G-102): one item for each activation, merge
/// instance and split that its aggregator waits for, in the order in which they began.
class NodeItems {
 public:
  struct Item {
    Lineage lineage;
    uint32_t visit = 0;
    uint32_t attempt = 1;
    std::string_view status;
    uint64_t first_sequence = 0;
    uint64_t last_sequence = 0;
    std::optional<Instant> started_at;
    std::optional<Instant> ended_at;
    Value details;     ///< what it waits for
    Value input;       ///< what the token carried
    Value parameters;  ///< as evaluated, where they were recorded
    Value output;
    Value error;
    std::vector<Value> attempts;  ///< failed ones: {attempt, at, error, retry_at?}
    bool ended() const { return ended_at.has_value(); }
  };

  /// `places` as `places_of` gives them.
  NodeItems(KnownDefinitions definitions, std::vector<std::set<NodeIndex>> places)
      : show_(std::move(definitions)), places_(std::move(places)) {}
  Outcome<void> read(const HistoryChunk& chunk, uint64_t last_sequence);

  const std::vector<Item>& items() const { return items_; }
  /// For a list: where, what and when.
  Value summary(const Item& item) const;
  /// The same with input, output, error and the attempts before.
  Value whole(const Item& item) const;
  /// Called by `split@visit.index` or, where only one stands there, by the innermost index.
  const Item* find(std::string_view name) const;

 private:
  bool is_here(NodeIndex node) const { return places_[phase_].contains(node); }
  Item& open(const Event& event, std::map<uint64_t, size_t>& index, uint64_t key, Lineage lineage);
  Item& of_token(const Event& event, const Activation& activation);
  Item& of_merge(const Event& event, const MergeKey& key);
  void end(Item& item, const Event& event, std::string_view status);
  void take_over(const Event& event);
  void on_order(const Event& event);
  void on_wait(const Event& event);
  void on_end(const Event& event);
  void on_merge(const Event& event);
  void on_split(const Event& event);
  void on_cancel(const Event& event, const TokensCancelled& cancelled);
  void cancel_lineage(const Event& event, Lineage lineage);
  void cancel_token(const Event& event, TokenId id);

  EventShow show_;
  const std::vector<std::set<NodeIndex>> places_;
  size_t phase_ = 0;
  Run run_;  ///< the fold so far: before an event it tells where tokens stand
  std::vector<Item> items_;
  std::map<uint64_t, size_t> by_token_;
  std::map<uint64_t, size_t> by_scope_;  ///< the aggregator's, while its split is open
  std::map<MergeKey, size_t> by_merge_;
};

}  // namespace fermata
