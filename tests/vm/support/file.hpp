// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// One open of the character device, and what is taken from it.
#pragma once

#include "error.hpp"
#include "wait.hpp"

#include <cstdint>
#include <cstring>
#include <rdma/ucmad.h>
#include <sys/ioctl.h>
#include <utility>
#include <vector>

namespace vm {

using Bytes = std::vector<std::uint8_t>;

// `count` bytes that no other seed gives.
Bytes pattern(std::size_t count, unsigned seed);

inline std::uint64_t address(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

// An ioctl's struct, all zero but its size.
template <class Arg>
Arg sized() {
    Arg arg{};
    arg.size = sizeof(Arg);
    return arg;
}

class File {
public:
    // `flags` are added to O_RDWR | O_CLOEXEC.
    explicit File(int flags = 0);
    File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    File& operator=(File&&) = delete;
    ~File() { close(); }

    int fd() const { return fd_; }
    void close();

    template <class Arg>
    [[nodiscard]] Error call(unsigned long request, Arg* arg) const {
        return ::ioctl(fd_, request, arg) == -1 ? last_error() : ok;
    }

private:
    int fd_;
};

struct Event {
    ucmad_event head;
    Bytes record; // head, body, data, padding

    template <class Body>
    Body body() const {
        must(record.size() >= sizeof head + sizeof(Body), "the event is too short for its body");
        Body result;
        std::memcpy(&result, record.data() + sizeof head, sizeof result);
        return result;
    }
    // The private data; throws unless it lies within the record.
    Bytes data() const;
};

struct Take {
    std::uint32_t object = 0; // any
    std::uint32_t max = 0;    // as many as fit
    Duration timeout = 0s;    // negative: for ever
    std::vector<ucmad_ack> acks = {};
    std::uint32_t room = 1U << 16; // 0: take nothing, acknowledge only
};

struct Taken {
    Error error;
    std::vector<Event> events;
    std::uint32_t needed;
    std::uint32_t acks_ignored;
};

// One UCMAD_IOCTL_EVENTS.
Taken take(const File& file, const Take& wish);

// Takes exactly one event, and waits for it if it must.
Event take_one(const File& file, std::uint32_t object = 0, std::vector<ucmad_ack> acks = {});

// What is in a buffer that UCMAD_IOCTL_EVENTS has filled.
std::vector<Event> parse(const std::uint8_t* buffer, std::size_t bytes, std::size_t count);

ucmad_ack ack_of(const Event& event);
ucmad_ack ack_with_context(const Event& event, std::uint64_t context);
std::vector<ucmad_ack> acks_of(const std::vector<Event>& events);

// Acknowledges and takes nothing; returns how many were ignored.
std::uint32_t acknowledge(const File& file, std::vector<ucmad_ack> acks);

} // namespace vm
