// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A thread of the storm, that picks one operation after the other.
#pragma once

#include "../vm/support/agent.hpp"
#include "board.hpp"
#include "process.hpp"

namespace storm {

class Actor {
public:
    // `stream` tells the threads of a storm apart.
    Actor(Process& its_process, const vm::Random& its_random, std::size_t stream);

    // Until the board says that it is over, or for so many operations.
    void rage();
    void act(std::size_t operations);

    // Carries out a system call that the others can see; it must say what it is allowed to.
    template <class Body>
    vm::Error call(Call what, Body body, bool removable = false, bool bad_memory = false) {
        begin(what);
        const vm::Error error = body();
        end(what, error, {removable, board().scarce, bad_memory});
        return error;
    }
    // The same for an operation on an object.
    template <class Body>
    vm::Error on(Handle object, Call what, Body body) {
        return call(what, body, file->ledger.traits(object).removable);
    }

    // Takes events, acknowledges those taken before, and does with them what a program would.
    void take(vm::Take wish);

    const Target& pick_device();
    // A device of this index: is it removed now and then?
    static bool is_removable(std::uint32_t index);

    Process& process;
    vm::Random random;
    std::shared_ptr<StormFile> file; // what this operation is about

private:
    void begin(Call what);
    void end(Call what, vm::Error error, const Circumstances& circumstances);
    void act_once();
    std::vector<ucmad_ack> due_acks();
    void note(const vm::Event& event, const Batch& batch);

    Activity& activity_;
    std::shared_ptr<StormFile> unacknowledged_of_;
    std::vector<vm::Event> unacknowledged_;
};

} // namespace storm
