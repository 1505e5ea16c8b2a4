#include "core/flow/heap.h"

#include <gtest/gtest.h>

namespace fermata::flow {
namespace {

constexpr size_t plenty = 1 << 20;

// F-12
TEST(Heap, objects_keep_insertion_order_however_many_keys_they_have) {
  Heap heap(plenty);
  auto* map = heap.make<MapObject>();
  for (int i = 0; i < 100; ++i) {
    map->append(heap.text("k" + std::to_string(99 - i)), Datum::of_integer(i));
  }
  ASSERT_NE(map->find("k42"), nullptr);
  EXPECT_EQ(map->find("k42")->integer, 57);
  EXPECT_TRUE(map->erase("k42"));
  EXPECT_FALSE(map->erase("k42"));
  EXPECT_EQ(map->find("k42"), nullptr);
  EXPECT_EQ(map->find("k0")->integer, 99);
  EXPECT_EQ(text_of(map->entries()[0].key), "k99");
  EXPECT_EQ(text_of(map->entries()[98].key), "k0");
}

TEST(Heap, joining_leaves_both_texts_as_they_were) {
  Heap heap(plenty);
  Datum start = heap.text(std::string("ab"));
  Datum longer = heap.joined(start, "cd");
  Datum other = heap.joined(start, "xy");
  EXPECT_EQ(text_of(start), "ab");
  EXPECT_EQ(text_of(longer), "abcd");
  EXPECT_EQ(text_of(other), "abxy");
  EXPECT_EQ(text_of(heap.joined(longer, text_of(longer))), "abcdabcd");
}

TEST(Heap, what_nothing_reaches_is_freed_and_circles_too) {
  Heap heap(plenty);
  size_t empty = heap.bytes_used();
  Datum kept = heap.array({});
  auto& array = *static_cast<ArrayObject*>(kept.heap);
  array.items.push_back(kept);
  array.items.push_back(heap.text(std::string("kept")));
  size_t needed = heap.bytes_used();
  for (int i = 0; i < 10; ++i) {
    Datum circle = heap.array({heap.text(std::string("garbage"))});
    static_cast<ArrayObject*>(circle.heap)->items.push_back(circle);
  }
  heap.mark(kept);
  heap.sweep();
  EXPECT_LE(heap.bytes_used(), needed + 2 * sizeof(Datum));
  EXPECT_EQ(text_of(array.items[1]), "kept");
  heap.sweep();
  EXPECT_EQ(heap.bytes_used(), empty);
}

TEST(Heap, is_crowded_before_it_is_full) {
  Heap heap(32'000);
  heap.text(std::string(20'000, 'x'));
  EXPECT_FALSE(heap.crowded());
  heap.text(std::string(11'300, 'x'));
  EXPECT_TRUE(heap.crowded());
  EXPECT_FALSE(heap.over());
}

TEST(Heap, a_long_chain_is_marked_without_the_host_stack) {
  Heap heap(SIZE_MAX / 8);
  Datum chain = heap.array({});
  for (int i = 0; i < 200'000; ++i) chain = heap.array({chain});
  size_t before = heap.bytes_used();
  heap.mark(chain);
  heap.sweep();
  EXPECT_EQ(heap.bytes_used(), before);
}

}  // namespace
}  // namespace fermata::flow
