// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "worker.hpp"

#include "../vm/support/error.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <rdma/ucmad.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace fuzz {

namespace {

// What is laid out anew for each call; more than any struct, with room for one that is too long.
constexpr std::size_t used = 8192;
constexpr std::int64_t longest_wait_ns = 12'000'000;
constexpr std::uint64_t longest_sleep_ms = 20;

using Word = std::array<std::uint8_t, 16>;

// GIDs by number: those of the guest's device, two of its neighbours that are not there, and one
// that no route leads to.
constexpr std::array<Word, 6> gids = {{
    {},
    {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfe, 0, 0, 1},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1},
    {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfe, 0, 0, 0x7b},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 0x7b},
    {0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
}};

// The bytes of a member.
Word word_of(const Field& field, const Value& value, const Memory& memory) {
    if (field.kind == Kind::gid && value.number < gids.size()) {
        return gids[value.number];
    }
    const std::uint64_t number =
        field.kind == Kind::pointer ? memory[field.target].address(value) : value.number;
    Word word{};
    std::memcpy(word.data(), &number, sizeof number);
    return word;
}

// Some byte behind the struct.
void dirty_tail(std::span<std::uint8_t> arg, std::size_t size, std::uint64_t value) {
    if (value) {
        arg[(size + value % 4096) % used] = 1;
    }
}

// A limit on waiting, whatever the input says. Returns whether an alarm is needed.
bool limit_wait(std::span<std::uint8_t> arg) {
    std::int64_t timeout = 0;
    std::uint8_t* place = arg.data() + offsetof(ucmad_events, timeout_ns);
    std::memcpy(&timeout, place, sizeof timeout);
    timeout = std::min(timeout, longest_wait_ns);
    std::memcpy(place, &timeout, sizeof timeout);
    return timeout < 0;
}

int error_of(long result) { return result == -1 ? errno : 0; }

int make_other(const Call& call, int fd, std::span<const Value> values) {
    char byte = 0;
    pollfd waiting{fd, POLLIN, 0};
    switch (call.action) {
    case Action::poll:
        return error_of(::poll(&waiting, 1, 0));
    case Action::read:
        return error_of(::read(fd, &byte, 1));
    case Action::mmap:
        return ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED ? errno : 0;
    case Action::sleep:
        ::usleep(static_cast<useconds_t>(std::min(values[0].number, longest_sleep_ms) * 1000));
        return 0;
    default:
        return 0;
    }
}

} // namespace

Alarm::Alarm() {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    sigaction(SIGALRM, &action, nullptr);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGALRM;
    event._sigev_un._tid = gettid();
    vm::must_succeed(timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0, "timer_create");
}

Alarm::~Alarm() { timer_delete(timer_); }

void Alarm::set(long ns) const {
    // Again and again: the first may come before the call has begun to wait.
    const itimerspec when{{0, ns}, {0, ns}};
    timer_settime(timer_, 0, &when, nullptr);
}

// Fills memory; returns the address of the struct.
std::uint64_t Worker::prepare(const Call& call, std::span<const Value> values) {
    std::array<std::array<std::uint8_t, used>, block_count> blocks;
    for (const Block block : {Block::arg, Block::array, Block::mad}) {
        blocks[static_cast<std::size_t>(block)].fill(0);
    }
    for (std::size_t i = 0; i < call.fields.size(); ++i) {
        const Field& field = call.fields[i];
        if (field.block != Block::none) {
            const Word word = word_of(field, values[i], memory_);
            std::memcpy(blocks[static_cast<std::size_t>(field.block)].data() + field.offset,
                        word.data(), field.width);
        }
    }
    auto& arg = blocks[static_cast<std::size_t>(Block::arg)];
    dirty_tail(arg, call.size, values[tail_field].number);
    // Each pointer may mean another place in its block.
    const auto lay_out = [&](Block block, const Value& where) {
        const std::uint64_t address = memory_[block].address(
            where.form == Value::Form::fixed ? Value{Value::Form::good} : where);
        const auto to = memory_[block].at(address);
        const auto& from = blocks[static_cast<std::size_t>(block)];
        std::copy_n(from.begin(), std::min(from.size(), to.size()), to.begin());
    };
    for (std::size_t i = 1; i < call.fields.size(); ++i) {
        const Field& field = call.fields[i];
        if (field.kind == Kind::pointer &&
            (field.target == Block::array || field.target == Block::mad)) {
            lay_out(field.target, values[i]);
        }
    }
    lay_out(Block::arg, values[where_field]);
    return memory_[Block::arg].address(values[where_field]);
}

Worker::Answer Worker::make_ioctl(const Call& call, int fd, std::span<const Value> values) {
    const bool raw = call.action == Action::raw;
    const unsigned long request = raw ? values[size_field + 1].number : call.request;
    const std::uint64_t address = prepare(call, values);
    const auto arg = memory_[Block::arg].at(address);
    bool alarm = request == UCMAD_IOCTL_EVENTS;
    if (alarm && arg.size() >= sizeof(ucmad_events)) {
        alarm = limit_wait(arg);
    }
    if (alarm) {
        alarm_.start();
    }
    const int error = error_of(::ioctl(fd, request, address));
    if (alarm) {
        alarm_.stop();
    }
    return {error, arg};
}

Worker::Answer Worker::make(const Call& call, int fd, std::span<const Value> values) {
    Answer answer;
    trace([&] {
        answer = call.size ? make_ioctl(call, fd, values) : Answer{make_other(call, fd, values)};
    });
    return answer;
}

} // namespace fuzz
