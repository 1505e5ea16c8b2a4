#include <condition_variable>
#include <mutex>

#include "test/postgres/shared_schema.h"

namespace fermata::test {
namespace {

/// Remembers what it hears, and may answer at once.
class Listener final : public PassageEar {
 public:
  void heard(std::string bytes) override {
    std::lock_guard lock(mutex_);
    heard_ += bytes;
    if (takes_ && passage_) passage_->took(bytes.size());
    if (echoes_ && passage_) passage_->say(bytes);
  }
  void may_say() override { ++rooms_; }
  void over(PassageEnd end) override {
    std::lock_guard lock(mutex_);
    end_ = end;
  }
  void use(std::shared_ptr<Passage> passage, bool echoes, bool takes) {
    std::lock_guard lock(mutex_);
    passage_ = std::move(passage);
    echoes_ = echoes;
    takes_ = takes;
  }
  void drop() {
    std::shared_ptr<Passage> released;
    std::lock_guard lock(mutex_);
    released.swap(passage_);
  }
  std::shared_ptr<Passage> passage() {
    std::lock_guard lock(mutex_);
    return passage_;
  }
  std::string heard_so_far() {
    std::lock_guard lock(mutex_);
    return heard_;
  }
  std::optional<PassageEnd> end() {
    std::lock_guard lock(mutex_);
    return end_;
  }
  int rooms() const { return rooms_; }

 private:
  std::mutex mutex_;
  std::string heard_;
  std::optional<PassageEnd> end_;
  std::shared_ptr<Passage> passage_;
  bool echoes_ = false, takes_ = true;
  std::atomic<int> rooms_{0};
};

class PassagesTest : public SharedSchema {
 protected:
  /// A leader that takes every call with a listener of its own, and a follower that knows of it.
  void begin(bool echoes, bool takes = true) {
    leader_ = leading("leader");
    leader_->replicas().introduce(named("leader"));
    leader_->passages().take_calls(
        [this, echoes, takes](std::string_view opening, std::shared_ptr<Passage> passage) {
          auto ear = std::make_shared<Listener>();
          ear->use(std::move(passage), echoes, takes);
          std::lock_guard lock(mutex_);
          openings_.emplace_back(opening);
          taken_.push_back(ear);
          return ear;
        });
    ASSERT_TRUE(leader_->serve_others());
    follower_ = open(follower_options_ ? *follower_options_ : options("follower"));
    follower_->replicas().introduce(named("follower"));
    ASSERT_FALSE(leads(*follower_));
    ASSERT_TRUE(follower_->leader().serves);
  }
  std::shared_ptr<Listener> call(std::string_view opening) {
    auto ear = std::make_shared<Listener>();
    auto passage = follower_->passages().call(opening, ear);
    EXPECT_TRUE(passage) << passage.error().message;
    if (passage) ear->use(*std::move(passage), false, true);
    return ear;
  }
  std::shared_ptr<Listener> taken(size_t at) {
    std::lock_guard lock(mutex_);
    return at < taken_.size() ? taken_[at] : nullptr;
  }
  static Replica named(const std::string& name) {
    Replica self;
    self.name = name;
    self.version = "1";
    self.role = name;
    return self;
  }

  std::mutex mutex_;
  std::vector<std::string> openings_;
  std::vector<std::shared_ptr<Listener>> taken_;
  std::optional<PostgresOptions> follower_options_;
  std::unique_ptr<PostgresStore> leader_, follower_;
};

// C-2, C-18: bytes go there and back in order, and no row is left behind.
TEST_F(PassagesTest, bytes_go_both_ways_in_order_and_leave_nothing_behind) {
  begin(true);
  auto one = call("for the first"), two = call("for the second");
  std::string said;
  for (int i = 0; i < 200; ++i) said += "line " + std::to_string(i) + "\n";
  one->passage()->say(said);
  two->passage()->say("short");
  EXPECT_TRUE(soon([&] { return one->heard_so_far() == said; }));
  EXPECT_TRUE(soon([&] { return two->heard_so_far() == "short"; }));
  ASSERT_TRUE(taken(1));
  taken(0)->passage()->finish();
  taken(1)->passage()->finish();
  EXPECT_TRUE(soon([&] { return one->end() == PassageEnd::finished; }));
  EXPECT_TRUE(soon([&] { return two->end() == PassageEnd::finished; }));
  EXPECT_TRUE(soon([&] { return count("passages") == 0; }));
  std::lock_guard lock(mutex_);
  EXPECT_EQ(openings_.size(), 2u);
  EXPECT_EQ(std::set<std::string>(openings_.begin(), openings_.end()),
            (std::set<std::string>{"for the first", "for the second"}));
}

// C-120: who does not take what is said is not sent more than the window.
TEST_F(PassagesTest, what_lies_in_the_database_is_bounded_by_the_window) {
  follower_options_ = options("follower");
  follower_options_->passage_window_bytes = 64 << 10;
  begin(false, false);
  auto one = call("slow");
  std::string much(1 << 20, 'x');
  one->passage()->say(much);
  EXPECT_EQ(one->passage()->room(), 0u);
  ASSERT_TRUE(soon([&] { return taken(0) && taken(0)->heard_so_far().size() == 64 << 10; }));
  EXPECT_EQ(one->rooms(), 0);
  // It takes: more is sent, until all has come.
  EXPECT_TRUE(soon([&] {
    static size_t told = 0;
    size_t heard = taken(0)->heard_so_far().size();
    if (heard > told) taken(0)->passage()->took(heard - told);
    told = heard;
    return heard == much.size();
  }));
  EXPECT_TRUE(soon([&] { return one->rooms() > 0; }));
  EXPECT_GT(one->passage()->room(), 0u);
}

// C-120: no more than the limit are open at once, and one that ends makes room.
TEST_F(PassagesTest, calls_beyond_the_limit_are_refused) {
  follower_options_ = options("follower");
  follower_options_->passages_max = 2;
  begin(true);
  auto one = call("1"), two = call("2");
  auto refused = follower_->passages().call("3", std::make_shared<Listener>());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::queue_full);
  ASSERT_TRUE(soon([&] { return taken(1) != nullptr; }));
  one->drop();
  EXPECT_TRUE(soon([&] {
    return taken(0)->end() == PassageEnd::broken || taken(1)->end() == PassageEnd::broken;
  }));
  EXPECT_TRUE(soon([&] { return bool(follower_->passages().call("4", two)); }));
}

// C-2, C-120: a leader that takes nothing refuses; what was never heard may be said again.
TEST_F(PassagesTest, call_that_nobody_takes_is_refused_and_not_broken) {
  begin(true);
  leader_->passages().take_calls(nullptr);
  auto one = call("1");
  one->passage()->say("please");
  EXPECT_TRUE(soon([&] { return one->end() == PassageEnd::refused; }));
}

// C-120: the takeover ends calls to the former leader, and new ones go to the next.
TEST_F(PassagesTest, calls_to_a_leader_that_is_followed_are_broken_off) {
  begin(true);
  auto one = call("1");
  one->passage()->say("hello");
  ASSERT_TRUE(soon([&] { return one->heard_so_far() == "hello"; }));
  auto third = open(options("third"));
  end_lock_session();
  ASSERT_TRUE(soon([&] { return leads(*third); }));
  EXPECT_TRUE(soon([&] {
    EXPECT_FALSE(leads(*follower_));
    return one->end() == PassageEnd::broken;
  }));
  EXPECT_FALSE(follower_->leader().serves) << "it has not said so yet";
  auto early = follower_->passages().call("2", std::make_shared<Listener>());
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, ErrorCode::store_unavailable);
}

// C-2, C-120: what a leader that ends has not read may be asked of the next.
TEST_F(PassagesTest, calls_that_a_former_leader_never_read_are_refused) {
  begin(true);
  leader_->passages().stop();
  auto one = call("1");
  one->passage()->say("please");
  ASSERT_TRUE(soon([&] { return count("passages") > 0; }));
  auto third = open(options("third"));
  end_lock_session();
  ASSERT_TRUE(soon([&] { return leads(*third); }));
  EXPECT_TRUE(soon([&] {
    EXPECT_FALSE(leads(*follower_));
    return one->end() == PassageEnd::refused;
  }));
  EXPECT_EQ(count("passages"), 0);
}

// C-19, C-120: what a follower that died had open is ended, and its rows are removed.
TEST_F(PassagesTest, passages_of_a_follower_that_is_silent_are_broken_off) {
  begin(true);
  auto one = call("1");
  one->passage()->say("hello");
  ASSERT_TRUE(soon([&] { return taken(0) && taken(0)->heard_so_far() == "hello"; }));
  std::string id = follower_->replicas().own_id();
  // As if it were dead: it is seen no more, whatever it says.
  ASSERT_TRUE(database().run("create function " + schema_ +
                             ".dead() returns trigger language plpgsql as $$ begin return null; "
                             "end $$; delete from " +
                             schema_ + ".replicas where id = '" + id +
                             "'; create trigger dead before insert or update on " + schema_ +
                             ".replicas for each row when (new.id = '" + id +
                             "') execute function " + schema_ + ".dead()"));
  EXPECT_TRUE(soon([&] { return taken(0)->end() == PassageEnd::broken; }));
}

// C-120: rows that nobody will read are removed; those of the living stay.
TEST_F(PassagesTest, rows_of_dead_receivers_are_removed) {
  begin(true);
  ASSERT_TRUE(database().run("insert into " + schema_ +
                             ".passages (receiver, sender, number, sequence, kind, bytes, at) "
                             "values ('gone', 'x', 1, 1, 1, '', now() - interval '1 hour')"));
  EXPECT_TRUE(soon([&] { return count("passages") == 0; }));
}

// C-18, C-207: a session that is lost ends what it carried; the next is made by itself.
TEST_F(PassagesTest, lost_session_ends_passages_and_new_ones_work) {
  begin(true);
  auto one = call("1");
  one->passage()->say("hello");
  ASSERT_TRUE(soon([&] { return one->heard_so_far() == "hello"; }));
  ASSERT_GT(database().number("select count(pg_terminate_backend(pid)) from pg_stat_activity where "
                              "query like 'listen %' or query like '%passages%' and pid <> "
                              "pg_backend_pid()"),
            0);
  EXPECT_TRUE(soon([&] { return one->end() == PassageEnd::broken; }));
  std::shared_ptr<Listener> two;
  EXPECT_TRUE(soon([&] {
    (void)follower_->take_lead();
    if (!two || two->end()) {
      two = std::make_shared<Listener>();
      auto passage = follower_->passages().call("2", two);
      if (!passage) return false;
      two->use(*std::move(passage), false, true);
      two->passage()->say("again");
    }
    return two->heard_so_far() == "again";
  }));
}

// C-10: each tells of itself, and one that ends is forgotten at once.
TEST_F(PassagesTest, replicas_are_seen_with_what_they_are) {
  begin(true);
  EXPECT_TRUE(soon([&] {
    auto all = leader_->replicas().replicas();
    return all && all->size() == 2 && all->at(0).skew_ms.has_value() &&
           all->at(1).skew_ms.has_value();
  }));
  auto all = follower_->replicas().replicas();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ(all->at(0).role, "leader");
  EXPECT_EQ(all->at(1).role, "follower");
  EXPECT_TRUE(all->at(1).lives);
  EXPECT_LT(std::abs(*all->at(0).skew_ms), 5'000);
  follower_.reset();
  EXPECT_TRUE(soon([&] {
    auto left = leader_->replicas().replicas();
    return left && left->size() == 1;
  }));
}

}  // namespace
}  // namespace fermata::test
