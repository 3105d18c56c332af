// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "mutate.hpp"

#include "generate.hpp"

#include <algorithm>

namespace fuzz {

namespace {

void insert_op(vm::Random& random, Sequence& sequence) {
    if (sequence.size() < max_ops) {
        const std::size_t at = random.below(sequence.size() + 1);
        insert(sequence, at, random_op(random, sequence, at));
    }
}

void repeat_op(vm::Random& random, Sequence& sequence) {
    if (!sequence.empty() && sequence.size() < max_ops) {
        const std::size_t at = random.below(sequence.size());
        insert(sequence, at + 1, Op(sequence[at]));
    }
}

// Some other member of some operation.
void change_member(vm::Random& random, Sequence& sequence) {
    const std::size_t at = random.below(sequence.size());
    const std::vector<Field>& fields = sequence[at].what().fields;
    if (!fields.empty()) {
        const std::size_t field = random.below(fields.size());
        sequence[at].set(field, random_value(random, fields[field], sequence, at));
    }
}

// A member that was set already: it matters more than most.
void change_set_member(vm::Random& random, Sequence& sequence) {
    const std::size_t at = random.below(sequence.size());
    Op& op = sequence[at];
    if (op.settings.empty()) {
        return;
    }
    const std::size_t chosen = random.below(op.settings.size());
    if (random.once_in(4)) {
        op.settings.erase(op.settings.begin() + static_cast<std::ptrdiff_t>(chosen));
    } else {
        const Field& field = op.what().fields[op.settings[chosen].field];
        op.settings[chosen].value = random_value(random, field, sequence, at);
    }
}

// A struct that is shorter or longer than it should be, with or without meaning at its end.
void change_length(vm::Random& random, Sequence& sequence) {
    const std::size_t at = random.below(sequence.size());
    Op& op = sequence[at];
    if (!op.what().size) {
        return;
    }
    const std::size_t more = 1 + random.below(64);
    const std::size_t size = random.once_in(3) ? op.what().size - more : op.what().size + more;
    op.set(size_field, {Value::Form::number, size});
    if (random.once_in(2)) {
        op.set(tail_field, {Value::Form::number, 1 + random.below(more)});
    }
}

void change_file(vm::Random& random, Sequence& sequence) {
    sequence[random.below(sequence.size())].file =
        static_cast<std::uint8_t>(random.below(file_count));
}

void change_thread(vm::Random& random, Sequence& sequence) {
    bool& beside = sequence[random.below(sequence.size())].beside;
    beside = !beside;
}

void swap_ops(vm::Random& random, Sequence& sequence) {
    std::swap(sequence[random.below(sequence.size())], sequence[random.below(sequence.size())]);
}

void splice(vm::Random& random, Sequence& sequence, const Sequence& other) {
    if (!other.empty()) {
        const std::size_t keep = random.below(sequence.size()) + 1;
        sequence.resize(keep);
        append(sequence, other, random.once_in(2) ? 0 : random.below(other.size()));
    }
}

void mutate_once(vm::Random& random, Sequence& sequence, const Sequence& other) {
    if (sequence.empty()) {
        insert_op(random, sequence);
        return;
    }
    switch (random.below(16)) {
    case 0:
    case 1:
    case 2:
        return insert_op(random, sequence);
    case 3:
        return repeat_op(random, sequence);
    case 4:
        return remove(sequence, random.below(sequence.size()));
    case 5:
        return change_length(random, sequence);
    case 6:
        return change_file(random, sequence);
    case 7:
    case 8:
        return change_thread(random, sequence);
    case 9:
        return swap_ops(random, sequence);
    case 10:
        return splice(random, sequence, other);
    case 11:
    case 12:
        return change_member(random, sequence);
    default:
        return change_set_member(random, sequence);
    }
}

} // namespace

Sequence mutate(vm::Random& random, Sequence sequence, const Sequence& other) {
    // Mostly little: what has been reached is soon lost.
    do {
        mutate_once(random, sequence, other);
    } while (random.once_in(2));
    return sequence;
}

} // namespace fuzz
