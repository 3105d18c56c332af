// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Each ioctl with arguments that are right, for tests that make them wrong one by one.
#pragma once

#include "support/agent.hpp"
#include "support/connection.hpp"

#include <string>

namespace vm {

// Bytes of a struct that must be zero, or that hold bits without a meaning.
struct MustBeZero {
    std::size_t offset;
    std::size_t size;
};

// A 32-bit word of flags, and those that have a meaning.
struct FlagWord {
    std::size_t offset;
    std::uint32_t known;
};

struct Specimen {
    std::string name;
    unsigned long request;
    Bytes valid;                       // the struct; its first four bytes are its size
    std::vector<MustBeZero> zero = {}; // apart from flag words
    std::vector<FlagWord> flags = {};
    bool has_object = true; // the second member is a handle
    Id object = {};         // what the handle is of
    Error good = ok;        // what comes of it as it is

    Error send(const File& file, Bytes bytes) const { return file.call(request, bytes.data()); }
    Error send(const File& file) const { return send(file, valid); }
    // The same with a size that may be a lie.
    Bytes resized(std::size_t actual, std::uint32_t claimed) const;
    Bytes resized(std::size_t size) const {
        return resized(size, static_cast<std::uint32_t>(size));
    }
    // The same for another handle.
    Bytes for_handle(std::uint32_t handle) const;
};

// Every ioctl once, each with an object of its own in a state that allows it.
std::vector<Specimen> all_specimens(const File& file, int gid_index);

} // namespace vm
