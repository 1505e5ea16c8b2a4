#include "core/model/branches.h"

#include "base/check.h"

namespace fermata {

Branch* Branches::find(uint32_t item) {
  if (item < first_ || item - first_ >= row_.size() - gone_) return nullptr;
  std::optional<Branch>& place = row_[gone_ + (item - first_)];
  return place ? &*place : nullptr;
}

Branch& Branches::add(uint32_t item) {
  if (size_ == 0) {
    clear();
    first_ = item;
  }
  size_t place = gone_ + (item - first_);
  check(item >= first_ && place >= row_.size());
  row_.resize(place);
  ++size_;
  return *row_.emplace_back(std::in_place);
}

void Branches::clear() {
  row_.clear();
  gone_ = 0;
  size_ = 0;
}

void Branches::erase(uint32_t item) {
  check(contains(item));
  row_[gone_ + (item - first_)].reset();
  if (--size_ == 0) return clear();
  while (!row_[gone_]) {
    ++gone_;
    ++first_;
  }
  // What is over goes when it is more than what is left, so each branch is moved about once.
  if (gone_ < row_.size() - gone_) return;
  row_.erase(row_.begin(), row_.begin() + static_cast<std::ptrdiff_t>(gone_));
  gone_ = 0;
}

}  // namespace fermata
