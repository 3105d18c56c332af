// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "specimens.hpp"

#include <cstddef>
#include <cstring>

namespace vm {

namespace {

template <class Arg>
Bytes bytes_of(Arg arg) {
    arg.size = sizeof arg;
    Bytes bytes(sizeof arg);
    std::memcpy(bytes.data(), &arg, sizeof arg);
    return bytes;
}

template <class Arg>
Specimen of(const Id& id, const char* name, unsigned long request, Arg arg) {
    arg.object = id.handle();
    return {.name = name, .request = request, .valid = bytes_of(arg), .object = id};
}

#define VM_MEMBER(type, member)                                                                    \
    MustBeZero { offsetof(type, member), sizeof(type{}.member) }

// The members of a path that must be zero, for a path at `offset`.
std::vector<MustBeZero> zero_in_path(std::size_t offset) {
    return {{offset + offsetof(ucmad_path, flags), 1},
            {offset + offsetof(ucmad_path, reserved), sizeof(ucmad_path{}.reserved)}};
}

// One request that nobody answers; it lasts as long as the specimens.
std::vector<ucmad_mad_send>& some_sends(int gid) {
    static const Mad mad = ping(1, 1, method_send);
    static std::vector<ucmad_mad_send> sends;
    sends = {request_of(mad, gsi_at(main_device().path(gid)), 1)};
    return sends;
}

class Maker {
public:
    Maker(const File& file, int gid) : file_(file), gid_(gid) {}

    std::vector<Specimen> make() {
        make_file_ioctls();
        make_beginnings();
        make_messages();
        make_sidr();
        make_others();
        make_agents();
        return std::move(list_);
    }

private:
    Connection at(Step step) const {
        Connection c(file_, file_, gid_);
        c.advance_to(step);
        return c;
    }
    Specimen& add(Specimen specimen) {
        list_.push_back(std::move(specimen));
        return list_.back();
    }
    template <class Arg>
    Specimen& add_plain(const char* name, unsigned long request, Arg arg) {
        return add({.name = name, .request = request, .valid = bytes_of(arg), .has_object = false});
    }

    void make_file_ioctls() {
        add_plain("QUERY", UCMAD_IOCTL_QUERY, ucmad_query{}).zero = {
            VM_MEMBER(ucmad_query, reserved)};
        ucmad_devices devices{};
        devices.entry_size = sizeof(ucmad_device_info);
        add_plain("DEVICES", UCMAD_IOCTL_DEVICES, devices).zero = {
            VM_MEMBER(ucmad_devices, reserved)};
        add_plain("EVENTS", UCMAD_IOCTL_EVENTS, ucmad_events{}).flags = {
            {offsetof(ucmad_events, flags), 0}};
        ucmad_cm_create create_arg{};
        create_arg.device = main_device().index;
        add_plain("CM_CREATE", UCMAD_IOCTL_CM_CREATE, create_arg).flags = {
            {offsetof(ucmad_cm_create, flags), 0}};
        add(of(create(file_), "DESTROY", UCMAD_IOCTL_DESTROY, ucmad_destroy{})).zero = {
            VM_MEMBER(ucmad_destroy, reserved)};
        add(of(create(file_), "SET_CONTEXT", UCMAD_IOCTL_SET_CONTEXT, ucmad_set_context{}));
    }

    void make_beginnings() {
        Specimen& listen =
            add(of(create(file_), "CM_LISTEN", UCMAD_IOCTL_CM_LISTEN, listening(new_service_id())));
        listen.zero = {VM_MEMBER(ucmad_cm_listen, reserved)};
        listen.flags = {{offsetof(ucmad_cm_listen, flags), UCMAD_LISTEN_ASSIGN}};
        Specimen& req = add(of(create(file_), "CM_REQ", UCMAD_IOCTL_CM_REQ,
                               request(main_device().path(gid_), new_service_id())));
        req.zero = zero_in_path(offsetof(ucmad_cm_req, primary));
        req.zero.push_back(VM_MEMBER(ucmad_cm_req, reserved));
        req.zero.push_back(VM_MEMBER(ucmad_cm_req, alternate));
        req.flags = {{offsetof(ucmad_cm_req, flags), UCMAD_REQ_ALTERNATE}};
    }

    void make_messages() {
        add(of(at(Step::request).server, "CM_REP", UCMAD_IOCTL_CM_REP, reply())).zero = {
            VM_MEMBER(ucmad_cm_rep, reserved)};
        add(of(at(Step::request).server, "CM_REJ", UCMAD_IOCTL_CM_REJ, rejection())).zero = {
            VM_MEMBER(ucmad_cm_rej, reserved)};
        Specimen& mra =
            add(of(at(Step::request).server, "CM_MRA", UCMAD_IOCTL_CM_MRA, wait_please()));
        mra.zero = {VM_MEMBER(ucmad_cm_mra, reserved)};
        mra.good = has_mra_at_request() ? ok : Error{EOPNOTSUPP};
        const std::vector<MustBeZero> zero = {VM_MEMBER(ucmad_cm_message, reserved)};
        const ucmad_cm_message message{};
        add(of(at(Step::reply).client, "CM_RTU", UCMAD_IOCTL_CM_RTU, message)).zero = zero;
        add(of(at(Step::ready).client, "CM_DREQ", UCMAD_IOCTL_CM_DREQ, message)).zero = zero;
        add(of(at(Step::disconnect).server, "CM_DREP", UCMAD_IOCTL_CM_DREP, message)).zero = zero;
    }

    void make_sidr() {
        Specimen& req = add(of(create(file_), "CM_SIDR_REQ", UCMAD_IOCTL_CM_SIDR_REQ,
                               sidr_request(main_device().path(gid_), new_service_id())));
        req.zero = zero_in_path(offsetof(ucmad_cm_sidr_req, path));
        req.zero.push_back(VM_MEMBER(ucmad_cm_sidr_req, reserved));
        const Connection c(file_, file_, gid_);
        must(c.client.sidr_req(sidr_request(c.path, c.service_id)));
        const Id server = born_of(file_, take_one(file_, c.listener.handle()));
        add(of(server, "CM_SIDR_REP", UCMAD_IOCTL_CM_SIDR_REP, sidr_reply())).zero = {
            VM_MEMBER(ucmad_cm_sidr_rep, reserved)};
    }

    void make_others() {
        ucmad_cm_notify notify{};
        notify.event = UCMAD_CM_COMM_EST;
        add(of(at(Step::reply).server, "CM_NOTIFY", UCMAD_IOCTL_CM_NOTIFY, notify)).zero = {
            VM_MEMBER(ucmad_cm_notify, reserved)};
        add(of(create(file_), "CM_QUERY", UCMAD_IOCTL_CM_QUERY, ucmad_cm_query{}));
        ucmad_cm_qp_attr attr{};
        attr.qp_state = 1; // INIT
        add(of(at(Step::ready).client, "CM_QP_ATTR", UCMAD_IOCTL_CM_QP_ATTR, attr)).zero = {
            VM_MEMBER(ucmad_cm_qp_attr, reserved)};
    }

    void make_agents() {
        Specimen& enrol = add_plain("MAD_REGISTER", UCMAD_IOCTL_MAD_REGISTER, sender());
        enrol.flags = {
            {offsetof(ucmad_mad_register, flags), UCMAD_AGENT_CONCURRENT | UCMAD_AGENT_IB_MAD}};
        const Id agent = enroll(file_, sender()).id();
        const std::vector<ucmad_mad_send>& sends = some_sends(gid_);
        ucmad_mad_post post{};
        post.sends = address(sends.data());
        post.count = static_cast<std::uint32_t>(sends.size());
        post.entry_size = sizeof(ucmad_mad_send);
        add(of(agent, "MAD_POST", UCMAD_IOCTL_MAD_POST, post));
        add(of(agent, "MAD_CANCEL", UCMAD_IOCTL_MAD_CANCEL, ucmad_mad_cancel{})).zero = {
            VM_MEMBER(ucmad_mad_cancel, reserved)};
        ucmad_mad_timeout timeout{};
        timeout.timeout_ms = 1;
        add(of(agent, "MAD_TIMEOUT", UCMAD_IOCTL_MAD_TIMEOUT, timeout));
        add(of(agent, "MAD_QUERY", UCMAD_IOCTL_MAD_QUERY, ucmad_mad_query{})).zero = {
            VM_MEMBER(ucmad_mad_query, reserved)};
    }

    const File& file_;
    int gid_;
    std::vector<Specimen> list_;
};

} // namespace

Bytes Specimen::resized(std::size_t actual, std::uint32_t claimed) const {
    Bytes bytes = valid;
    bytes.resize(actual);
    std::memcpy(bytes.data(), &claimed, std::min(actual, sizeof claimed));
    return bytes;
}

Bytes Specimen::for_handle(std::uint32_t handle) const {
    Bytes bytes = valid;
    std::memcpy(bytes.data() + sizeof(std::uint32_t), &handle, sizeof handle);
    return bytes;
}

std::vector<Specimen> all_specimens(const File& file, int gid_index) {
    return Maker(file, gid_index).make();
}

} // namespace vm
