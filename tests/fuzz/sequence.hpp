// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What is run at a time: some operations on a few files, which may use what earlier ones gave.
#pragma once

#include "call.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace fuzz {

inline constexpr std::uint8_t file_count = 3;
inline constexpr std::size_t max_ops = 32;

// The value of a member.
struct Value {
    enum class Form {
        number, // 7: as it is; of a pointer an address
        result, // #2[1]: the second of what operation 2 gave, such as a handle
        own,    // $1: a number that no other sequence has, and $1 of this one has, too
        good,   // good:4: an address within writable memory, 4 bytes from its start
        cut,    // cut:8: an address of memory that ends 8 bytes later
        fixed,  // fixed: an address of memory that is only to be read
    };
    Form form = Form::number;
    std::uint64_t number = 0; // of the result form: the operation
    std::uint32_t index = 0;  // of the result form

    friend bool operator==(const Value&, const Value&) = default;
};

struct Setting {
    std::uint16_t field;
    Value value;

    friend bool operator==(const Setting&, const Setting&) = default;
};

struct Op {
    std::uint16_t call = 0;
    std::uint8_t file = 0;
    bool beside = false;                // in a second thread, while the next ones run
    std::vector<Setting> settings = {}; // the other members have their usual values

    const Call& what() const { return calls()[call]; }
    const Value* find(std::size_t field) const;
    void set(std::size_t field, Value value);

    friend bool operator==(const Op&, const Op&) = default;
};

using Sequence = std::vector<Op>;

// These keep references to results right.
void insert(Sequence& sequence, std::size_t at, Op op);
void remove(Sequence& sequence, std::size_t at);
void append(Sequence& sequence, const Sequence& other, std::size_t from);

} // namespace fuzz
