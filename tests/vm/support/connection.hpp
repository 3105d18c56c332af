// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// CM messages with sensible contents, and a client and a server that exchange them.
#pragma once

#include "device.hpp"
#include "id.hpp"

namespace vm {

inline constexpr std::uint16_t rej_timeout = 4;
inline constexpr std::uint16_t rej_invalid_service_id = 8;
inline constexpr std::uint16_t rej_consumer = 28;

// Numbers that nobody has used yet, in this process or a child. QP numbers matter even where there
// is no QP: a second connection of one and the same is taken for a stale one (IBTA 12.4.1).
std::uint32_t new_qp_number();
std::uint64_t new_service_id();

Id create(const File& file, const Device& device = main_device(), std::uint64_t context = 0);

// Whether MRAs can be sent when a program wants it. From Linux 6.16 on, the kernel's CM only sends
// them by itself, to a peer that repeats itself, and without data.
bool has_mra_at_request();

// Time-outs are long (69 s), so that no retry or MRA comes by surprise; patience is none.
ucmad_cm_listen listening(std::uint64_t service_id, std::uint32_t backlog = 0,
                          std::uint8_t patience = UCMAD_PATIENCE_NONE);
ucmad_cm_req request(const ucmad_path& path, std::uint64_t service_id);
ucmad_cm_rep reply();
ucmad_cm_rej rejection(std::uint16_t reason = rej_consumer);
ucmad_cm_mra wait_please(std::uint8_t service_timeout = 24);
ucmad_cm_sidr_req sidr_request(const ucmad_path& path, std::uint64_t service_id);
ucmad_cm_sidr_rep sidr_reply(std::uint8_t status = 0);

// `data` must outlive the ioctl.
template <class Arg>
void set_data(Arg& arg, const Bytes& data) {
    arg.private_data = address(data.data());
    arg.private_data_len = static_cast<std::uint8_t>(data.size());
}

Id new_listener(const File& file, std::uint64_t service_id, const Device& device = main_device());

// What a connection goes through, in order. The MRAs are left out unless asked for.
enum class Step { request, ask_time, reply, ask_time_too, ready, disconnect, confirm };

// A client, and a server that listens on a service ID of its own.
class Connection {
public:
    Connection(const File& server_file, const File& client_file, int gid_index,
               const Device& device = main_device());

    // One step, until the other side has got its event and state. An MRA only at request, see
    // has_mra_at_request().
    void take(Step step);
    // A step was taken by other means.
    void skip(Step step) { next_ = static_cast<Step>(static_cast<int>(step) + 1); }
    // All steps up to `last`, from the one that is due.
    void advance_to(Step last);
    // Goes on to the end from wherever it is, and so shows that the connection is sound.
    void complete();

    // Has REP and REJ happen to the client, once the REQ was taken.
    void reply_and_reject();
    // Has MRA, REP and REJ happen to the client, in this order, whoever takes them.
    void cause_events();
    // The same, until they all wait to be taken.
    void pile_up_events();

    ucmad_path path;
    std::uint64_t service_id;
    Id listener;
    Id client;
    Id server; // from Step::request on

private:
    void ask_time(const Id& id, const Id& peer);
    void expect_repetitions(Step step);

    Device device_;
    ucmad_cm_req request_;
    Step next_ = Step::request;
};

// A connection in use.
Connection connect(const File& server_file, const File& client_file, int gid_index,
                   const Device& device = main_device());

// The CM ID that the event of a listener brings.
inline Id born_of(const File& file, const Event& event) { return {file, event.head.object}; }

} // namespace vm
