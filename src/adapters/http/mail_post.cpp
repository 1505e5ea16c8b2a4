#include "adapters/http/mail_post.h"

#include <signal.h>

namespace fermata::http {

MailPost::MailPost(Options options) : options_(std::move(options)), queue_(options_.limits) {
  check(options_.limits.per_account_max > 0 && options_.limits.total_max > 0);
}

MailPost::~MailPost() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const auto& [number, mail] : mails_) mail->break_off();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void MailPost::submit(std::unique_ptr<Transfer> transfer) {
  check(dynamic_cast<MailTransfer*>(transfer.get()) != nullptr);
  std::unique_ptr<MailTransfer> mail(static_cast<MailTransfer*>(transfer.release()));
  if (!mail->accept()) return options_.done(mail->number, mail->answer());
  std::lock_guard lock(mutex_);
  queue_.push(mail->account(), mail->number);
  const uint64_t number = mail->number;
  mails_.emplace(number, std::move(mail));
  if (queue_.waiting() > idle_ && threads_.size() < options_.limits.total_max)
    threads_.emplace_back([this] { run(); });
  changed_.notify_one();
}

void MailPost::drop(uint64_t number) {
  std::lock_guard lock(mutex_);
  const auto at = mails_.find(number);
  if (at == mails_.end()) return;
  if (queue_.remove(at->second->account(), number))
    mails_.erase(at);
  else
    at->second->break_off();
}

void MailPost::run() {
  // Signals are for the host's threads; and a peer that hangs up must not end the process.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const auto number = queue_.start();
    if (!number) {
      ++idle_;
      changed_.wait(lock);
      --idle_;
      continue;
    }
    MailTransfer& mail = *mails_.at(*number);
    lock.unlock();
    send(mail);
    CallAnswer answer = mail.answer();
    lock.lock();
    queue_.finish(mail.account());
    const bool wanted = !mail.is_broken_off();
    mails_.erase(*number);
    // Its place may be what one of the same account waits for.
    changed_.notify_one();
    if (!wanted) continue;
    lock.unlock();
    options_.done(*number, std::move(answer));
    lock.lock();
  }
}

void MailPost::send(MailTransfer& mail) {
  if (!options_.supply(mail)) return;
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle(curl_easy_init(),
                                                                   curl_easy_cleanup);
  check(handle != nullptr);
  mail.begin();
  mail.prepare(handle.get(), *options_.policy, options_.resolve);
  mail.conclude(curl_easy_perform(handle.get()));
}

}  // namespace fermata::http
