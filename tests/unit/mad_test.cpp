// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <ucmad/mad.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace ucmad {
namespace {

/// A MAD whose byte i is i, so that each field tells where it was read.
Mad counted() {
    Mad mad{};
    for (std::size_t i = 0; i < mad.size(); ++i)
        mad[i] = static_cast<std::byte>(i);
    return mad;
}

std::uint8_t byte(const Mad& mad, std::size_t i) { return std::to_integer<std::uint8_t>(mad[i]); }

TEST(MadHeader, FieldsAreWhereTheIbtaSays) {
    const MadHeader header = MadHeader::read(counted());
    EXPECT_EQ(header.base_version, 0);
    EXPECT_EQ(header.mgmt_class, 1);
    EXPECT_EQ(header.class_version, 2);
    EXPECT_EQ(static_cast<int>(header.method), 3);
    EXPECT_EQ(header.status, 0x0405);
    EXPECT_EQ(header.class_specific, 0x0607);
    EXPECT_EQ(header.transaction_id, 0x08090a0b0c0d0e0fU);
    EXPECT_EQ(header.attribute_id, 0x1011);
    EXPECT_EQ(header.attribute_modifier, 0x14151617U);
}

TEST(MadHeader, WriteIsTheInverseOfRead) {
    const MadHeader header{.mgmt_class = perf_class,
                           .method = MadMethod::set,
                           .status = 0x1234,
                           .transaction_id = 0xfedcba9876543210,
                           .attribute_id = PortCounters::id,
                           .attribute_modifier = 0x89abcdef};
    Mad mad = counted();
    header.write(mad);
    EXPECT_EQ(MadHeader::read(mad), header);
    EXPECT_EQ(byte(mad, 24), 24) << "nothing behind it is touched";
}

TEST(RmppHeader, FieldsAreWhereTheIbtaSays) {
    Mad mad = counted();
    const RmppHeader header = RmppHeader::read(mad);
    EXPECT_EQ(header.version, 24);
    EXPECT_EQ(header.type, 25);
    EXPECT_EQ(header.response_time, 26 >> 3);
    EXPECT_EQ(header.flags, 26 & 7);
    EXPECT_EQ(header.status, 27);
    EXPECT_EQ(header.segment, 0x1c1d1e1fU);
    EXPECT_EQ(header.payload_length, 0x20212223U);
    header.write(mad);
    EXPECT_EQ(mad, counted());
}

TEST(ClassPortInfo, FieldsAreWhereTheIbtaSays) {
    Mad mad = counted();
    const ClassPortInfo info = ClassPortInfo::read(mad);
    EXPECT_EQ(info.base_version, 64);
    EXPECT_EQ(info.capability_mask, 0x4243);
    EXPECT_EQ(info.capability_mask2, 0x44454647U >> 5);
    EXPECT_EQ(info.response_time, 0x47 & 0x1f);
    EXPECT_EQ(info.redirect_gid.bytes[0], 72);
    EXPECT_EQ(info.redirect_lid, 0x5c5d);
    EXPECT_EQ(info.redirect_pkey, 0x5e5f);
    EXPECT_EQ(info.redirect_qp, 0x616263U);
    EXPECT_EQ(info.redirect_qkey, 0x64656667U);
    EXPECT_EQ(info.trap_gid.bytes[15], 0x77);
    EXPECT_EQ(info.trap_lid, 0x7c7d);
    EXPECT_EQ(info.trap_qp, 0x818283U);
    EXPECT_EQ(info.trap_qkey, 0x84858687U);
    Mad other{};
    info.write(other);
    EXPECT_EQ(ClassPortInfo::read(other), info);
}

TEST(PortCounters, FieldsAreWhereTheIbtaSays) {
    const PortCounters counters = PortCounters::read(counted());
    EXPECT_EQ(counters.port_select, 65);
    EXPECT_EQ(counters.counter_select, 0x4243);
    EXPECT_EQ(counters.symbol_errors, 0x4445);
    EXPECT_EQ(counters.link_error_recoveries, 0x46);
    EXPECT_EQ(counters.link_downed, 0x47);
    EXPECT_EQ(counters.receive_errors, 0x4849);
    EXPECT_EQ(counters.transmit_discards, 0x4e4f);
    EXPECT_EQ(counters.receive_constraint_errors, 0x51);
    EXPECT_EQ(counters.local_link_integrity_errors, 0x5);
    EXPECT_EQ(counters.excessive_buffer_overrun_errors, 0x3);
    EXPECT_EQ(counters.vl15_dropped, 0x5657);
    EXPECT_EQ(counters.transmit_data, 0x58595a5bU);
    EXPECT_EQ(counters.receive_data, 0x5c5d5e5fU);
    EXPECT_EQ(counters.transmit_packets, 0x60616263U);
    EXPECT_EQ(counters.receive_packets, 0x64656667U);
    EXPECT_EQ(counters.transmit_wait, 0x68696a6bU);
    Mad other{};
    counters.write(other);
    EXPECT_EQ(PortCounters::read(other), counters);
}

TEST(NodeInfo, FieldsAreWhereTheIbtaSays) {
    const NodeInfo node = NodeInfo::read(counted());
    EXPECT_EQ(node.node_type, 0x42);
    EXPECT_EQ(node.port_count, 0x43);
    EXPECT_EQ(node.system_guid, 0x4445464748494a4bU);
    EXPECT_EQ(node.node_guid, 0x4c4d4e4f50515253U);
    EXPECT_EQ(node.port_guid, 0x5455565758595a5bU);
    EXPECT_EQ(node.device_id, 0x5e5f);
    EXPECT_EQ(node.revision, 0x60616263U);
    EXPECT_EQ(node.local_port, 0x64);
    EXPECT_EQ(node.vendor_id, 0x656667U);
    Mad other{};
    node.write(other);
    EXPECT_EQ(NodeInfo::read(other), node);
}

TEST(PortInfo, FieldsAreWhereTheIbtaSays) {
    const PortInfo port = PortInfo::read(counted());
    EXPECT_EQ(port.gid_prefix, 0x48494a4b4c4d4e4fU);
    EXPECT_EQ(port.lid, 0x5051);
    EXPECT_EQ(port.master_sm_lid, 0x5253);
    EXPECT_EQ(port.capability_mask, 0x54555657U);
    EXPECT_EQ(port.local_port, 0x5c);
    EXPECT_EQ(port.link_width_active, 0x5f);
    EXPECT_EQ(port.link_speed_supported, 6);
    EXPECT_EQ(port.port_state, 0);
    EXPECT_EQ(port.physical_state, 6);
    EXPECT_EQ(port.lmc, 2);
    EXPECT_EQ(port.link_speed_active, 6);
    EXPECT_EQ(port.neighbor_mtu, 6);
    EXPECT_EQ(port.master_sm_sl, 4);
    Mad other{};
    port.write(other);
    EXPECT_EQ(PortInfo::read(other), port);
}

TEST(DirectedRoute, ThroughPorts) {
    const std::vector<std::uint8_t> ports = {1, 7, 36};
    const DirectedRoute route = DirectedRoute::through(ports);
    Mad mad{};
    MadHeader{.mgmt_class = smp_directed_class}.write(mad);
    route.write(mad);
    EXPECT_EQ(byte(mad, 7), 3) << "hop count";
    EXPECT_EQ(byte(mad, 32), 0xff) << "permissive LID";
    EXPECT_EQ(byte(mad, 129), 1) << "the path starts at index 1";
    EXPECT_EQ(byte(mad, 131), 36);
    EXPECT_EQ(DirectedRoute::read(mad), route);
    EXPECT_EQ(MadHeader::read(mad).mgmt_class, smp_directed_class);
    EXPECT_THROW((void)DirectedRoute::through(std::vector<std::uint8_t>(64)), std::system_error);
}

TEST(Ping, AnswerCarriesTheName) {
    Mad request = Ping::request();
    EXPECT_EQ(VendorMad::oui(request), Ping::oui);
    MadHeader header = MadHeader::read(request);
    header.transaction_id = 99;
    header.write(request);
    const Mad answer = Ping::answer(request, "host.example");
    EXPECT_EQ(Ping::name(answer), "host.example");
    EXPECT_EQ(MadHeader::read(answer).method, MadMethod::get_response);
    EXPECT_EQ(MadHeader::read(answer).transaction_id, 99U);
    const std::string longest(300, 'x');
    EXPECT_EQ(Ping::name(Ping::answer(request, longest)).size(), 215U) << "cut";
}

TEST(NodeDescription, EndsAtTheFirstZeroOrAfter64Bytes) {
    Mad mad{};
    std::ranges::fill(mad, std::byte{'n'});
    EXPECT_EQ(NodeDescription::read(mad), std::string(64, 'n'));
    mad[66] = std::byte{0};
    EXPECT_EQ(NodeDescription::read(mad), "nn");
}

TEST(BadMad, TooFewBytesAreAnError) {
    std::vector<std::byte> bytes(mad_size);
    const auto refuses = [&](std::size_t needed, auto use) {
        const MutableBytes all{bytes};
        EXPECT_NO_THROW(use(all.first(needed))) << needed;
        try {
            use(all.first(needed - 1));
            ADD_FAILURE() << needed - 1 << " bytes were enough";
        } catch (const std::system_error& error) {
            EXPECT_EQ(error.code(), std::errc::message_size);
        }
    };
    refuses(24, [](MutableBytes mad) { (void)MadHeader::read(mad); });
    refuses(24, [](MutableBytes mad) { MadHeader{}.write(mad); });
    refuses(36, [](MutableBytes mad) { (void)RmppHeader::read(mad); });
    refuses(36, [](MutableBytes mad) { RmppHeader{}.write(mad); });
    refuses(40, [](MutableBytes mad) { (void)VendorMad::oui(mad); });
    refuses(40, [](MutableBytes mad) { (void)Ping::name(mad); });
    refuses(256, [](MutableBytes mad) { (void)Ping::answer(mad, "x"); });
    refuses(136, [](MutableBytes mad) { (void)ClassPortInfo::read(mad); });
    refuses(136, [](MutableBytes mad) { ClassPortInfo{}.write(mad); });
    refuses(108, [](MutableBytes mad) { (void)PortCounters::read(mad); });
    refuses(108, [](MutableBytes mad) { PortCounters{}.write(mad); });
    refuses(104, [](MutableBytes mad) { (void)NodeInfo::read(mad); });
    refuses(101, [](MutableBytes mad) { (void)PortInfo::read(mad); });
    refuses(128, [](MutableBytes mad) { (void)NodeDescription::read(mad); });
    refuses(256, [](MutableBytes mad) { (void)DirectedRoute::read(mad); });
    refuses(256, [](MutableBytes mad) { DirectedRoute{}.write(mad); });
}

TEST(Names, OfMethodsClassesAndStatuses) {
    EXPECT_EQ(method_name(MadMethod::get), "Get");
    EXPECT_EQ(method_name(MadMethod{0x7f}), "method");
    EXPECT_EQ(class_name(perf_class), "PerfMgt");
    EXPECT_EQ(class_name(0x99), "class");
    EXPECT_EQ(mad_status_name(0), "success");
    EXPECT_EQ(mad_status_name(0x1), "busy");
    EXPECT_EQ(mad_status_name(0x000c), "unsupported method or attribute");
    EXPECT_EQ(mad_status_name(0x001c), "invalid value");
    EXPECT_EQ(mad_status_name(0x0100), "status of the class");
    EXPECT_TRUE(is_response(MadMethod::get_response));
    EXPECT_TRUE(is_response(MadMethod::trap_repress));
    EXPECT_FALSE(is_response(MadMethod::trap));
}

} // namespace
} // namespace ucmad
