import enum Model.RefreshRules
import KeyturnBase
import KeyturnWire

@testable import Keyturn

/// The network and the server.
extension World {
    func networkSteps(into steps: inout [Transition]) {
        for message in mail {
            switch message {
            case .request(let slot, let grant, let counter):
                step("the server hears process \(slot.process)", into: &steps) {
                    $0.mail.remove(message)
                    $0.hear(slot, grant, counter)
                }
                spend(\.duplicates, "a request arrives twice", into: &steps) { $0.hear(slot, grant, counter) }
                spend(\.drops, "a request is lost", into: &steps) { $0.mail.remove(message) }
            case .halfDone(let slot, let grant, let presented, _):
                step("the server writes for process \(slot.process)", into: &steps) {
                    $0.mail.remove(message)
                    let answer = $0.server.rotate(grant, to: presented + 1, at: $0.moment.wall)
                    $0.mail.insert(.answer(slot: slot, answer, grant: grant))
                }
            case .answer(let slot, let answer, let grant):
                step("an answer arrives at process \(slot.process)", into: &steps) {
                    $0.mail.remove(message)
                    $0.arrive(answer, grant, slot)
                }
                spend(\.drops, "an answer is lost", into: &steps) { $0.mail.remove(message) }
            }
        }
    }

    private mutating func hear(_ slot: SlotID, _ grant: Int, _ counter: Int64) {
        if fault == .noGuardedUpdate, !server.grants[grant].isEnded, server.grants[grant].counter == counter {
            let copy = mail.count(where: \.isAtServer)
            mail.insert(.halfDone(slot: slot, grant: grant, presented: counter, copy: copy))
            return
        }
        let answer = refresh(grant, counter, hasKey: true, isThief: false)
        mail.insert(.answer(slot: slot, answer, grant: grant))
    }

    /// One refresh at the server, beside what the specification says about it.
    mutating func refresh(_ grant: Int, _ counter: Int64, hasKey: Bool, isThief: Bool) -> ModelServer.Answer {
        let row = server.grants[grant]
        let now = moment.wall
        if rotation == .strict, counter != row.counter { return .invalidGrant }
        let answer = server.refresh(grant, counter: counter, hasKey: hasKey, at: now) { counter, row in
            switch fault {
            case .noAhead where counter > row.counter: .replay
            case .wideWindow where counter == row.counter - 1: .repeatSuccessor
            case .formerRules: FormerRules.judge(counter, row, at: now)
            default: RefreshRules.judge(presented: counter, row: row.row, at: now)
            }
        }
        if !row.isBound, !row.isEnded, counter < row.counter {
            check(answer, grant, counter, row, isThief: isThief, at: now)
        }
        if !row.isBound, !row.isEnded, counter > row.counter, answer == .invalidGrant {
            violation = "a session was lost with the database's last commit"
        }
        if server.issued[grant] > server.grants[grant].counter { violation = "two successors are alive" }
        if isThief, row.isBound, answer != .invalidGrant { violation = "a bound token served a thief" }
        return answer
    }

    /// What the specification says of a token that is not the current one.
    private mutating func check(
        _ answer: ModelServer.Answer, _ grant: Int, _ counter: Int64, _ row: ModelServer.Grant, isThief: Bool,
        at now: UnixTime
    ) {
        switch (row.lateness(of: counter, at: now), answer) {
        case (.prompt, .invalidGrant): violation = "a token that was superseded within the minute was refused"
        case (.tooLate, .granted): violation = "a late use too many went unnoticed"
        case (.tooLate, .invalidGrant):
            // Two lost answers in a row that were noticed late, or four: the promise does not reach so far.
            if !isThief, counter == row.counter - 1 { hasRepeatedTooOften = true }
        case (.forgivable, .granted):
            server.grants[grant].lateAnswers.append(RefreshRules.Rotation(time: now, counter: row.counter))
        case (.prompt, .granted): break
        case (.forgivable, .invalidGrant): violation = "a late repetition was refused that is forgiven"
        }
    }

    private mutating func arrive(_ answer: ModelServer.Answer, _ grant: Int, _ slot: SlotID) {
        guard processes[slot.process].slots[slot.slot]?.exchange == slot.exchange else { return }
        let event: StepEvent =
            switch answer {
            case .granted(let counter): .renewed(tokens(grant, counter))
            case .invalidGrant:
                .failed(AuthError(.refused, "refused", server: .init(status: 400, code: "invalid_grant")))
            }
        tell(event, slot.process, slot.slot)
    }

    /// A failover to a standby that was a moment behind.
    func databaseSteps(into steps: inout [Transition]) {
        for index in server.grants.indices where !server.grants[index].unkept.isEmpty {
            spend(\.losses, "the database loses its last commit", into: &steps) { $0.server.loseLastCommit(of: index) }
        }
    }

    func thiefSteps(into steps: inout [Transition]) {
        if let (grant, counter) = World.parse(stored?.refreshToken), stolen[grant] == nil {
            spend(\.thefts, "a thief copies the token", into: &steps) { $0.stolen[grant] = counter }
        }
        for (grant, counter) in stolen.enumerated() {
            guard let counter else { continue }
            spend(\.thiefUses, "the thief uses the copy", into: &steps) {
                $0.thiefHasActed = true
                if case .granted(let next) = $0.refresh(grant, counter, hasKey: false, isThief: true) {
                    $0.stolen[grant] = next
                }
            }
        }
    }
}

extension World {
    /// What must never be: a violation that a step noticed, or a procedure that nothing can move any more.
    static func violation(_ world: World) -> String? {
        if let text = world.violation { return text }
        for (grant, row) in world.server.grants.enumerated() where world.server.issued[grant] > row.counter {
            return "two successors are alive"
        }
        return nil
    }
}
