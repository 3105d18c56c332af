// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the fuzzer knows of the ABI: its calls, and the members that can be set in each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

// What a member means, and so which values are of interest there.
enum class Kind {
    number,
    flags,
    zero, // reserved
    object,
    sequence,
    send,
    request,
    service,
    queue_pair,
    gid,
    bytes, // the length of what a pointer leads to
    timeout,
    pointer,
};

// Memory of a call: its struct, and what that points to.
enum class Block { arg, data, info, array, mad, none };
inline constexpr std::size_t block_count = 5;

struct Field {
    std::string name;
    Block block;
    std::size_t offset;
    std::size_t width; // bytes
    Kind kind;
    Block target = Block::none; // of a pointer
    std::uint64_t usual = 0;    // what a sensible program passes
};

// What a call is carried out by.
enum class Action { ioctl, raw, open, close, poll, read, mmap, sleep };

// What is got from a call that succeeds.
enum class Result { none, object, events, sends };

struct Call {
    std::string name;
    Action action;
    unsigned long request;
    std::size_t size; // of the struct; 0: the call has none
    Result result;
    std::vector<Field> fields;
};

const std::vector<Call>& calls();

// Its index, or -1.
int find_call(std::string_view name);
int find_field(const Call& call, std::string_view name);

// Pseudo-members of each call with a struct, which come first: where the struct is, and what
// follows it.
inline constexpr std::size_t where_field = 0;
inline constexpr std::size_t tail_field = 1;
inline constexpr std::size_t size_field = 2;

} // namespace fuzz
