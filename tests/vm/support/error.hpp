// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What a system call says, as a value that tests can compare and GoogleTest can print.
#pragma once

#include <ostream>
#include <string>

namespace vm {

struct Error {
    int number = 0;
    friend bool operator==(const Error&, const Error&) = default;
};

std::ostream& operator<<(std::ostream& out, Error error);

inline constexpr Error ok{};

// The error that errno holds.
Error last_error();

// Ends the test with an exception that names the place, unless all went well.
void must(Error error, const char* file = __builtin_FILE(), int line = __builtin_LINE());
void must(bool condition, const std::string& what, const char* file = __builtin_FILE(),
          int line = __builtin_LINE());

// Likewise for a system call, with what errno says of it.
void must_succeed(bool good, const char* call);

} // namespace vm
