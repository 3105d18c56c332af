// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "operations.hpp"

namespace storm {

namespace {

std::vector<Operation> spread_out() {
    std::vector<Operation> all;
    for (const auto part : {file_operations(), cm_operations(), mad_operations()}) {
        for (const Weighted& entry : part) {
            all.insert(all.end(), entry.weight, entry.operation);
        }
    }
    return all;
}

} // namespace

Operation pick_operation(vm::Random& random) {
    static const std::vector<Operation> all = spread_out();
    return all[random.below(all.size())];
}

void destroy(Actor& actor, Pool& pool) {
    const std::optional<Handle> object = pool.pick(actor.random);
    if (!object) {
        return;
    }
    // Some destroy what others are destroying.
    if (!actor.random.once_in(3)) {
        pool.remove(*object);
    }
    auto arg = vm::sized<ucmad_destroy>();
    arg.object = *object;
    const vm::Error error = actor.on(
        *object, Call::destroy, [&] { return actor.file->file.call(UCMAD_IOCTL_DESTROY, &arg); });
    if (error == vm::ok) {
        actor.file->ledger.destroyed(*object, arg.discarded);
        pool.remove(*object);
    }
}

} // namespace storm
