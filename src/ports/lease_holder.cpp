#include "ports/lease_holder.h"

namespace fermata {

void LeaseHolder::take(Instant now) {
  LeaseAnswer answer = leases_.take(name_, ttl_);
  next_ = now + third();
  if (answer.state != LeaseState::held) return;
  fence_ = answer.fence;
  strikes_ = 0;
  until_ = now + ttl_;
}

void LeaseHolder::renew(Instant now) {
  LeaseAnswer answer = leases_.renew({name_, *fence_, ttl_});
  next_ = now + third();
  if (answer.state == LeaseState::held) {
    strikes_ = 0;
    until_ = now + ttl_;
  } else if (answer.state == LeaseState::unavailable) {
    ++strikes_;
  } else {
    // Another's, or nobody's: whoever is first takes it.
    fence_.reset();
    take(now);
  }
}

bool LeaseHolder::turn(Instant now) {
  if (fence_ && strikes_ >= strikes_max) {
    // What is under way may finish; the lease is not given back, and not renewed.
    if (now < until_) return false;
    fence_.reset();
    strikes_ = 0;
    next_ = now;
  }
  if (now >= next_) fence_ ? renew(now) : take(now);
  return may_begin();
}

void LeaseHolder::give_back() {
  if (may_begin()) leases_.give_back({name_, *fence_, ttl_});
  fence_.reset();
  strikes_ = 0;
}

}  // namespace fermata
