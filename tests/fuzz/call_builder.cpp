// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "call_builder.hpp"

namespace fuzz {

CallBuilder& CallBuilder::path(const std::string& prefix, std::size_t offset) {
    const auto member = [&](const char* name, std::size_t at, std::size_t width, Kind kind,
                            std::uint64_t usual = 0) {
        add({prefix + "." + name, Block::arg, offset + at, width, kind, Block::none, usual});
    };
#define FUZZ_PATH(name, kind, ...)                                                                 \
    member(#name, offsetof(ucmad_path, name), sizeof(ucmad_path{}.name),                           \
           Kind::kind __VA_OPT__(, ) __VA_ARGS__)
    FUZZ_PATH(dgid, gid, 2);
    FUZZ_PATH(sgid, gid);
    FUZZ_PATH(flow_label, number);
    FUZZ_PATH(dlid, zero);
    FUZZ_PATH(slid, zero);
    FUZZ_PATH(pkey, number);
    FUZZ_PATH(sgid_index, number, 1);
    FUZZ_PATH(port, number, 1);
    FUZZ_PATH(sl, number);
    FUZZ_PATH(hop_limit, number);
    FUZZ_PATH(traffic_class, number);
    FUZZ_PATH(mtu, number, 3);
    FUZZ_PATH(rate, number);
    FUZZ_PATH(packet_life_time, number, 12);
    FUZZ_PATH(flags, zero);
    member("dmac", offsetof(ucmad_path, dmac), 4, Kind::number);
    member("reserved", offsetof(ucmad_path, reserved), 4, Kind::zero);
#undef FUZZ_PATH
    return *this;
}

CallBuilder& CallBuilder::ack(std::size_t index) {
    const std::string prefix = "ack" + std::to_string(index) + ".";
    const std::size_t base = index * sizeof(ucmad_ack);
    add({prefix + "object", Block::array, base + offsetof(ucmad_ack, object), 4, Kind::object});
    add({prefix + "flags", Block::array, base + offsetof(ucmad_ack, flags), 4, Kind::flags});
    add({prefix + "sequence", Block::array, base + offsetof(ucmad_ack, sequence), 8,
         Kind::sequence});
    return add(
        {prefix + "context", Block::array, base + offsetof(ucmad_ack, context), 8, Kind::number});
}

CallBuilder& CallBuilder::send(std::size_t index) {
    const std::string prefix = "send" + std::to_string(index) + ".";
    const std::size_t base = index * sizeof(ucmad_mad_send);
    const auto member = [&](const char* name, std::size_t at, std::size_t width, Kind kind,
                            std::uint64_t usual = 0, Block target = Block::none) {
        add({prefix + name, Block::array, base + at, width, kind, target, usual});
    };
#define FUZZ_SEND(name, kind, ...)                                                                 \
    member(#name, offsetof(ucmad_mad_send, name), sizeof(ucmad_mad_send{}.name),                   \
           Kind::kind __VA_OPT__(, ) __VA_ARGS__)
#define FUZZ_TO(name, kind, ...)                                                                   \
    member("to." #name, offsetof(ucmad_mad_send, to) + offsetof(ucmad_mad_address, name),          \
           sizeof(ucmad_mad_address{}.name), Kind::kind __VA_OPT__(, ) __VA_ARGS__)
    FUZZ_SEND(mad, pointer, 0, Block::mad);
    FUZZ_SEND(cookie, number);
    FUZZ_SEND(flags, flags);
    FUZZ_SEND(timeout_ms, number, 5);
    FUZZ_SEND(retries, number);
    FUZZ_SEND(mad_len, bytes, UCMAD_MAD_SIZE);
    FUZZ_SEND(reserved, zero);
    FUZZ_SEND(in_reply_to, request);
    FUZZ_TO(dgid, gid, 2);
    FUZZ_TO(flow_label, number);
    FUZZ_TO(qpn, number, 1);
    FUZZ_TO(qkey, number, UCMAD_MAD_QKEY);
    FUZZ_TO(dlid, number);
    FUZZ_TO(pkey_index, number);
    FUZZ_TO(sgid_index, number, 1);
    FUZZ_TO(flags, flags, UCMAD_ADDRESS_GRH);
    FUZZ_TO(sl, number);
    FUZZ_TO(hop_limit, number);
    FUZZ_TO(path_bits, number);
    FUZZ_TO(rate, number);
#undef FUZZ_SEND
#undef FUZZ_TO
    return *this;
}

// The headers of a MAD that the module looks at (IBTA 13.4.3, 13.6.2), which lies in big endian.
CallBuilder& CallBuilder::mad_header() {
    const auto byte = [&](const char* name, std::size_t at, std::uint64_t usual = 0) {
        add({std::string("mad.") + name, Block::mad, at, 1, Kind::number, Block::none, usual});
    };
    byte("base_version", 0, 1);
    byte("class", 1, 0x32);
    byte("class_version", 2, 1);
    byte("method", 3, 1);
    byte("rmpp_version", 24);
    byte("rmpp_type", 25);
    byte("rmpp_flags", 26);
    byte("segment", 31);
    byte("length", 34);
    byte("oui0", 37);
    byte("oui2", 39, 1);
    return add({"mad.tid", Block::mad, 8, 8, Kind::number, Block::none, 7});
}

} // namespace fuzz
