// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// One who sends requests to the responder and takes the responses; the same for each peer of the
/// comparison.
#pragma once

#include <ucmad/mad.hpp>
#include <ucmad/mad_address.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace bench {

/// What the responder (bench/responder) answers, and its OUI is that of the ping class.
inline constexpr std::uint8_t responder_class = 0x33;

/// What nobody answers, not even the kernel: a method that no agent wants.
inline constexpr auto unanswered_method = ucmad::MadMethod::send;

/// A request of the responder's class.
ucmad::Mad request(ucmad::MadMethod method, std::uint64_t transaction_id);

/// Where the requests go: a port to itself.
struct Target {
    std::string device;
    std::uint16_t gid_index = 0;
    ucmad::Gid gid{};
};

struct Ended {
    std::size_t answered = 0;
    std::size_t lost = 0;
};

class Requester {
public:
    virtual ~Requester() = default;

    /// Sends so many requests.
    virtual void send(std::size_t count) = 0;

    /// Waits until some of them have ended.
    virtual Ended wait() = 0;
};

/// One that can have requests outstanding which nobody answers.
class Outstanding : public Requester {
public:
    /// Posts one; it stays outstanding for an hour.
    virtual void post_unanswered() = 0;

    [[nodiscard]] virtual bool can_cancel() const = 0;
    /// Cancels the one that was posted last and is not cancelled yet.
    virtual void cancel_last() = 0;
};

/// `depth` is the largest number of requests to come at a time.
std::unique_ptr<Outstanding> ucmad_requester(const Target& target, std::size_t depth);
std::unique_ptr<Outstanding> umad_requester(const Target& target);
/// `blocking`: sleeps until there is a completion, else it polls.
std::unique_ptr<Requester> verbs_requester(const Target& target, std::size_t depth, bool blocking);

} // namespace bench
