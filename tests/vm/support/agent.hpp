// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A MAD agent of a file: its handle with every operation, and the MADs that tests send. A value
// that owns nothing, as Id.
#pragma once

#include "device.hpp"
#include "id.hpp"

#include <array>

namespace vm {

// The vendor class of ibping, so that either end could be one, and its OUI.
inline constexpr std::uint8_t ping_class = 0x32;
inline constexpr std::array<std::uint8_t, 3> ping_oui = {0x00, 0x14, 0x05};
inline constexpr std::uint8_t method_get = 0x01;
// Nobody answers it: for a Get or a Set that no agent wants, the kernel itself does.
inline constexpr std::uint8_t method_send = 0x03;
inline constexpr std::uint8_t method_get_resp = 0x81;

using Mad = std::array<std::uint8_t, UCMAD_MAD_SIZE>;

// A MAD of the ping class whose data begin with `mark`.
Mad ping(std::uint64_t tid, std::uint64_t mark, std::uint8_t method = method_get);
std::uint64_t tid_of(const Mad& mad);
std::uint64_t mark_of(const Mad& mad);
Mad mad_of(const Event& event);

// What to register for an agent that only sends, and for one that ping requests come to.
ucmad_mad_register sender(const Device& device = main_device());
ucmad_mad_register responder(const Device& device = main_device());

// QP1 at the other end of a path.
ucmad_mad_address gsi_at(const ucmad_path& path);

struct Posted {
    Error error;
    std::uint32_t count;
    std::uint32_t why; // as errno, if it is not all of them
};

class Agent {
public:
    Agent(const File& file, std::uint32_t handle) : id_(file, handle) {}

    const File& file() const { return id_.file(); }
    std::uint32_t handle() const { return id_.handle(); }
    const Id& id() const { return id_; }

    // Writes the handles into `sends`.
    Posted post(std::vector<ucmad_mad_send>& sends) const;
    // Posts one that is accepted, and returns its handle; throws if it is not.
    std::uint32_t post(ucmad_mad_send send) const;
    [[nodiscard]] Error try_post(ucmad_mad_send send) const;
    [[nodiscard]] Error cancel(const std::vector<std::uint32_t>& handles) const;
    [[nodiscard]] Error cancel_all() const;
    [[nodiscard]] Error set_timeout(std::uint32_t handle, std::uint32_t ms) const;
    [[nodiscard]] Error try_query() const;
    ucmad_mad_query query() const;

    // Waits until so many unsolicited MADs are there to be taken.
    void wait_for_receives(std::uint32_t count) const;
    // Takes the completion that comes next, by the agent's name, and throws if it is another event.
    Event expect_completion() const { return id_.expect(UCMAD_EVENT_MAD_SEND); }
    // Answers a request with the same data; returns the answer's handle.
    std::uint32_t answer_to(const Event& request) const;
    [[nodiscard]] Error try_answer_to(const Event& request) const;
    // Takes the next request and answers it with the same data; returns the answer's handle.
    std::uint32_t answer_next() const;
    void answer(std::uint32_t count) const;

private:
    Id id_;
};

[[nodiscard]] Error try_enroll(const File& file, ucmad_mad_register arg);
Agent enroll(const File& file, ucmad_mad_register arg);

// A request that stays valid as long as `mad` does.
ucmad_mad_send request_of(const Mad& mad, const ucmad_mad_address& to, std::uint64_t cookie,
                          std::uint32_t timeout_ms = 60000, std::uint32_t retries = 0);

// An answer to a request, valid as long as `mad`.
ucmad_mad_send answer_of(const Mad& mad, const Event& request);

inline ucmad_mad_completion completion_of(const Event& event) {
    return event.body<ucmad_mad_completion>();
}

} // namespace vm
