#include "server/wire/gateway.h"

/// Those who wait for results are told what became of jobs, once each.
namespace fermata::server {
namespace {

constexpr size_t told_max = 8'192;
constexpr size_t page_jobs = 200;
/// Ends are told in the order of commits, and commits of one instant may stand in any.
constexpr Duration overlap{60'000};

}  // namespace

void Gateway::tell_end(const JobId& id, uint64_t delivery) {
  WireDelivery waiting;
  waiting.number = delivery;
  auto job = find(id);
  if (!job) {
    if (delivery == 0) untold_.push_back(id);
    return put_off(waiting, store_pause_first);
  }
  if (!*job || !(*job)->finished()) return ack(waiting);
  tell_dead_letters(**job);
  if (publish_end(front::cap::accepted_of(**job, options_.sender, options_.base_url), delivery))
    return;
  // There is no room for more at the moment.
  if (delivery == 0) untold_.push_back(id);
  put_off(waiting, busy_pause);
}

void Gateway::tell_dead_letters(const job::Job& job) {
  if (job.state == job::State::succeeded || job.state == job::State::cancelled) return;
  DeadLetterFilter filter;
  filter.account = options_.account;
  filter.job = job.id;
  auto page = parts_.dead_letters.dead_letters(filter, 1, "");
  if (!page) return;
  for (const DeadLetterEntry& entry : page->items)
    publish_end(front::cap::dead_letter_of(entry.letter, options_.sender), 0);
}

/// False when too much waits already.
bool Gateway::publish_end(const front::cap::Outgoing& out, uint64_t delivery) {
  if (told_.contains(out.message_id)) {
    if (delivery != 0) settle_done(delivery);
    return true;
  }
  auto under_way = being_told_.find(out.message_id);
  if (under_way != being_told_.end()) {
    if (delivery != 0) telling_[under_way->second].deliveries.push_back(delivery);
    return true;
  }
  uint64_t ticket = ++last_ticket_;
  if (!parts_.wire.publish({ticket, out.subject, out.message_id, parts_.codec.write(out.packet)}))
    return false;
  being_told_.emplace(out.message_id, ticket);
  Telling& telling = telling_[ticket];
  telling.message_id = out.message_id;
  if (delivery != 0) telling.deliveries.push_back(delivery);
  return true;
}

void Gateway::confirmed(const WireConfirm& confirm) {
  auto found = telling_.find(confirm.ticket);
  if (found == telling_.end()) return;
  for (uint64_t delivery : found->second.deliveries) settle_done(delivery);
  const std::string& id = found->second.message_id;
  being_told_.erase(id);
  if (told_.insert(id).second) told_in_order_.push_back(id);
  telling_.erase(found);
  if (told_in_order_.size() <= told_max) return;
  told_.erase(told_in_order_.front());
  told_in_order_.pop_front();
}

/// The stream itself says how far an earlier life had come: what ended since is told again, and
/// the stream knows by their ids those it has.
void Gateway::catch_up() {
  auto latest = parts_.wire.latest("sys.job.accepted");
  if (!latest) return;
  told_until_ = {};
  if (*latest)
    if (auto packet = parts_.codec.read(**latest)) told_until_ = packet->created_at - overlap;
  catching_up_ = true;
  cursor_.clear();
}

void Gateway::catch_up_page() {
  JobFilter filter;
  filter.account = options_.account;
  filter.states = {job::State::succeeded, job::State::failed, job::State::timeout,
                   job::State::cancelled, job::State::denied, job::State::output_quarantined};
  auto page = parts_.reader.list_jobs(filter, page_jobs, cursor_);
  if (!page) return;
  for (const job::Summary& summary : page->items) {
    if (!summary.ended_at || *summary.ended_at < told_until_) continue;
    auto job = find(summary.id);
    if (job && *job && (*job)->source == job::Source::wire) tell_end(summary.id, 0);
  }
  cursor_ = page->next_cursor;
  catching_up_ = !cursor_.empty();
  if (catching_up_) parts_.wire.wake();
}

}  // namespace fermata::server
