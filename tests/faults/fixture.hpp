// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What scenarios start from: how memory is short, and over what addresses.
#pragma once

#include "faults.hpp"
#include "support/mad_test.hpp"

#include <tuple>

namespace vm {

// Whether something waits to be taken. Nothing of this can fail, as an ioctl can.
bool is_readable(const File& file);
void wait_until_readable(const File& file);

class FaultTest : public testing::TestWithParam<Shortage> {
protected:
    static void sweep(const std::function<void(Faults&)>& scenario) {
        vm::sweep(GetParam(), scenario);
    }
};

class GidFaultTest : public testing::TestWithParam<std::tuple<int, Shortage>> {
protected:
    static int gid() { return std::get<0>(GetParam()); }
    static Shortage shortage() { return std::get<1>(GetParam()); }
    static ucmad_path path() { return main_device().path(gid()); }
    static void sweep(const std::function<void(Faults&)>& scenario) {
        vm::sweep(shortage(), scenario);
    }
};

// Over all ways that a MAD can go. Our QP of the port, which takes long to make, is there before.
class WayFaultTest : public testing::TestWithParam<std::tuple<Way, Shortage>> {
protected:
    static void SetUpTestSuite();
    static void TearDownTestSuite();
    static Way way() { return std::get<0>(GetParam()); }
    static ucmad_mad_register sender(const Device& device = main_device());
    static ucmad_mad_register responder();
    static ucmad_mad_address to() { return gsi_at(main_device().path(way().gid)); }
    static void sweep(const std::function<void(Faults&)>& scenario) {
        vm::sweep(std::get<1>(GetParam()), scenario);
    }
};

// Of the search for an address: routing says it in its own way.
inline bool is_want_of_memory(std::uint32_t error) { return error == ENOMEM || error == ENOBUFS; }

// How many objects, or the like, there are more than when this was made.
class Count {
public:
    explicit Count(std::string name) : name_(std::move(name)), before_(statistic(name_)) {}
    unsigned long more() const { return statistic(name_) - before_; }

private:
    const std::string name_;
    const unsigned long before_;
};

// A MAD that is over when it was sent.
ucmad_mad_send send_only(const Mad& mad, const ucmad_mad_address& to);
// Posts one without faults, and sees it sent.
void expect_sent(const Agent& agent, const ucmad_mad_address& to);

inline constexpr std::array shortages = {Shortage::once, Shortage::lasting};

std::string shortage_name(const testing::TestParamInfo<Shortage>& info);
std::string gid_and_shortage_name(const testing::TestParamInfo<std::tuple<int, Shortage>>& info);
std::string way_and_shortage_name(const testing::TestParamInfo<std::tuple<Way, Shortage>>& info);

#define VM_FOR_SHORTAGES(suite)                                                                    \
    INSTANTIATE_TEST_SUITE_P(memory, suite, testing::ValuesIn(vm::shortages), vm::shortage_name)

// For what needs no memory and can meet other faults alone.
#define VM_WITH_MEMORY(suite)                                                                      \
    INSTANTIATE_TEST_SUITE_P(memory, suite, testing::Values(vm::Shortage::once), vm::shortage_name)

#define VM_FOR_GIDS_AND_SHORTAGES(suite)                                                           \
    INSTANTIATE_TEST_SUITE_P(gid, suite,                                                           \
                             testing::Combine(testing::Values(vm::ipv6_gid, vm::ipv4_gid),         \
                                              testing::ValuesIn(vm::shortages)),                   \
                             vm::gid_and_shortage_name)

#define VM_FOR_WAYS_AND_SHORTAGES(suite)                                                           \
    INSTANTIATE_TEST_SUITE_P(                                                                      \
        way, suite,                                                                                \
        testing::Combine(testing::ValuesIn(vm::ways), testing::ValuesIn(vm::shortages)),           \
        vm::way_and_shortage_name)

#define VM_FOR_WAYS_WITH_MEMORY(suite)                                                             \
    INSTANTIATE_TEST_SUITE_P(                                                                      \
        way, suite,                                                                                \
        testing::Combine(testing::ValuesIn(vm::ways), testing::Values(vm::Shortage::once)),        \
        vm::way_and_shortage_name)

} // namespace vm
