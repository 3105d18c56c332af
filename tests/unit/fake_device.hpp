// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// A device in memory in place of the kernel's: it takes the place of lib/ioctl.cpp when linked.
/// Objects, event queue, holding, acknowledging and targeted waits behave as <rdma/ucmad.h> says;
/// what a CM operation asks for is recorded and not carried out.
#pragma once

#include <ucmad/types.hpp>

#include <rdma/ucmad.h>

#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

namespace ucmad::test {

class FakeDevice {
public:
    /// There may be one at a time.
    FakeDevice();
    ~FakeDevice();
    FakeDevice(const FakeDevice&) = delete;
    FakeDevice& operator=(const FakeDevice&) = delete;

    /// A descriptor to make a Context of, which closes it. Polls as the kernel's does (EV-POLL).
    [[nodiscard]] int open() const;

    Handle add_object(std::uint64_t context = 0);

    /// Queues an event of an object. Does nothing if that was destroyed.
    void post(Handle object, std::uint16_t type, Bytes body = {}, Bytes data = {});

    /// A REQ to a listener; returns the new CM ID, which is born held (EV-ACCEPT).
    Handle post_req(Handle listener, std::uint64_t remote_ca_guid = 0);

    /// Has the next call of that ioctl fail.
    void fail_next(unsigned long request, int error);

    /// Has every call of that ioctl, one of those that are only recorded, give back this struct.
    template <typename Struct>
    void answer(unsigned long request, const Struct& argument) {
        const std::lock_guard lock{mutex_};
        const auto* bytes = reinterpret_cast<const std::byte*>(&argument);
        calls_[request].answer.assign(bytes, bytes + sizeof argument);
    }

    /// The struct that the last call of that ioctl passed.
    template <typename Struct>
    [[nodiscard]] Struct last(unsigned long request) {
        const std::lock_guard lock{mutex_};
        Struct argument{};
        std::memcpy(&argument, calls_[request].argument.data(), sizeof argument);
        return argument;
    }

    /// The n-th send that was accepted, of any agent. What becomes of it is the test's.
    [[nodiscard]] ucmad_mad_send posted(std::size_t n);
    /// From now on only so many are accepted (MAD-PARTIAL).
    void accept_sends(std::size_t count);

    [[nodiscard]] std::size_t count(unsigned long request);
    [[nodiscard]] bool exists(Handle object);
    [[nodiscard]] bool held(Handle object);
    [[nodiscard]] std::uint64_t context(Handle object);
    [[nodiscard]] std::size_t queued(Handle object);
    [[nodiscard]] std::size_t objects();
    [[nodiscard]] std::size_t waiting(); ///< Threads that wait in UCMAD_IOCTL_EVENTS.

    int ioctl(unsigned long request, void* argument);

    ucmad_query info{};
    std::vector<ucmad_device_info> devices;

private:
    struct Stored {
        std::uint16_t type;
        std::uint64_t sequence;
        std::vector<std::byte> body;
        std::vector<std::byte> data;
    };

    struct Object {
        std::deque<Stored> queue;
        std::uint64_t context = 0;
        std::uint64_t next_sequence = 1;
        std::uint64_t held_up_to = 0; ///< Sequence of the last event that holds it; 0: not held.
        Handle listener{};            ///< Of an ID born of a REQ that was not taken yet.
        bool born_held = false;
    };

    struct Calls {
        std::size_t count = 0;
        int next_error = 0;
        std::vector<std::byte> argument;
        std::vector<std::byte> answer;
    };

    struct Taking; // one call of UCMAD_IOCTL_EVENTS

    int events(ucmad_events& argument);
    void acknowledge(const ucmad_ack& ack, ucmad_events& argument);
    int take(ucmad_events& argument);
    bool take_one(Taking& taking);
    Object* next_ready(Taking& taking, Handle& handle);
    bool write_record(Taking& taking, Handle handle, Object& object);
    int destroy(ucmad_destroy& argument);
    int post_sends(ucmad_mad_post& argument);
    int list(ucmad_devices& argument);
    Handle add_object_locked(std::uint64_t context);
    void changed();

    std::mutex mutex_;
    std::condition_variable wake_;
    std::map<Handle, Object> objects_;
    std::map<unsigned long, Calls> calls_;
    std::vector<ucmad_mad_send> posted_;
    std::size_t sends_to_accept_ = static_cast<std::size_t>(-1);
    std::uint32_t next_handle_ = 1;
    Handle last_served_{};
    std::size_t waiting_ = 0;
    int event_fd_ = -1;
};

} // namespace ucmad::test
