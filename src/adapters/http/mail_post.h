#pragma once
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "adapters/http/fair_queue.h"
#include "adapters/http/mail_transfer.h"

namespace fermata::http {

/// Sends mails, each on a thread: the library waits for a mail server's verdict without letting
/// others go on, and a server may think about a mail for as long as the timeout. Threads begin when
/// they are needed and end with it. Methods may be called from any thread.
class MailPost {
 public:
  struct Options {
    FairQueue::Limits limits;
    const NetworkPolicy* policy = nullptr;
    curl_slist* resolve = nullptr;
    /// Gives a request its secrets; false when it has none, then its answer says why.
    std::function<bool(Transfer&)> supply;
    /// Called on a thread of the post, without a lock.
    std::function<void(uint64_t number, CallAnswer answer)> done;
  };
  explicit MailPost(Options options);
  /// Breaks off what is under way.
  ~MailPost();
  MailPost(const MailPost&) = delete;
  MailPost& operator=(const MailPost&) = delete;

  void submit(std::unique_ptr<Transfer> transfer);
  /// Its answer is no longer wanted; none comes unless it is on its way already.
  void drop(uint64_t number);

 private:
  void run();
  void send(MailTransfer& mail);

  const Options options_;
  std::mutex mutex_;  ///< guards all below
  std::condition_variable changed_;
  FairQueue queue_;
  std::map<uint64_t, std::unique_ptr<MailTransfer>> mails_;  ///< waiting or under way
  size_t idle_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace fermata::http
