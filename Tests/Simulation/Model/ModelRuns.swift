import KeyturnBase

@testable import Keyturn

/// Running procedures.
extension World {
    mutating func begin(_ run: Slot.Run, _ index: Int, _ slot: Int) {
        processes[index].slots[slot] = Slot(run: run, wanted: .read)
        tell(.begin, index, slot)
    }

    /// Tells a procedure what came of its wish, and notes the next.
    ///
    /// What touches nobody else, or only lets others go on, is done at once: whatever others do in between, they might
    /// have done before or after with the same result.
    mutating func tell(_ event: StepEvent, _ index: Int, _ slot: Int) {
        var event: StepEvent? = event
        while let told = event {
            event = nil
            guard let wanted = advance(told, index, slot) else { break }
            switch wanted {
            case .read: event = .read(reading(index, slot))
            case .unlock:
                if lockHolder.map({ $0 == (index, slot) }) ?? false { lockHolder = nil }
                event = .unlocked
            case .lock where !hasLock:
                event = .locked(false)
            case .lock where lockHolder == nil || fault == .noLock:
                lockHolder = (index, slot)
                event = .locked(true)
            default: break
            }
        }
        judgeChanges(index)
    }

    private mutating func advance(_ event: StepEvent, _ index: Int, _ slot: Int) -> StepAction? {
        guard var state = processes[index].slots[slot] else { return nil }
        state.exchange = nil
        state.outwaits = []
        state.isHeldUp = false
        var machine = processes[index].machine
        let wanted: StepAction?
        switch state.run {
        case .renewal(var procedure):
            wanted = Self.action(procedure.advance(event, &machine, at: moment))
            state.run = .renewal(procedure)
        case .signOut(var procedure):
            wanted = Self.action(procedure.advance(event, &machine, at: moment))
            state.run = .signOut(procedure)
        case .forcedSignOut(var procedure):
            wanted = Self.action(procedure.advance(event, &machine, at: moment))
            state.run = .forcedSignOut(procedure)
        case .signIn(var procedure):
            wanted = Self.action(procedure.advance(event, &machine, at: moment))
            state.run = .signIn(procedure)
        }
        // Pauses decide when the next renewal begins; here it may begin at any time.
        machine.trouble = RenewalBackoff()
        processes[index].machine = machine
        if let wanted { state.wanted = wanted }
        processes[index].slots[slot] = wanted == nil ? nil : state
        return wanted
    }

    private static func action<Outcome>(_ step: Step<Outcome>) -> StepAction? {
        if case .perform(let action) = step { action } else { nil }
    }

    /// Whether the end of the first session would be nobody's mistake.
    var isEndExcused: Bool {
        let isBound = server.grants[0].isBound
        return hasSignedOut || (!isBound && (thiefHasActed || hasRepeatedTooOften))
    }

    /// Nobody is signed out for no reason.
    mutating func judgeChanges(_ index: Int) {
        for change in processes[index].machine.takeChanges() where violation == nil {
            switch change.state {
            case .ended, .signedOut:
                if !isEndExcused { violation = "process \(index) signed out for no reason: \(change.reason.rawValue)" }
            case .unknown, .signedIn: break
            }
        }
    }
}
