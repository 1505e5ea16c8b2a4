#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace fermata {

/// The text of an id in little space, for those who keep millions: a UUID in its usual spelling,
/// as most ids are, takes 16 bytes; any other text is kept as it is. Ordered: all UUIDs by their
/// text, then all others by theirs.
class PackedText {
 public:
  explicit PackedText(std::string_view text);
  PackedText(const PackedText& other);
  PackedText(PackedText&&) noexcept = default;
  PackedText& operator=(const PackedText& other);
  PackedText& operator=(PackedText&&) noexcept = default;
  ~PackedText() = default;

  std::string text() const;
  bool operator==(const PackedText& other) const { return (*this <=> other) == 0; }
  std::strong_ordering operator<=>(const PackedText& other) const;

 private:
  uint64_t high_ = 0, low_ = 0;
  std::unique_ptr<std::string> other_;  ///< what is no UUID
};

/// The same of one kind of id.
template <class Id>
class PackedId {
 public:
  explicit PackedId(const Id& id) : packed_(id.text()) {}
  explicit operator Id() const { return Id(packed_.text()); }
  auto operator<=>(const PackedId&) const = default;

 private:
  PackedText packed_;
};

}  // namespace fermata
