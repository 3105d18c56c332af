// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <ucmad/context.hpp>

#include "abi.hpp"
#include "file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <utility>

namespace ucmad {
namespace {

using Clock = std::chrono::steady_clock;

int open_device(const std::string& path) {
    const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd >= 0)
        return fd;
    const int error = errno;
    std::string what = "cannot open " + path;
    if (error == ENOENT)
        what += " (is the module loaded? try: modprobe ucmad)";
    else if (error == EACCES || error == EPERM)
        what += " (may you use it? see its owner and mode, or try as root)";
    throw std::system_error(detail::system_code(error), what);
}

/// The acknowledgements were carried out, whatever became of the taking.
bool acks_done(const std::error_code& ec) noexcept {
    switch (ec.value()) {
    case 0:
    case EAGAIN:
    case EINTR:
    case EMSGSIZE:
    case ESHUTDOWN:
    case ETIMEDOUT:
        return true;
    default:
        return false;
    }
}

bool nothing_came(const std::error_code& ec) noexcept {
    return ec.value() == EAGAIN || ec.value() == ETIMEDOUT;
}

/// What is left of a time that started at `start`.
Timeout remaining(Timeout timeout, Clock::time_point start) noexcept {
    if (timeout < no_wait)
        return timeout;
    return std::max(no_wait, timeout - (Clock::now() - start));
}

/// One UCMAD_IOCTL_EVENTS; returns the bytes of it that are of use afterwards.
ucmad_events take_once(int fd, const TakeOptions& options, std::span<const Ack> acks,
                       std::span<std::uint64_t> buffer, std::error_code& ec) noexcept {
    auto argument = detail::make_argument<ucmad_events>();
    argument.object = static_cast<__u32>(options.object);
    argument.ack_count = static_cast<__u32>(acks.size());
    argument.acks = detail::address_of(acks.data());
    argument.buffer = detail::address_of(buffer.data());
    argument.buffer_len = static_cast<__u32>(buffer.size_bytes());
    argument.max_events = options.max_events;
    argument.timeout_ns = options.timeout.count();
    ec = detail::call(fd, UCMAD_IOCTL_EVENTS, argument);
    return argument;
}

/// Takes events, and has `grow` make a larger buffer as long as the first event does not fit
/// (EV-TOOSMALL). Returns the bytes that were written; none came: 0, and no error.
template <typename Grow>
std::uint32_t take_growing(int fd, TakeOptions options, std::span<const Ack>& acks,
                           std::span<std::uint64_t> buffer, Grow grow, std::error_code& ec) {
    const auto start = Clock::now();
    const Timeout timeout = options.timeout;
    for (;;) {
        const ucmad_events result = take_once(fd, options, acks, buffer, ec);
        if (acks_done(ec))
            acks = {};
        if (ec.value() != EMSGSIZE) {
            if (nothing_came(ec))
                ec.clear();
            else if (!ec)
                return result.bytes;
            return 0;
        }
        buffer = grow((result.needed + 7) / 8);
        options.timeout = remaining(timeout, start);
    }
}

Bytes written(std::span<const std::uint64_t> buffer, std::uint32_t bytes) noexcept {
    return std::as_bytes(buffer).first(std::min<std::size_t>(bytes, buffer.size_bytes()));
}

} // namespace

EventBatch::EventBatch(std::size_t bytes) : buffer_((bytes + 7) / 8) {}

void EventBatch::ack(const EventBase& event) {
    if (event.held)
        acks_.emplace_back(event);
}

void EventBatch::ack(const EventBase& event, std::uint64_t new_context) {
    if (event.held)
        acks_.emplace_back(event, new_context);
}

void EventBatch::ack_all() {
    for (const EventView& event : events_)
        ack(event);
}

Context::Context(const std::string& path) : Context(open_device(path)) {}

Context::Context(int fd) : file_(std::make_shared<const detail::File>(fd)) {
    const ModuleInfo info = query();
    if (info.abi_version != UCMAD_ABI_VERSION)
        throw std::system_error(detail::system_code(EPROTO), "the ucmad module speaks version " +
                                                                 std::to_string(info.abi_version) +
                                                                 " of the ABI, this library " +
                                                                 std::to_string(UCMAD_ABI_VERSION));
}

Context::Context(std::shared_ptr<const detail::File> file) noexcept : file_(std::move(file)) {}

Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;
Context::~Context() = default;

int Context::fd() const noexcept { return file_->fd(); }

ModuleInfo Context::query() const {
    auto argument = detail::make_argument<ucmad_query>();
    if (const auto ec = detail::call(fd(), UCMAD_IOCTL_QUERY, argument))
        throw std::system_error(ec, "query of the ucmad module");
    return {
        .abi_version = argument.abi_version,
        .features = argument.features,
        .max_objects = argument.max_objects,
        .max_backlog = argument.max_backlog,
        .max_event_size = argument.max_event_size,
    };
}

std::vector<DeviceInfo> Context::devices() const {
    std::vector<ucmad_device_info> room(8);
    for (;;) {
        auto argument = detail::make_argument<ucmad_devices>();
        argument.count = static_cast<__u32>(room.size());
        argument.devices = detail::address_of(room.data());
        argument.entry_size = sizeof(ucmad_device_info);
        if (const auto ec = detail::call(fd(), UCMAD_IOCTL_DEVICES, argument))
            throw std::system_error(ec, "list of the RDMA devices");
        const bool complete = argument.count <= room.size();
        room.resize(argument.count);
        if (complete)
            break;
    }
    std::vector<DeviceInfo> devices;
    devices.reserve(room.size());
    for (const ucmad_device_info& info : room)
        devices.push_back({
            .index = info.index,
            .port_count = info.port_count,
            .node_guid = info.node_guid,
            .roce_ports = info.roce_ports,
            .name = std::string{info.name, strnlen(info.name, sizeof info.name)},
        });
    return devices;
}

DeviceInfo Context::device(std::string_view name) const {
    std::string others;
    for (DeviceInfo& device : devices()) {
        if (device.name == name)
            return std::move(device);
        others += (others.empty() ? "" : ", ") + device.name;
    }
    throw std::system_error(detail::system_code(ENODEV),
                            "no RDMA device '" + std::string{name} +
                                "' (there is: " + (others.empty() ? "none" : others) + ")");
}

std::size_t Context::take(EventBatch& batch, const TakeOptions& options,
                          std::error_code& ec) const {
    batch.events_.clear();
    const auto grow = [&](std::size_t words) {
        batch.buffer_.resize(words);
        return std::span{batch.buffer_};
    };
    std::span<const Ack> acks{batch.acks_};
    const std::uint32_t bytes = take_growing(fd(), options, acks, batch.buffer_, grow, ec);
    if (acks.empty())
        batch.acks_.clear();
    if (!ec)
        ec = detail::decode_events(written(batch.buffer_, bytes), batch.events_);
    // So that acknowledging each event once allocates nothing, and cannot fail.
    batch.acks_.reserve(batch.acks_.size() + batch.events_.size());
    return batch.events_.size();
}

std::size_t Context::take(EventBatch& batch, const TakeOptions& options) const {
    return detail::checked("taking events", [&](auto& ec) { return take(batch, options, ec); });
}

std::optional<Event> Context::next(Handle object, Timeout timeout, std::span<const Ack> acks,
                                   std::error_code& ec) const {
    std::array<std::uint64_t, 128> usual; // room for any event of a CM ID
    std::vector<std::uint64_t> large;
    std::span<std::uint64_t> buffer{usual};
    const auto grow = [&](std::size_t words) {
        return buffer = (large.resize(words), std::span{large});
    };
    const TakeOptions options{.object = object, .timeout = timeout, .max_events = 1};
    const std::uint32_t bytes = take_growing(fd(), options, acks, buffer, grow, ec);
    std::vector<EventView> events;
    if (!ec)
        ec = detail::decode_events(written(buffer, bytes), events);
    if (events.empty())
        return std::nullopt;
    return Event{events.front()};
}

std::optional<Event> Context::next(Handle object, Timeout timeout,
                                   std::span<const Ack> acks) const {
    return detail::checked("waiting for an event",
                           [&](auto& ec) { return next(object, timeout, acks, ec); });
}

std::uint32_t Context::ack(std::span<const Ack> acks, std::error_code& ec) const noexcept {
    return take_once(fd(), {.timeout = no_wait}, acks, {}, ec).acks_ignored;
}

std::uint32_t Context::ack(std::span<const Ack> acks) const {
    return detail::checked("acknowledging events", [&](auto& ec) { return ack(acks, ec); });
}

std::uint32_t Context::flush(EventBatch& batch, std::error_code& ec) const noexcept {
    const std::uint32_t ignored = ack(batch.acks_, ec);
    if (!ec)
        batch.acks_.clear();
    return ignored;
}

std::uint32_t Context::flush(EventBatch& batch) const {
    return detail::checked("acknowledging events", [&](auto& ec) { return flush(batch, ec); });
}

} // namespace ucmad
