// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "results.hpp"

#include <cstring>
#include <rdma/ucmad.h>

namespace fuzz {

namespace {

template <class Type>
Type load(std::span<const std::uint8_t> bytes, std::size_t offset = 0) {
    Type value{};
    if (offset < bytes.size()) {
        std::memcpy(&value, bytes.data() + offset, std::min(sizeof value, bytes.size() - offset));
    }
    return value;
}

void collect_event(std::span<const std::uint8_t> record, Results& results) {
    const auto head = load<ucmad_event>(record);
    results.objects.push_back(head.object);
    results.sequences.push_back(head.sequence);
    std::uint32_t detail = 0;
    if (head.type == UCMAD_EVENT_MAD_SEND) {
        detail = load<ucmad_mad_completion>(record, sizeof head).status;
    } else if (head.type == UCMAD_EVENT_MAD_RECEIVE) {
        results.requests.push_back(load<ucmad_mad_receive>(record, sizeof head).request);
    } else if (head.type == UCMAD_EVENT_CM_REJ) {
        detail = load<ucmad_cm_rej_event>(record, sizeof head).reason;
    }
    results.signals.push_back(std::uint32_t{head.type} << 8 | (detail & 0xff));
    if (!head.object || !head.sequence || head.reserved ||
        std::uint64_t{head.data_offset} + head.data_len > head.size) {
        results.wrong = "an event that makes no sense";
    }
}

// The records must fill what the call says that it has written, and be as many as it says.
void collect_events(const ucmad_events& arg, std::span<const std::uint8_t> buffer,
                    Results& results) {
    if (arg.bytes > buffer.size() || arg.bytes > arg.buffer_len) {
        results.wrong = "more bytes than the buffer has";
        return;
    }
    buffer = buffer.first(arg.bytes);
    std::uint32_t count = 0;
    while (!buffer.empty()) {
        const auto size = load<std::uint32_t>(buffer);
        if (size < sizeof(ucmad_event) || size > buffer.size() || size % 8 != 0) {
            results.wrong = "an event of an impossible size";
            return;
        }
        collect_event(buffer.first(size), results);
        buffer = buffer.subspan(size);
        ++count;
    }
    if (count != arg.count) {
        results.wrong = "the number of events is not what the call says";
    }
}

void collect_sends(const ucmad_mad_post& arg, std::span<const std::uint8_t> sends,
                   Results& results) {
    if (!arg.posted || arg.posted > arg.count || (arg.error != 0) != (arg.posted < arg.count)) {
        results.wrong = "posted, count and error do not fit together";
        return;
    }
    for (std::size_t i = 0; i < arg.posted && (i + 1) * sizeof(ucmad_mad_send) <= sends.size();
         ++i) {
        results.sends.push_back(load<ucmad_mad_send>(sends, i * sizeof(ucmad_mad_send)).handle);
    }
}

} // namespace

std::uint64_t Results::pick(Kind kind, std::uint32_t index) const {
    const std::vector<std::uint64_t>& list = kind == Kind::sequence  ? sequences
                                             : kind == Kind::send    ? sends
                                             : kind == Kind::request ? requests
                                                                     : objects;
    return list.empty() ? 0 : list[index % list.size()];
}

void collect(const Call& call, std::span<const std::uint8_t> arg, const Memory& memory,
             Results& results) {
    switch (call.result) {
    case Result::object: {
        static_assert(offsetof(ucmad_cm_create, object) == offsetof(ucmad_mad_register, object));
        const auto handle = load<std::uint32_t>(arg, offsetof(ucmad_cm_create, object));
        results.objects.push_back(handle);
        if (!handle) {
            results.wrong = "a handle of 0";
        }
        break;
    }
    case Result::events: {
        const auto events = load<ucmad_events>(arg);
        // Without a buffer of ours there is nothing to see.
        if (const auto buffer = memory[Block::data].at(events.buffer); !buffer.empty()) {
            collect_events(events, buffer, results);
        }
        break;
    }
    case Result::sends: {
        const auto post = load<ucmad_mad_post>(arg);
        if (post.size >= sizeof post) {
            collect_sends(post, memory[Block::array].at(post.sends), results);
        }
        break;
    }
    case Result::none:
        break;
    }
}

} // namespace fuzz
