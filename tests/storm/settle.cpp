// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "settle.hpp"

#include "../vm/support/agent.hpp"
#include "board.hpp"

namespace storm {

namespace {

void note(StormFile& file, const vm::Taken& taken, const Batch& batch) {
    for (const vm::Event& event : taken.events) {
        file.ledger.take(event, batch);
    }
}

// By its name, since it may be held by an event that nobody will acknowledge.
bool take_some(StormFile& file, Handle object, vm::Duration timeout) {
    const Batch batch;
    const vm::Taken taken = vm::take(file.file, {.object = object, .timeout = timeout});
    note(file, taken, batch);
    return taken.error == vm::ok;
}

// Those whose cookies have these bits must all come back.
void wait_for_cookies(StormFile& file, Handle object, Cookie bits) {
    const auto deadline = vm::Clock::now() + vm::limit();
    while (file.ledger.has_cookies(object, bits) && vm::Clock::now() < deadline) {
        take_some(file, object, vm::scaled(std::chrono::milliseconds(100)));
    }
    if (file.ledger.has_cookies(object, bits)) {
        board().fault("MAD-ONE: agent " + std::to_string(object) + ": cookies do not come back" +
                      (bits ? " by themselves" : ""));
    }
}

// Every send ends, some only by being cancelled.
void drain(StormFile& file, Handle object) {
    wait_for_cookies(file, object, ends_by_itself);
    (void)vm::Agent(file.file, object).cancel_all(); // it may be a CM ID
    wait_for_cookies(file, object, 0);
    while (take_some(file, object, vm::Duration(0))) {
    }
}

void destroy(StormFile& file, Handle object) {
    auto arg = vm::sized<ucmad_destroy>();
    arg.object = object;
    if (file.file.call(UCMAD_IOCTL_DESTROY, &arg) != vm::ok) {
        board().fault("object " + std::to_string(object) + " is lost");
    }
    file.ledger.destroyed(object, arg.discarded);
}

} // namespace

void settle(StormFile& file) {
    // A listener may have given birth meanwhile, so look until nothing is found.
    for (auto objects = file.ledger.objects(); !objects.empty(); objects = file.ledger.objects()) {
        for (const Handle object : objects) {
            drain(file, object);
            destroy(file, object);
        }
    }
    file.ledger.audit();
}

} // namespace storm
