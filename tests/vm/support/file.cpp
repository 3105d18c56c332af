// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "file.hpp"

#include <algorithm>
#include <fcntl.h>
#include <unistd.h>

namespace vm {

Bytes pattern(std::size_t count, unsigned seed) {
    Bytes bytes(count);
    for (std::size_t i = 0; i < count; ++i) {
        // Never zero, so that padding cannot be taken for data.
        bytes[i] = static_cast<std::uint8_t>(1 + (i * 7 + seed * 31) % 255);
    }
    return bytes;
}

File::File(int flags) : fd_(::open(UCMAD_DEVICE_PATH, O_RDWR | O_CLOEXEC | flags)) {
    must(fd_ == -1 ? last_error() : ok);
}

void File::close() {
    if (fd_ != -1) {
        ::close(std::exchange(fd_, -1));
    }
}

Bytes Event::data() const {
    must(std::size_t{head.data_offset} + head.data_len <= record.size(),
         "private data outside its event");
    const auto begin = record.begin() + head.data_offset;
    return {begin, begin + head.data_len};
}

std::vector<Event> parse(const std::uint8_t* buffer, std::size_t bytes, std::size_t count) {
    std::vector<Event> events;
    while (bytes) {
        ucmad_event head;
        must(bytes >= sizeof head, "half an event in the buffer");
        std::memcpy(&head, buffer, sizeof head);
        must(head.size >= sizeof head && head.size <= bytes && head.size % 8 == 0,
             "an event of an impossible size");
        events.push_back({head, {buffer, buffer + head.size}});
        buffer += head.size;
        bytes -= head.size;
    }
    must(events.size() == count, "the number of events is not what the call says");
    return events;
}

Taken take(const File& file, const Take& wish) {
    std::vector<std::uint64_t> buffer((wish.room + 7) / 8); // 8-byte aligned
    auto arg = sized<ucmad_events>();
    arg.object = wish.object;
    arg.ack_count = static_cast<std::uint32_t>(wish.acks.size());
    arg.acks = wish.acks.empty() ? 0 : address(wish.acks.data());
    arg.buffer = wish.room ? address(buffer.data()) : 0;
    arg.buffer_len = wish.room;
    arg.max_events = wish.max;
    arg.timeout_ns = wish.timeout.count();
    const Error error = file.call(UCMAD_IOCTL_EVENTS, &arg);
    Taken taken{error, {}, arg.needed, arg.acks_ignored};
    if (error == ok) {
        taken.events =
            parse(reinterpret_cast<const std::uint8_t*>(buffer.data()), arg.bytes, arg.count);
    }
    return taken;
}

Event take_one(const File& file, std::uint32_t object, std::vector<ucmad_ack> acks) {
    Take wish{.object = object, .max = 1, .timeout = limit(), .acks = std::move(acks)};
    Taken taken = take(file, wish);
    if (taken.error == Error{EMSGSIZE}) {
        wish.acks.clear();
        wish.room = taken.needed;
        taken = take(file, wish);
    }
    must(taken.error);
    must(taken.events.size() == 1, "not one event");
    return std::move(taken.events.front());
}

ucmad_ack ack_of(const Event& event) {
    ucmad_ack ack{};
    ack.object = event.head.object;
    ack.sequence = event.head.sequence;
    return ack;
}

ucmad_ack ack_with_context(const Event& event, std::uint64_t context) {
    ucmad_ack ack = ack_of(event);
    ack.flags = UCMAD_ACK_SET_CONTEXT;
    ack.context = context;
    return ack;
}

std::vector<ucmad_ack> acks_of(const std::vector<Event>& events) {
    std::vector<ucmad_ack> acks;
    std::transform(events.begin(), events.end(), std::back_inserter(acks), ack_of);
    return acks;
}

std::uint32_t acknowledge(const File& file, std::vector<ucmad_ack> acks) {
    const Taken taken = take(file, {.acks = std::move(acks), .room = 0});
    must(taken.error);
    return taken.acks_ignored;
}

} // namespace vm
