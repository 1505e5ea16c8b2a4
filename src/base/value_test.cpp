#include "base/value.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <thread>

#include "base/json.h"

namespace fermata {
namespace {

std::string numbered(const char* prefix, int number) { return prefix + std::to_string(number); }

Value object_of(int count) {
  Value out = Value::object();
  for (int i = 0; i < count; ++i) out.set(numbered("key-", i), i);
  return out;
}

TEST(Value, takes_sixteen_bytes) { EXPECT_EQ(sizeof(Value), 16u); }

TEST(Value, each_constructor_gives_its_kind) {
  EXPECT_TRUE(Value().is_null());
  EXPECT_TRUE(Value(nullptr).is_null());
  EXPECT_TRUE(Value(true).as_bool());
  EXPECT_EQ(Value(-7).as_integer(), -7);
  EXPECT_EQ(Value(7u).as_integer(), 7);
  EXPECT_EQ(Value(1.5).as_number(), 1.5);
  EXPECT_EQ(Value("text").as_string(), "text");
  EXPECT_TRUE(Value::array().is_array());
  EXPECT_TRUE(Value::object().is_object());
}

TEST(Value, unsigned_beyond_64_bit_integers_becomes_a_number) {
  EXPECT_EQ(Value(uint64_t{9223372036854775807u}).kind(), Value::Kind::integer);
  EXPECT_EQ(Value(uint64_t{9223372036854775808u}).kind(), Value::Kind::number);
  EXPECT_EQ(Value(uint64_t{9223372036854775808u}).as_number(), 0x1p63);
}

TEST(Value, strings_of_every_length_around_the_inline_limit_read_back) {
  for (size_t size = 0; size < 40; ++size) {
    std::string text(size, 'x');
    Value value(text);
    EXPECT_EQ(value.as_string(), text);
    EXPECT_EQ(value.node() == nullptr, size <= 14) << size;
    EXPECT_EQ(Value(value), Value(text));
  }
}

TEST(Value, string_keeps_embedded_zero_bytes) {
  std::string text("a\0b", 3);
  EXPECT_EQ(Value(text).as_string(), text);
  EXPECT_FALSE(Value(text) == Value("a"));
  EXPECT_FALSE(Value(std::string("a\0", 2)) == Value("a"));
}

TEST(Value, copies_share_a_node_until_one_is_written) {
  Value first = Value::object({{"a", 1}});
  Value second = first;
  EXPECT_TRUE(first.same_node(second));
  second.set("b", 2);
  EXPECT_FALSE(first.same_node(second));
  EXPECT_EQ(to_json(first), R"({"a":1})");
  EXPECT_EQ(to_json(second), R"({"a":1,"b":2})");
}

TEST(Value, writing_an_unshared_container_keeps_its_node) {
  Value value = Value::array({1, 2, 3});
  const void* node = value.node();
  value.put(1, "two");
  EXPECT_EQ(value.node(), node);
  EXPECT_EQ(to_json(value), R"([1,"two",3])");
}

TEST(Value, container_can_be_put_into_itself) {
  Value array = Value::array({1});
  array.push(array);
  EXPECT_EQ(to_json(array), "[1,[1]]");
  Value object = Value::object({{"a", 1}});
  object.set("self", object);
  EXPECT_EQ(to_json(object), R"({"a":1,"self":{"a":1}})");
}

TEST(Value, set_with_a_key_that_is_a_view_into_the_object_itself) {
  Value object = Value::object({{"first", 1}});
  for (int i = 0; i < 20; ++i) {
    object.set(object.members()[0].key.as_string().substr(0, 1 + i % 5), i);
  }
  EXPECT_EQ(to_json(object), R"({"first":19,"f":15,"fi":16,"fir":17,"firs":18})");
}

TEST(Value, objects_keep_the_order_of_insertion) {
  Value object = Value::object({{"z", 1}, {"a", 2}});
  object.set("m", 3);
  object.set("z", 4);
  EXPECT_EQ(to_json(object), R"({"z":4,"a":2,"m":3})");
}

TEST(Value, repeated_key_in_an_initializer_replaces) {
  EXPECT_EQ(to_json(Value::object({{"a", 1}, {"a", 2}})), R"({"a":2})");
}

TEST(Value, erase_removes_one_member_and_keeps_the_order) {
  Value object = object_of(4);
  EXPECT_TRUE(object.erase("key-1"));
  EXPECT_FALSE(object.erase("key-1"));
  EXPECT_EQ(to_json(object), R"({"key-0":0,"key-2":2,"key-3":3})");
}

TEST(Value, large_objects_find_every_key_through_all_kinds_of_writes) {
  Value object = object_of(1000);
  Value before = object;
  for (int i = 0; i < 1000; i += 3) EXPECT_TRUE(object.erase(numbered("key-", i)));
  for (int i = 0; i < 500; ++i) object.set(numbered("a-longer-key-", i), -i);
  for (int i = 0; i < 1000; ++i) {
    const Value* found = object.find(numbered("key-", i));
    ASSERT_EQ(found != nullptr, i % 3 != 0) << i;
    if (found != nullptr) {
      EXPECT_EQ(found->as_integer(), i);
    }
    EXPECT_EQ(before.get(numbered("key-", i)).as_integer(), i);
  }
  for (int i = 0; i < 500; ++i) EXPECT_EQ(object.get(numbered("a-longer-key-", i)), Value(-i));
  EXPECT_EQ(object.find("absent"), nullptr);
}

TEST(Value, several_threads_may_look_up_one_large_object) {
  for (int round = 0; round < 20; ++round) {
    const Value object = object_of(100);
    std::vector<std::thread> readers;
    std::atomic<int> sum = 0;
    for (int t = 0; t < 4; ++t) {
      readers.emplace_back([copy = object, &sum] {
        for (int i = 0; i < 100; ++i) {
          sum += static_cast<int>(copy.get(numbered("key-", i)).as_integer());
        }
      });
    }
    for (auto& reader : readers) reader.join();
    EXPECT_EQ(sum, 4 * 4950);
  }
}

TEST(Value, find_and_get_on_other_kinds_give_nothing) {
  EXPECT_EQ(Value(1).find("a"), nullptr);
  EXPECT_TRUE(Value("a").get("a").is_null());
  EXPECT_EQ(Value(1).size(), 0u);
}

TEST(Value, equality_is_deep_and_ignores_the_order_of_keys) {
  Value a = Value::object({{"x", Value::array({1, 2})}, {"y", "a text beyond inline"}});
  Value b = Value::object({{"y", "a text beyond inline"}, {"x", Value::array({1.0, 2})}});
  EXPECT_EQ(a, b);
  b.set("x", Value::array({1, 3}));
  EXPECT_FALSE(a == b);
  EXPECT_FALSE(Value::object({{"a", nullptr}}) == Value::object({{"b", nullptr}}));
  EXPECT_FALSE(Value::array() == Value::object());
  EXPECT_FALSE(Value(false) == Value());
  EXPECT_FALSE(Value("1") == Value(1));
}

TEST(Value, integers_and_numbers_compare_exactly) {
  EXPECT_EQ(Value(1), Value(1.0));
  EXPECT_EQ(Value(0), Value(-0.0));
  EXPECT_FALSE(Value(9007199254740993) == Value(9007199254740992.0));
  EXPECT_FALSE(Value(std::numeric_limits<int64_t>::max()) == Value(0x1p63));
  EXPECT_EQ(Value(std::numeric_limits<int64_t>::min()), Value(-0x1p63));
  EXPECT_FALSE(Value(1) == Value(1.5));
  double not_a_number = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(Value(not_a_number) == Value(not_a_number));
}

TEST(Value, nesting_of_any_depth_is_freed_compared_and_printed) {
  auto tower = [] {
    Value value = Value::array();
    for (int i = 0; i < 300'000; ++i) {
      Value outer = i % 2 == 0 ? Value::array() : Value::object();
      if (outer.is_array()) {
        outer.push(std::move(value));
      } else {
        outer.set("k", std::move(value));
      }
      value = std::move(outer);
    }
    return value;
  };
  Value a = tower();
  Value b = tower();
  EXPECT_TRUE(a == b);
  EXPECT_EQ(to_json(a).size(), 300'000u / 2 * 8 + 2);
}

TEST(Value, nests_deeper_than_counts_containers) {
  EXPECT_FALSE(Value(1).nests_deeper_than(0));
  EXPECT_TRUE(Value::array().nests_deeper_than(0));
  Value two = Value::object({{"a", Value::array({1})}});
  EXPECT_TRUE(two.nests_deeper_than(1));
  EXPECT_FALSE(two.nests_deeper_than(2));
}

TEST(Value, moved_from_is_null_and_self_assignment_keeps) {
  Value a = Value::array({1, 2});
  Value b = std::move(a);
  EXPECT_TRUE(a.is_null());  // NOLINT(bugprone-use-after-move): the state is promised
  Value& alias = b;
  b = alias;
  b = std::move(alias);
  EXPECT_EQ(to_json(b), "[1,2]");
}

TEST(Value, assigning_a_child_to_its_own_parent_is_safe) {
  Value value = Value::array({Value::array({1, 2})});
  value = value.items()[0];
  EXPECT_EQ(to_json(value), "[1,2]");
}

TEST(Value, reserve_keeps_content_and_does_not_touch_copies) {
  Value array = Value::array({1});
  Value copy = array;
  array.reserve(100);
  const void* node = array.node();
  for (int i = 0; i < 99; ++i) array.push(i);
  EXPECT_EQ(array.node(), node);
  EXPECT_EQ(copy.size(), 1u);
}

TEST(Value, repeated_key_is_found_in_small_and_large_lists) {
  std::vector<Value> parts;
  for (int i = 0; i < 40; ++i) {
    parts.emplace_back(numbered("a rather long key ", i));
    parts.emplace_back(i);
  }
  EXPECT_EQ(Value::repeated_key(parts), Value::npos);
  parts[2 * 30] = parts[2 * 5];
  EXPECT_EQ(Value::repeated_key(parts), 30u);
  EXPECT_EQ(Value::repeated_key(std::span(parts).first(32)), Value::npos);
  parts[2 * 9] = Value(parts[2 * 5].as_string());
  EXPECT_EQ(Value::repeated_key(std::span(parts).first(32)), 9u);
}

TEST(ValueDeathTest, asking_for_the_wrong_kind_ends_the_process) {
  EXPECT_DEATH((void)Value(1).as_string(), "check failed");
  EXPECT_DEATH((void)Value("a").as_integer(), "value.cpp");
}

}  // namespace
}  // namespace fermata
