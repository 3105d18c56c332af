// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "call.hpp"

#include "call_builder.hpp"

#include <algorithm>

namespace fuzz {

namespace {

template <class List>
int find_named(const List& list, std::string_view name) {
    const auto found = std::ranges::find(list, name, [](const auto& one) { return one.name; });
    return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

// Any number with any bytes.
Call raw_call() {
    constexpr std::size_t words = 24;
    CallBuilder builder("raw", 0, 8 * words);
    builder.add({"request", Block::none, 0, 4, Kind::number, Block::none, UCMAD_IOCTL_QUERY});
    for (std::size_t i = 0; i < words; ++i) {
        builder.add({"w" + std::to_string(i), Block::arg, 8 * i, 8, Kind::number});
    }
    Call call = builder.done();
    call.action = Action::raw;
    return call;
}

// A call that is no ioctl; its members are numbers of its own.
Call other_call(std::string name, Action action, const std::string& member = {}) {
    Call call{std::move(name), action, 0, 0, Result::none, {}};
    if (!member.empty()) {
        call.fields.push_back({member, Block::none, 0, 4, Kind::flags});
    }
    return call;
}

std::vector<Call> make_calls() {
    std::vector<Call> list;
    add_file_calls(list);
    add_cm_calls(list);
    add_mad_calls(list);
    list.push_back(raw_call());
    list.push_back(other_call("open", Action::open, "nonblock"));
    list.push_back(other_call("close", Action::close));
    list.push_back(other_call("poll", Action::poll));
    list.push_back(other_call("read", Action::read));
    list.push_back(other_call("mmap", Action::mmap));
    list.push_back(other_call("sleep", Action::sleep, "ms"));
    return list;
}

} // namespace

const std::vector<Call>& calls() {
    static const std::vector<Call> list = make_calls();
    return list;
}

int find_call(std::string_view name) { return find_named(calls(), name); }

int find_field(const Call& call, std::string_view name) { return find_named(call.fields, name); }

} // namespace fuzz
