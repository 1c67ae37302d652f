import KeyturnBase
import KeyturnWire

@testable import Keyturn

/// Every step that the world can take.
extension World {
    typealias Transition = ModelChecker<World>.Transition

    static func next(_ world: World) -> [Transition] {
        guard world.violation == nil else { return [] }
        var steps: [Transition] = []
        for index in world.processes.indices {
            world.lifeSteps(of: index, into: &steps)
            for slot in 0..<2 where world.processes[index].slots[slot] != nil {
                world.runSteps(of: index, slot, into: &steps)
            }
        }
        world.networkSteps(into: &steps)
        world.databaseSteps(into: &steps)
        world.thiefSteps(into: &steps)
        if world.canTimePass {
            world.spend(\.ticks, "time passes", into: &steps) { world in
                world.now += 1
                let beyondTheMinute = world.moment.wall - 61
                for index in world.server.grants.indices {
                    world.server.grants[index].redate { max($0, beyondTheMinute) }
                }
                for index in world.processes.indices { world.processes[index].attempts = 0 }
                if !world.isBound { world.mail = world.mail.filter(\.isAtServer) }
            }
        }
        return steps
    }

    /// Tokens that rotate need a little good will of the world: no network keeps a request for longer than the server's
    /// overlap, and one process at a time is stopped for so long. Bound tokens need none.
    private var canTimePass: Bool {
        isBound || processes.count { $0.slots.contains { $0?.isStopped ?? false } } <= 1
    }

    /// With a server that forgives nothing, a request that its sender has given up arrives, if it does, before the next
    /// is sent. With ours it need not; but it may be explored so, because there are fewer ways to go.
    private var canSend: Bool {
        isBound || canOvertake
            || mail.allSatisfy { message in
                message.isAtServer
                    || processes[message.slot.process].slots[message.slot.slot]?.exchange == message.slot.exchange
            }
    }

    var isBound: Bool { server.grants[0].isBound }

    /// A step that costs something.
    func spend(
        _ kind: WritableKeyPath<Budget, Int>, _ label: String, into steps: inout [Transition],
        _ change: (inout World) -> Void
    ) {
        guard budget[keyPath: kind] > 0 else { return }
        var world = self
        world.budget[keyPath: kind] -= 1
        change(&world)
        steps.append(Transition(label, world))
    }

    /// A step that is free.
    func step(_ label: String, into steps: inout [Transition], _ change: (inout World) -> Void) {
        var world = self
        change(&world)
        steps.append(Transition(label, world))
    }
}

/// What a process does of its own accord, and what its user does.
extension World {
    private func lifeSteps(of index: Int, into steps: inout [Transition]) {
        let process = processes[index]
        let name = "process \(index)"
        if process.machine.phase == .unknown {
            step("\(name) starts", into: &steps) { $0.look(index) }
            return
        }
        if process.machine.record?.generation != stored?.generation, process.slots == [nil, nil] {
            step("\(name) looks around", into: &steps) { $0.look(index) }
        }
        if process.slots[0] == nil, process.attempts < 2, let record = process.machine.record,
            !process.machine.isGoodForAWhile(at: moment) || record.renewalBegunAt != nil
        {
            step("\(name) renews", into: &steps) {
                $0.processes[index].attempts += 1
                $0.begin(.renewal(Renewal(of: record, jitter: 100)), index, 0)
            }
        } else if process.slots[0] == nil, let record = process.machine.record {
            spend(\.forcedRenewals, "\(name) renews after a refusal", into: &steps) {
                $0.begin(.renewal(Renewal(of: record, jitter: 100)), index, 0)
            }
        }
        if process.slots[1] == nil {
            if process.machine.record != nil {
                spend(\.signOuts, "\(name) signs out", into: &steps) {
                    $0.hasSignedOut = true
                    $0.begin(.signOut(SignOut()), index, 1)
                }
                spend(\.forcedSignOuts, "\(name) signs out by force", into: &steps) {
                    $0.hasSignedOut = true
                    $0.begin(.forcedSignOut(ForcedSignOut()), index, 1)
                }
            }
            spend(\.signIns, "\(name) signs in somebody else", into: &steps) {
                $0.server.grants.append(.init(isBound: $0.server.grants[0].isBound))
                $0.server.issued.append(0)
                $0.stolen.append(nil)
                let record = $0.record(signIn: "b\($0.server.grants.count)", grant: $0.server.grants.count - 1)
                $0.begin(.signIn(SignInRecording(record)), index, 1)
            }
        }
        spend(\.crashes, "\(name) is killed", into: &steps) { world in
            if world.lockHolder?.0 == index { world.lockHolder = nil }
            world.processes[index].machine = SessionMachine()
            world.processes[index].slots = [nil, nil]
        }
    }

    private mutating func look(_ index: Int) {
        processes[index].machine.absorb(stored.map { .found($0) } ?? .absent, at: moment)
        judgeChanges(index)
    }
}

/// What comes of the actions of a procedure.
extension World {
    private func runSteps(of index: Int, _ slot: Int, into steps: inout [Transition]) {
        guard let run = processes[index].slots[slot] else { return }
        let name = "process \(index)"
        switch run.wanted {
        case .lock:
            if lockHolder == nil {
                step("\(name) gets the lock", into: &steps) {
                    $0.lockHolder = (index, slot)
                    $0.tell(.locked(true), index, slot)
                }
            } else {
                spend(\.impatience, "\(name) waits no longer for the lock", into: &steps) {
                    $0.lockWasBroken = true
                    $0.tell(.locked(false), index, slot)
                }
            }
        case .unlock, .read: break
        case .write(let record, let condition):
            step("\(name) writes \(record.generation.number)", into: &steps) {
                $0.write(record, condition, index, slot)
            }
            spend(\.fullDisks, "\(name) finds the disk full", into: &steps) {
                $0.tell(.failed(AuthError(.storeUnavailable, "full")), index, slot)
            }
        case .remove(let condition):
            step("\(name) removes", into: &steps) { $0.remove(condition, index, slot) }
        case .renew(let record, let deadline):
            guard run.exchange == nil else { return giveUpSteps(index, slot, into: &steps) }
            if moment.uptime > deadline || run.isHeldUp, fault != .noDeadline {
                step("\(name) was held up", into: &steps) { $0.tell(.heldUp, index, slot) }
            } else if canSend {
                step("\(name) asks for new tokens", into: &steps) { $0.send(record, index, slot) }
            }
        case .revoke(let record, _):
            step("\(name) revokes", into: &steps) {
                if let (grant, _) = World.parse(record.refreshToken) { $0.server.grants[grant].isEnded = true }
                $0.tell(.revoked, index, slot)
            }
            spend(\.drops, "\(name) cannot revoke", into: &steps) {
                $0.tell(.failed(AuthError(.unavailable, "lost")), index, slot)
            }
        case .verify: break
        }
    }

    /// What the store shows; with a planted fault, what the process believed before.
    func reading(_ index: Int, _ slot: Int) -> SessionMachine.Reading {
        if fault == .noReread, case .renewal(let renewal) = processes[index].slots[slot]?.run, renewal.isJudging,
            let record = processes[index].machine.record
        {
            return .found(record)
        }
        return stored.map { .found($0) } ?? .absent
    }

    private mutating func write(_ record: SessionRecord, _ condition: StoreCondition, _ index: Int, _ slot: Int) {
        guard fault == .noGenerationCheck || condition.holds(for: stored?.generation) else {
            return tell(.stored(.overtaken), index, slot)
        }
        if case .renewal = processes[index].slots[slot]?.run, stored?.generation.signIn != record.generation.signIn {
            violation = "a late answer touched another session"
        }
        stored = record
        tell(.stored(.done), index, slot)
    }

    private mutating func remove(_ condition: StoreCondition, _ index: Int, _ slot: Int) {
        if fault == .noReread, case .renewal = processes[index].slots[slot]?.run {
            return tell(.stored(.done), index, slot)
        }
        guard fault == .noGenerationCheck || condition.holds(for: stored?.generation) else {
            return tell(.stored(.overtaken), index, slot)
        }
        if case .renewal = processes[index].slots[slot]?.run, stored != nil, !isEndExcused {
            violation = "a renewal removed a session that stands"
        }
        stored = nil
        tell(.stored(.done), index, slot)
    }

    private mutating func send(_ record: SessionRecord, _ index: Int, _ slot: Int) {
        guard let (grant, counter) = World.parse(record.refreshToken) else { return }
        let others = processes.indices.contains { $0 != index && processes[$0].slots[0]?.exchange != nil }
        if others, !lockWasBroken { violation = "two processes ask for new tokens at once" }
        processes[index].exchanges += 1
        let exchange = processes[index].exchanges
        processes[index].slots[slot]?.exchange = exchange
        let id = SlotID(process: index, slot: slot, exchange: exchange)
        for other in processes.indices where processes[other].slots[0]?.isStopped ?? false {
            processes[other].slots[0]?.outwaits.insert(id)
        }
        mail.insert(
            .request(slot: id, grant: grant, counter: counter))
    }

    /// The connection breaks when nothing is on its way any more; or the client loses patience.
    private func giveUpSteps(_ index: Int, _ slot: Int, into steps: inout [Transition]) {
        let lost = StepEvent.failed(AuthError(.unavailable, "lost"))
        let name = "process \(index)"
        let exchange = processes[index].slots[slot]?.exchange
        let isOpen = mail.contains {
            $0.slot.process == index && $0.slot.slot == slot && $0.slot.exchange == exchange
        }
        guard isOpen else {
            step("\(name) hears nothing", into: &steps) { $0.tell(lost, index, slot) }
            return
        }
        spend(\.timeouts, "\(name) waits no longer for an answer", into: &steps) { world in
            let id = exchange.map { SlotID(process: index, slot: slot, exchange: $0) }
            for other in world.processes.indices {
                guard let id, world.processes[other].slots[0]?.outwaits.contains(id) ?? false else { continue }
                world.processes[other].slots[0]?.isHeldUp = true
            }
            world.tell(lost, index, slot)
        }
    }
}
