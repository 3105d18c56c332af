// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "agent.hpp"

#include <algorithm>
#include <endian.h>

namespace vm {

namespace {

constexpr std::size_t tid_offset = 8;
constexpr std::size_t oui_offset = 37;
constexpr std::size_t data_offset = 40;

std::uint64_t load(const Mad& mad, std::size_t offset) {
    std::uint64_t value = 0;
    std::memcpy(&value, mad.data() + offset, sizeof value);
    return be64toh(value);
}

void store(Mad& mad, std::size_t offset, std::uint64_t value) {
    value = htobe64(value);
    std::memcpy(mad.data() + offset, &value, sizeof value);
}

// The answer that has the data of the request.
Mad same_answer(const Event& request) {
    Mad mad = mad_of(request);
    mad[3] = method_get_resp;
    return mad;
}

} // namespace

Mad ping(std::uint64_t tid, std::uint64_t mark, std::uint8_t method) {
    Mad mad{};
    mad[0] = 1; // base version
    mad[1] = ping_class;
    mad[2] = 1; // class version
    mad[3] = method;
    store(mad, tid_offset, tid);
    std::ranges::copy(ping_oui, mad.begin() + oui_offset);
    store(mad, data_offset, mark);
    return mad;
}

std::uint64_t tid_of(const Mad& mad) { return load(mad, tid_offset); }

std::uint64_t mark_of(const Mad& mad) { return load(mad, data_offset); }

Mad mad_of(const Event& event) {
    const Bytes data = event.data();
    Mad mad{};
    must(data.size() == mad.size(), "the data of the event are no MAD");
    std::ranges::copy(data, mad.begin());
    return mad;
}

ucmad_mad_register sender(const Device& device) {
    auto arg = sized<ucmad_mad_register>();
    arg.device = device.index;
    arg.port = 1;
    arg.qp = 1;
    return arg;
}

ucmad_mad_register responder(const Device& device) {
    ucmad_mad_register arg = sender(device);
    arg.mgmt_class = ping_class;
    arg.class_version = 1;
    std::ranges::copy(ping_oui, arg.oui);
    arg.method_mask[0] = 1U << method_get;
    arg.receive_queue = 4096;
    arg.max_in_flight = 8192;
    return arg;
}

ucmad_mad_address gsi_at(const ucmad_path& path) {
    ucmad_mad_address to{};
    std::ranges::copy(path.dgid, to.dgid);
    to.sgid_index = path.sgid_index;
    to.qpn = 1;
    to.qkey = UCMAD_MAD_QKEY;
    to.flags = UCMAD_ADDRESS_GRH;
    return to;
}

Posted Agent::post(std::vector<ucmad_mad_send>& sends) const {
    auto arg = sized<ucmad_mad_post>();
    arg.sends = address(sends.data());
    arg.count = static_cast<std::uint32_t>(sends.size());
    arg.entry_size = sizeof(ucmad_mad_send);
    const Error error = id_.call(UCMAD_IOCTL_MAD_POST, &arg);
    return {error, arg.posted, arg.error};
}

Error Agent::try_post(ucmad_mad_send send) const {
    std::vector<ucmad_mad_send> sends = {send};
    return post(sends).error;
}

std::uint32_t Agent::post(ucmad_mad_send send) const {
    std::vector<ucmad_mad_send> sends = {send};
    must(post(sends).error);
    return sends.front().handle;
}

Error Agent::cancel(const std::vector<std::uint32_t>& handles) const {
    ucmad_mad_cancel arg{};
    arg.handles = address(handles.data());
    arg.count = static_cast<std::uint32_t>(handles.size());
    return id_.call(UCMAD_IOCTL_MAD_CANCEL, &arg);
}

Error Agent::cancel_all() const {
    ucmad_mad_cancel arg{};
    return id_.call(UCMAD_IOCTL_MAD_CANCEL, &arg);
}

Error Agent::set_timeout(std::uint32_t handle, std::uint32_t ms) const {
    ucmad_mad_timeout arg{};
    arg.handle = handle;
    arg.timeout_ms = ms;
    return id_.call(UCMAD_IOCTL_MAD_TIMEOUT, &arg);
}

Error Agent::try_query() const {
    ucmad_mad_query arg{};
    return id_.call(UCMAD_IOCTL_MAD_QUERY, &arg);
}

ucmad_mad_query Agent::query() const {
    ucmad_mad_query arg{};
    must(id_.call(UCMAD_IOCTL_MAD_QUERY, &arg));
    return arg;
}

void Agent::wait_for_receives(std::uint32_t count) const {
    wait_until([&] { return query().receives_waiting >= count; }, "receives");
}

std::uint32_t Agent::answer_to(const Event& request) const {
    const Mad mad = same_answer(request);
    return post(answer_of(mad, request));
}

Error Agent::try_answer_to(const Event& request) const {
    const Mad mad = same_answer(request);
    return try_post(answer_of(mad, request));
}

std::uint32_t Agent::answer_next() const {
    Event event = take_one(file(), handle());
    // What became of answers given before is of no interest here.
    while (event.head.type == UCMAD_EVENT_MAD_SEND) {
        event = take_one(file(), handle());
    }
    return answer_to(event);
}

void Agent::answer(std::uint32_t count) const {
    for (std::uint32_t i = 0; i < count; ++i) {
        answer_next();
    }
}

Error try_enroll(const File& file, ucmad_mad_register arg) {
    return file.call(UCMAD_IOCTL_MAD_REGISTER, &arg);
}

Agent enroll(const File& file, ucmad_mad_register arg) {
    must(file.call(UCMAD_IOCTL_MAD_REGISTER, &arg));
    return {file, arg.object};
}

ucmad_mad_send answer_of(const Mad& mad, const Event& request) {
    ucmad_mad_send send{};
    send.mad = address(mad.data());
    send.mad_len = UCMAD_MAD_SIZE;
    send.flags = UCMAD_SEND_NO_RESPONSE;
    send.in_reply_to = request.body<ucmad_mad_receive>().request;
    return send;
}

ucmad_mad_send request_of(const Mad& mad, const ucmad_mad_address& to, std::uint64_t cookie,
                          std::uint32_t timeout_ms, std::uint32_t retries) {
    ucmad_mad_send send{};
    send.mad = address(mad.data());
    send.mad_len = UCMAD_MAD_SIZE;
    send.cookie = cookie;
    send.timeout_ms = timeout_ms;
    send.retries = retries;
    send.to = to;
    return send;
}

} // namespace vm
