// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "error.hpp"

#include <cerrno>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace vm {

std::ostream& operator<<(std::ostream& out, Error error) {
    const char* name = error.number ? strerrorname_np(error.number) : "ok";
    return name ? out << name : out << error.number;
}

Error last_error() { return Error{errno}; }

void must(Error error, const char* file, int line) {
    if (error == ok) {
        return;
    }
    std::ostringstream text;
    text << file << ':' << line << ": failed with " << error;
    throw std::runtime_error(text.str());
}

void must(bool condition, const std::string& what, const char* file, int line) {
    if (!condition) {
        throw std::runtime_error(std::string(file) + ':' + std::to_string(line) + ": " + what);
    }
}

void must_succeed(bool good, const char* call) {
    if (!good) {
        throw std::system_error(errno, std::generic_category(), call);
    }
}

} // namespace vm
