// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "generate.hpp"

#include <rdma/ucmad.h>

namespace fuzz {

namespace {

using Form = Value::Form;

// Where ranges end.
constexpr std::uint64_t edges[] = {
    0,          1,          2,          3,          4,          5,          6,        7,
    8,          10,         15,         16,         31,         32,         63,       64,
    127,        128,        254,        255,        256,        1023,       1024,     4095,
    4096,       4097,       0xffff,     0x10000,    0x10001,    0xfffff,    0x100000, 0xffffff,
    0x01000000, 0x7fffffff, 0x80000000, 0xffffffff, 1ULL << 32, 1ULL << 63, ~0ULL};
constexpr std::uint64_t lengths[] = {
    0,   1,   2,   4,   8,   24,  36,  56,  72,  73,   92,   93,   136,   148,      149,
    196, 197, 220, 224, 225, 255, 256, 512, 513, 1024, 4096, 4097, 65536, 1U << 24, (1U << 24) + 1,
    ~0U};
constexpr std::uint64_t cuts[] = {0, 1, 2, 4, 7, 8, 16, 24, 31, 32, 64, 72, 96, 100, 192, 255};
constexpr std::uint64_t bad_addresses[] = {
    0, 1, 8, 0xdead000, 0x7fff'ffff'f000, 0x8000'0000'0000, 0xffff'8880'0000'0000, ~0ULL - 7};
constexpr std::uint64_t waits[] = {0, 1, 1'000'000, 20'000'000, ~0ULL, 1ULL << 63};
constexpr std::uint64_t services[] = {0, 1, 0x0200'0000'0000'0000, ~0ULL};
constexpr std::uint64_t queue_pairs[] = {0, 1, 0xffffff, 0x1000000, ~0ULL};

bool gives(const Op& op, Kind kind) {
    const Result result = op.what().result;
    switch (kind) {
    case Kind::send:
        return result == Result::sends;
    case Kind::sequence:
    case Kind::request:
        return result == Result::events;
    default:
        return result == Result::object || result == Result::events;
    }
}

// What an earlier operation gave, most often on the same file.
Value reference(vm::Random& random, Kind kind, const Sequence& sequence, std::size_t at) {
    const std::size_t file = at < sequence.size() ? sequence[at].file : 0;
    for (int tries = 0; at && tries < 12; ++tries) {
        const std::size_t from = random.below(at);
        if (gives(sequence[from], kind) && (sequence[from].file == file || tries > 9)) {
            return {Form::result, from,
                    static_cast<std::uint32_t>(random.once_in(4) ? random.below(3) : 0)};
        }
    }
    return {Form::number, random.below(6)};
}

Value random_pointer(vm::Random& random) {
    switch (random.below(8)) {
    case 0:
        return {Form::cut, random.of(cuts)};
    case 1:
        return {Form::number, random.of(bad_addresses)};
    case 2:
        return {Form::fixed};
    case 3:
        return {Form::good, random.of(cuts)};
    default:
        return {Form::good};
    }
}

Value random_number(vm::Random& random, std::uint64_t usual) {
    switch (random.below(6)) {
    case 0:
        return {Form::number, usual + 1};
    case 1:
        return {Form::number, usual - 1};
    case 2:
        return {Form::number, random.bits() >> random.below(64)};
    default:
        return {Form::number, random.of(edges)};
    }
}

Value some(vm::Random& random, std::uint64_t one, std::uint64_t other) {
    return {Form::number, random.once_in(2) ? one : other};
}

// Whom a message goes to: over IPv4, which is usual, or IPv6.
void choose_family(vm::Random& random, Op& op, const std::string& prefix) {
    const int gid = find_field(op.what(), prefix + "dgid");
    const int index = find_field(op.what(), prefix + "sgid_index");
    if (gid >= 0 && index >= 0 && random.once_in(3)) {
        op.set(static_cast<std::size_t>(gid), {Form::number, random.once_in(4) ? 3U : 1U});
        op.set(static_cast<std::size_t>(index), {});
    }
}

// An answer says by nothing but the request where it goes.
void make_answer(Op& op, const Sequence& sequence, std::size_t at, vm::Random& random) {
    for (const char* name : {"dgid", "sgid_index", "qpn", "qkey", "flags"}) {
        op.set(static_cast<std::size_t>(find_field(op.what(), std::string("send0.to.") + name)),
               {});
    }
    const auto set = [&](const char* name, Value value) {
        op.set(static_cast<std::size_t>(find_field(op.what(), name)), value);
    };
    set("send0.flags", {Form::number, UCMAD_SEND_NO_RESPONSE});
    set("send0.timeout_ms", {});
    set("send0.in_reply_to", reference(random, Kind::request, sequence, at));
    set("mad.method", {Form::number, 0x81});
}

} // namespace

Value random_value(vm::Random& random, const Field& field, const Sequence& sequence,
                   std::size_t at) {
    switch (field.kind) {
    case Kind::object:
    case Kind::sequence:
    case Kind::send:
    case Kind::request:
        return random.once_in(8) ? random_number(random, 0)
                                 : reference(random, field.kind, sequence, at);
    case Kind::service:
        return random.once_in(6) ? Value{Form::number, random.of(services)}
                                 : Value{Form::own, random.below(2)};
    case Kind::queue_pair:
        return random.once_in(4) ? Value{Form::number, random.of(queue_pairs)}
                                 : Value{Form::own, random.below(4)};
    case Kind::flags:
        return {Form::number, random.once_in(4) ? 1ULL << random.below(32) : random.below(4)};
    case Kind::zero:
        return {Form::number, 1ULL << random.below(8 * field.width)};
    case Kind::gid:
        return {Form::number, random.below(7)};
    case Kind::bytes:
        return random.once_in(3) ? random_number(random, field.usual)
                                 : Value{Form::number, random.of(lengths)};
    case Kind::timeout:
        return {Form::number, random.of(waits)};
    case Kind::pointer:
        return random_pointer(random);
    case Kind::number:
        break;
    }
    return random_number(random, field.usual);
}

Op random_op(vm::Random& random, const Sequence& sequence, std::size_t at) {
    static const int events = find_call("events");
    Op op;
    op.call = static_cast<std::uint16_t>(random.once_in(4) ? static_cast<std::size_t>(events)
                                                           : random.below(calls().size()));
    op.file = static_cast<std::uint8_t>(random.once_in(6) ? random.below(file_count) : 0);
    op.beside = random.once_in(10);
    const std::vector<Field>& fields = op.what().fields;
    for (std::size_t i = size_field; i < fields.size(); ++i) {
        const bool main_object = fields[i].kind == Kind::object && fields[i].block == Block::arg;
        if (main_object && op.call != events) {
            op.set(i, reference(random, Kind::object, sequence, at));
        } else if (fields[i].kind == Kind::service || fields[i].kind == Kind::queue_pair) {
            op.set(i, {Form::own, random.below(2)});
        } else if (fields[i].kind == Kind::pointer && !random.once_in(4)) {
            op.set(i, {Form::good});
        } else if (fields[i].kind == Kind::timeout) {
            op.set(i, some(random, 0, 20'000'000));
        }
    }
    choose_family(random, op, "primary.");
    choose_family(random, op, "path.");
    choose_family(random, op, "send0.to.");
    if (op.what().result == Result::sends && random.once_in(2)) {
        make_answer(op, sequence, at, random);
    }
    return op;
}

} // namespace fuzz
