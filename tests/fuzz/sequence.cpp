// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "sequence.hpp"

#include <algorithm>

namespace fuzz {

namespace {

auto find_setting(auto& settings, std::size_t field) {
    return std::ranges::find(settings, field, &Setting::field);
}

// Calls `change` with the number of each operation that is referred to.
template <class Change>
void for_each_reference(Sequence& sequence, std::size_t from, Change change) {
    for (std::size_t i = from; i < sequence.size(); ++i) {
        for (Setting& setting : sequence[i].settings) {
            if (setting.value.form == Value::Form::result) {
                change(setting.value.number);
            }
        }
    }
}

} // namespace

const Value* Op::find(std::size_t field) const {
    const auto found = find_setting(settings, field);
    return found == settings.end() ? nullptr : &found->value;
}

void Op::set(std::size_t field, Value value) {
    const auto found = find_setting(settings, field);
    if (found == settings.end()) {
        settings.push_back({static_cast<std::uint16_t>(field), value});
    } else {
        found->value = value;
    }
}

void insert(Sequence& sequence, std::size_t at, Op op) {
    sequence.insert(sequence.begin() + static_cast<std::ptrdiff_t>(at), std::move(op));
    for_each_reference(sequence, at + 1, [at](std::uint64_t& number) { number += number >= at; });
}

void remove(Sequence& sequence, std::size_t at) {
    sequence.erase(sequence.begin() + static_cast<std::ptrdiff_t>(at));
    // What was given by the operation that is gone is now asked from its neighbour.
    for_each_reference(sequence, at,
                       [at](std::uint64_t& number) { number -= number >= at && number > 0; });
}

void append(Sequence& sequence, const Sequence& other, std::size_t from) {
    const std::size_t begin = sequence.size();
    for (std::size_t i = from; i < other.size() && sequence.size() < max_ops; ++i) {
        sequence.push_back(other[i]);
    }
    for_each_reference(sequence, begin, [&](std::uint64_t& number) {
        number = number < from ? number : number - from + begin;
    });
}

} // namespace fuzz
