// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "../vm/support/memory.hpp"
#include "operations.hpp"
#include "twin.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

namespace storm {

namespace {

vm::Duration pick_timeout(Actor& actor) {
    return std::chrono::microseconds(actor.random.once_in(2) ? 0 : actor.random.below(20000));
}

void take_any(Actor& actor) {
    actor.take({.max = actor.random.between(1, 16), .timeout = pick_timeout(actor)});
}

std::optional<Handle> pick_object(Actor& actor) {
    const StormFile& file = *actor.file;
    return actor.random.once_in(2) ? file.ids.pick(actor.random) : file.agents.pick(actor.random);
}

void take_by_name(Actor& actor) {
    if (const std::optional<Handle> object = pick_object(actor)) {
        actor.take(
            {.object = *object, .max = actor.random.between(1, 8), .timeout = pick_timeout(actor)});
    }
}

// Until an event comes, somebody destroys the object, or a signal comes.
void take_for_ever(Actor& actor) {
    if (!actor.process.interrupts()) {
        return;
    }
    const std::optional<Handle> object = pick_object(actor);
    actor.take({.object = object.value_or(0), .max = 1, .timeout = vm::Duration(-1)});
}

void take_too_little(Actor& actor) {
    actor.take({.max = 2, .room = 8 * actor.random.between(1, 60)});
}

// The events stay where they were.
void take_to_bad_memory(Actor& actor) {
    const vm::Guarded buffer(8);
    auto arg = vm::sized<ucmad_events>();
    arg.buffer = vm::address(buffer.data());
    arg.buffer_len = 4096;
    const bool expected = true;
    const vm::Error error = actor.call(
        Call::events, [&] { return actor.file->file.call(UCMAD_IOCTL_EVENTS, &arg); }, false,
        expected);
    if (error == vm::ok) {
        board().fault("events: success, and the buffer is no memory");
    }
}

void poll_file(Actor& actor) {
    pollfd readable{actor.file->file.fd(), POLLIN, 0};
    const int count = poll(&readable, 1, static_cast<int>(actor.random.below(5)));
    if (count > 0 && readable.revents != POLLIN) {
        board().fault("poll says " + std::to_string(readable.revents));
    }
}

void epoll_file(Actor& actor) {
    const int fd = epoll_create1(EPOLL_CLOEXEC);
    epoll_event event{};
    event.events = EPOLLIN | (actor.random.once_in(2) ? static_cast<unsigned>(EPOLLET) : 0U);
    if (epoll_ctl(fd, EPOLL_CTL_ADD, actor.file->file.fd(), &event) == 0 &&
        epoll_wait(fd, &event, 1, static_cast<int>(actor.random.below(5))) == 1) {
        actor.take({.max = 4});
    }
    close(fd);
}

void query(Actor& actor) {
    auto arg = vm::sized<ucmad_query>();
    actor.call(Call::query, [&] { return actor.file->file.call(UCMAD_IOCTL_QUERY, &arg); });
}

void list_devices(Actor& actor) {
    std::vector<ucmad_device_info> list(4);
    auto arg = vm::sized<ucmad_devices>();
    arg.count = static_cast<std::uint32_t>(list.size());
    arg.devices = vm::address(list.data());
    arg.entry_size = sizeof(ucmad_device_info);
    actor.call(Call::devices, [&] { return actor.file->file.call(UCMAD_IOCTL_DEVICES, &arg); });
}

// All that the old one has goes as soon as nobody is in a call on it.
void reopen(Actor& actor) {
    actor.call(Call::open, [&] {
        actor.process.replace_file(actor.random, std::make_shared<StormFile>());
        return vm::ok;
    });
}

void interrupt(Actor& actor) { actor.process.interrupt_one(actor.random); }

constexpr Weighted file_table[] = {
    {24, take_any},          {8, take_by_name}, {1, take_for_ever}, {2, take_too_little},
    {2, take_to_bad_memory}, {2, poll_file},    {1, epoll_file},    {1, query},
    {1, list_devices},       {1, reopen},       {1, interrupt},     {1, share_with_twin},
};

} // namespace

std::span<const Weighted> file_operations() { return file_table; }

} // namespace storm
