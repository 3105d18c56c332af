// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "memory.hpp"

#include "../vm/support/error.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace fuzz {

namespace {

constexpr std::size_t page = 4096;

// Maps the file with a page behind it that nobody may touch.
std::uint8_t* map(int fd, int protection) {
    void* place = mmap(nullptr, Region::size + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    vm::must_succeed(place != MAP_FAILED, "mmap");
    vm::must_succeed(
        mmap(place, Region::size, protection, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED, "mmap");
    return static_cast<std::uint8_t*>(place);
}

} // namespace

Region::Region() {
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    vm::must_succeed(fd != -1 && ftruncate(fd, size) == 0, "memfd");
    writable_ = map(fd, PROT_READ | PROT_WRITE);
    readable_ = map(fd, PROT_READ);
    close(fd);
}

Region::~Region() {
    munmap(writable_, size + page);
    munmap(readable_, size + page);
}

std::uint64_t Region::address(const Value& value) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(writable_);
    switch (value.form) {
    case Value::Form::good:
        return begin + value.number % size;
    case Value::Form::cut:
        return begin + size - value.number % size;
    case Value::Form::fixed:
        return reinterpret_cast<std::uintptr_t>(readable_);
    default:
        return value.number;
    }
}

std::span<std::uint8_t> Region::at(std::uint64_t address) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(writable_);
    if (address < begin || address >= begin + size) {
        return {};
    }
    return std::span(writable_, size).subspan(address - begin);
}

} // namespace fuzz
