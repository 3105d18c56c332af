// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "fake_device.hpp"

#include "../../lib/ioctl.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <set>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace ucmad {
namespace {

std::atomic<test::FakeDevice*> current = nullptr;

} // namespace

int detail::device_ioctl(int fd, unsigned long request, void* argument) noexcept {
    // As the kernel: a bad descriptor is told first.
    if (fcntl(fd, F_GETFD) < 0)
        return EBADF;
    return current.load()->ioctl(request, argument);
}

namespace test {

FakeDevice::FakeDevice() : event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    info.abi_version = UCMAD_ABI_VERSION;
    info.features = UCMAD_FEATURE_CM;
    info.max_objects = 65536;
    info.max_backlog = 4096;
    info.max_event_size = 1024;
    current = this;
}

FakeDevice::~FakeDevice() {
    current = nullptr;
    close(event_fd_);
}

int FakeDevice::open() const { return fcntl(event_fd_, F_DUPFD_CLOEXEC, 0); }

Handle FakeDevice::add_object_locked(std::uint64_t context) {
    const Handle handle{next_handle_++};
    objects_[handle].context = context;
    return handle;
}

Handle FakeDevice::add_object(std::uint64_t context) {
    const std::lock_guard lock{mutex_};
    return add_object_locked(context);
}

void FakeDevice::post(Handle object, std::uint16_t type, Bytes body, Bytes data) {
    const std::lock_guard lock{mutex_};
    const auto found = objects_.find(object);
    if (found == objects_.end())
        return;
    found->second.queue.push_back({type,
                                   found->second.next_sequence++,
                                   {body.begin(), body.end()},
                                   {data.begin(), data.end()}});
    changed();
}

Handle FakeDevice::post_req(Handle listener, std::uint64_t remote_ca_guid) {
    ucmad_cm_req_event body{};
    body.listener = static_cast<__u32>(listener);
    body.remote_ca_guid = remote_ca_guid;
    Handle handle{};
    {
        const std::lock_guard lock{mutex_};
        handle = add_object_locked(objects_.at(listener).context);
        objects_[handle].listener = listener;
        objects_[handle].born_held = true;
    }
    const std::vector<std::byte> data(UCMAD_CM_REQ_DATA_MAX);
    post(handle, UCMAD_EVENT_CM_REQ, std::as_bytes(std::span{&body, 1}), data);
    return handle;
}

void FakeDevice::fail_next(unsigned long request, int error) {
    const std::lock_guard lock{mutex_};
    calls_[request].next_error = error;
}

ucmad_mad_send FakeDevice::posted(std::size_t n) {
    const std::lock_guard lock{mutex_};
    return posted_.at(n);
}

void FakeDevice::accept_sends(std::size_t count) {
    const std::lock_guard lock{mutex_};
    sends_to_accept_ = count;
}

std::size_t FakeDevice::count(unsigned long request) {
    const std::lock_guard lock{mutex_};
    return calls_[request].count;
}

bool FakeDevice::exists(Handle object) {
    const std::lock_guard lock{mutex_};
    return objects_.contains(object);
}

bool FakeDevice::held(Handle object) {
    const std::lock_guard lock{mutex_};
    return objects_.at(object).held_up_to != 0;
}

std::uint64_t FakeDevice::context(Handle object) {
    const std::lock_guard lock{mutex_};
    return objects_.at(object).context;
}

std::size_t FakeDevice::queued(Handle object) {
    const std::lock_guard lock{mutex_};
    return objects_.at(object).queue.size();
}

std::size_t FakeDevice::objects() {
    const std::lock_guard lock{mutex_};
    return objects_.size();
}

std::size_t FakeDevice::waiting() {
    const std::lock_guard lock{mutex_};
    return waiting_;
}

// ---- the ioctls -------------------------------------------------------------------------------

int FakeDevice::ioctl(unsigned long request, void* argument) {
    {
        const std::lock_guard lock{mutex_};
        Calls& calls = calls_[request];
        ++calls.count;
        std::uint32_t size = 0; // the first member of every argument
        std::memcpy(&size, argument, sizeof size);
        const auto* bytes = static_cast<const std::byte*>(argument);
        calls.argument.assign(bytes, bytes + size);
        if (const int error = std::exchange(calls.next_error, 0))
            return error;
        std::ranges::copy(calls.answer, static_cast<std::byte*>(argument));
    }
    switch (request) {
    case UCMAD_IOCTL_QUERY: {
        const std::uint32_t size = static_cast<ucmad_query*>(argument)->size;
        *static_cast<ucmad_query*>(argument) = info;
        static_cast<ucmad_query*>(argument)->size = size;
        return 0;
    }
    case UCMAD_IOCTL_DEVICES:
        return list(*static_cast<ucmad_devices*>(argument));
    case UCMAD_IOCTL_EVENTS:
        return events(*static_cast<ucmad_events*>(argument));
    case UCMAD_IOCTL_DESTROY:
        return destroy(*static_cast<ucmad_destroy*>(argument));
    case UCMAD_IOCTL_CM_CREATE: {
        auto* create = static_cast<ucmad_cm_create*>(argument);
        create->object = static_cast<__u32>(add_object(create->context));
        return 0;
    }
    case UCMAD_IOCTL_MAD_REGISTER: {
        auto* enrol = static_cast<ucmad_mad_register*>(argument);
        enrol->object = static_cast<__u32>(add_object(enrol->context));
        return 0;
    }
    case UCMAD_IOCTL_MAD_POST:
        return post_sends(*static_cast<ucmad_mad_post*>(argument));
    case UCMAD_IOCTL_SET_CONTEXT: {
        const auto* set = static_cast<ucmad_set_context*>(argument);
        const std::lock_guard lock{mutex_};
        objects_.at(Handle{set->object}).context = set->context;
        return 0;
    }
    default:
        return 0; // recorded
    }
}

int FakeDevice::post_sends(ucmad_mad_post& argument) {
    const std::lock_guard lock{mutex_};
    if (!objects_.contains(Handle{argument.object}))
        return ENOENT;
    auto* sends = reinterpret_cast<ucmad_mad_send*>(argument.sends);
    for (argument.posted = 0; argument.posted < argument.count; ++argument.posted) {
        if (sends_to_accept_ == 0) {
            argument.error = EAGAIN;
            break;
        }
        --sends_to_accept_;
        sends[argument.posted].handle = static_cast<__u32>(posted_.size() + 1);
        posted_.push_back(sends[argument.posted]);
    }
    return argument.posted > 0 ? 0 : static_cast<int>(argument.error);
}

int FakeDevice::list(ucmad_devices& argument) {
    auto* out = reinterpret_cast<ucmad_device_info*>(argument.devices);
    for (std::size_t i = 0; i < std::min<std::size_t>(argument.count, devices.size()); ++i)
        out[i] = devices[i];
    argument.count = static_cast<__u32>(devices.size());
    return 0;
}

int FakeDevice::destroy(ucmad_destroy& argument) {
    const std::lock_guard lock{mutex_};
    const auto found = objects_.find(Handle{argument.object});
    if (found == objects_.end())
        return ENOENT;
    argument.discarded = static_cast<__u32>(found->second.queue.size());
    objects_.erase(found);
    changed();
    return 0;
}

struct FakeDevice::Taking {
    ucmad_events& argument;
    std::byte* out;
    std::set<Handle> mine; ///< Objects that this very call has taken events of.
};

void FakeDevice::acknowledge(const ucmad_ack& ack, ucmad_events& argument) {
    const auto found = objects_.find(Handle{ack.object});
    if (found == objects_.end() || found->second.held_up_to == 0) {
        ++argument.acks_ignored;
        return;
    }
    Object& object = found->second;
    if (ack.sequence >= object.held_up_to)
        object.held_up_to = 0;
    if ((ack.flags & UCMAD_ACK_SET_CONTEXT) != 0)
        object.context = ack.context;
}

FakeDevice::Object* FakeDevice::next_ready(Taking& taking, Handle& handle) {
    const Handle wanted{taking.argument.object};
    const auto ready = [&](Handle name, const Object& object) {
        if (object.queue.empty())
            return false;
        if (wanted != Handle::any)
            return name == wanted || object.listener == wanted;
        return object.held_up_to == 0 || taking.mine.contains(name);
    };
    // EV-FAIR: the search goes on behind the object that was served last.
    const auto start = objects_.upper_bound(last_served_);
    auto at = start;
    for (std::size_t i = 0; i < objects_.size(); ++i, ++at) {
        if (at == objects_.end())
            at = objects_.begin();
        if (!ready(at->first, at->second))
            continue;
        handle = at->first;
        last_served_ = handle;
        return &at->second;
    }
    return nullptr;
}

bool FakeDevice::write_record(Taking& taking, Handle handle, Object& object) {
    const Stored& event = object.queue.front();
    const std::size_t body_end = sizeof(ucmad_event) + event.body.size();
    const std::size_t size = (body_end + event.data.size() + 7) / 8 * 8;
    if (taking.argument.bytes + size > taking.argument.buffer_len) {
        taking.argument.needed = static_cast<__u32>(size);
        return false;
    }
    ucmad_event head{};
    head.size = static_cast<__u32>(size);
    head.type = event.type;
    head.object = static_cast<__u32>(handle);
    head.sequence = event.sequence;
    head.context = object.context;
    head.data_offset = static_cast<__u32>(body_end);
    head.data_len = static_cast<__u32>(event.data.size());
    if (taking.argument.object == 0 || object.born_held) {
        head.flags = UCMAD_EVENT_HELD;
        object.held_up_to = event.sequence;
    }
    object.born_held = false;
    object.listener = Handle::any;
    std::memset(taking.out, 0, size);
    std::memcpy(taking.out, &head, sizeof head);
    std::ranges::copy(event.body, taking.out + sizeof head);
    std::ranges::copy(event.data, taking.out + body_end);
    taking.out += size;
    taking.argument.bytes += static_cast<__u32>(size);
    ++taking.argument.count;
    taking.mine.insert(handle);
    object.queue.pop_front();
    return true;
}

bool FakeDevice::take_one(Taking& taking) {
    const ucmad_events& argument = taking.argument;
    if (argument.max_events != 0 && argument.count == argument.max_events)
        return false;
    Handle handle{};
    Object* object = next_ready(taking, handle);
    return object != nullptr && write_record(taking, handle, *object);
}

int FakeDevice::take(ucmad_events& argument) {
    Taking taking{argument, reinterpret_cast<std::byte*>(argument.buffer), {}};
    while (take_one(taking)) {
    }
    if (argument.count == 0 && argument.needed != 0)
        return EMSGSIZE;
    return argument.count == 0 ? EAGAIN : 0;
}

int FakeDevice::events(ucmad_events& argument) {
    std::unique_lock lock{mutex_};
    const auto* acks = reinterpret_cast<const ucmad_ack*>(argument.acks);
    for (std::size_t i = 0; i < argument.ack_count; ++i)
        acknowledge(acks[i], argument);
    changed();
    if (argument.buffer == 0)
        return 0;
    const bool targeted = argument.object != 0;
    if (targeted && !objects_.contains(Handle{argument.object}))
        return ENOENT;

    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::nanoseconds{argument.timeout_ns};
    ++waiting_;
    int error = 0;
    while ((error = take(argument)) == EAGAIN) {
        if (targeted && !objects_.contains(Handle{argument.object})) {
            error = ESHUTDOWN;
            break;
        }
        if (argument.timeout_ns == 0)
            break;
        if (argument.timeout_ns < 0)
            wake_.wait(lock);
        else if (wake_.wait_until(lock, deadline) == std::cv_status::timeout) {
            error = ETIMEDOUT;
            break;
        }
    }
    --waiting_;
    changed();
    return error;
}

/// Wakes who waits in an ioctl, and makes the descriptor readable or not.
void FakeDevice::changed() {
    bool ready = false;
    for (const auto& [handle, object] : objects_)
        ready = ready || (!object.queue.empty() && object.held_up_to == 0);
    std::uint64_t value = 1;
    if (ready) [[maybe_unused]]
        const auto n = write(event_fd_, &value, sizeof value);
    else [[maybe_unused]]
        const auto n = read(event_fd_, &value, sizeof value);
    wake_.notify_all();
}

} // namespace test
} // namespace ucmad
