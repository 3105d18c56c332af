// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "hazards.hpp"

#include "../vm/support/module.hpp"
#include "../vm/support/process.hpp"
#include "../vm/support/stats.hpp"
#include "board.hpp"
#include "trace.hpp"

#include <sys/wait.h>
#include <unistd.h>

namespace storm {

namespace {

void describe(Target& target, const vm::Device& device, bool removable) {
    target.index = device.index;
    target.removable = removable;
    target.paths = {device.path(vm::ipv6_gid), device.path(vm::ipv4_gid)};
}

} // namespace

Prey::Prey() {
    describe(board().devices[0], vm::main_device(), false);
    describe(board().devices[1], device_.device(), true);
}

void Prey::publish() const { board().devices[1].index = device_.device().index; }

// Also waits for it, if it is asked for the first time after its end.
bool Prey::is_being_removed() {
    if (remover_ > 0 && waitpid(remover_, nullptr, WNOHANG) != 0) {
        remover_ = -1;
        log("has removed the device");
    }
    return remover_ > 0;
}

void Prey::remove() {
    if (is_being_removed() || restore()) {
        return;
    }
    log("removes the device");
    present_ = false;
    ++removals_;
    remover_ = fork();
    if (remover_ == 0) {
        vm::try_run({"rdma", "link", "delete", device_.device().name});
        _exit(0);
    }
}

void Prey::take_down() {
    if (!is_being_removed() && !restore()) {
        log("takes the device's link down");
        device_.set_link(false);
        up_ = false;
    }
}

bool Prey::restore() {
    if (up_ && present_) {
        return false;
    }
    vm::wait_until([this] { return !is_being_removed(); }, "the end of the removal");
    log("restores the device");
    if (!up_) {
        device_.set_link(true);
        up_ = true;
    }
    if (!present_) {
        device_.add();
        present_ = true;
    }
    publish();
    return true;
}

Hazards::Hazards(const vm::Random& random, const Dangers& dangers, Crew& crew, Prey& prey)
    : random_(random), crew_(crew), prey_(prey) {
    const auto add = [this](bool wanted, unsigned weight, const std::function<void()>& hazard) {
        all_.insert(all_.end(), wanted ? weight : 0, hazard);
    };
    add(true, 2, [] { vm::leftovers(); }); // somebody looks at the counters
    add(dangers.kill, 3, [this] { crew_.kill_one(random_); });
    add(dangers.removal, 3, [this] { prey_.remove(); });
    add(dangers.link, 1, [this] { prey_.take_down(); });
    add(dangers.hog, 1, [this] { crew_.toggle_hog(); });
    add(dangers.unload, 2, [this] { unload(); });
}

// A file is open all the time.
void Hazards::unload() {
    const vm::Error error = vm::unload_module();
    if (error != vm::Error{EWOULDBLOCK}) {
        board().fault("unloading a module in use: errno " + std::to_string(error.number));
    }
    ++refused_unloads_;
}

// Time itself is meant, as in the other pauses of a storm: it sets how often things happen.
void Hazards::pause() {
    std::this_thread::sleep_for(std::chrono::milliseconds(random_.between(10, 300)));
}

void Hazards::one() {
    crew_.replace_dead();
    all_[random_.below(all_.size())]();
}

} // namespace storm
