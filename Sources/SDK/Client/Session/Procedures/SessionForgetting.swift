internal import KeyturnBase

/// Gives a session up on this machine alone: first in memory, then in the store.
struct SessionForgetting: SessionProcedure, Hashable {
    /// Why the stored record could not be removed, if it could not.
    typealias Outcome = AuthError?

    private enum Stage: Hashable {
        case beginning, locking, looking, removing
        case leaving(AuthError?)
    }

    private var stage = Stage.beginning
    private var isLocked = false
    private var given: String?

    mutating func advance(_ event: StepEvent, _ machine: inout SessionMachine, at now: Moment) -> Step<Outcome> {
        switch (stage, event) {
        case (.beginning, _):
            given = machine.record?.generation.signIn
            machine.signOut()
            return to(.locking, .lock(seconds: Limits.forcedLockSeconds))
        // The holder of the lock stores nothing over a removal, so going on without it loses nothing.
        case (.locking, .locked(let isLocked)):
            self.isLocked = isLocked
            return to(.looking, .read)
        case (.locking, .failed): return to(.looking, .read)
        case (.looking, .read(let reading)):
            if case .found(let found) = reading { given = found.generation.signIn }
            // What is not readable is removed; `absent` may mean another client's, which stays.
            if case .absent = reading { return leave(nil, &machine) }
            return to(.removing, .remove(when: .always))
        case (.removing, .failed(let error)): return leave(error, &machine)
        case (.removing, _): return leave(nil, &machine)
        case (.leaving(let failure), _): return .finish(failure)
        default: unexpected(event)
        }
    }

    private mutating func to(_ stage: Stage, _ action: StepAction) -> Step<Outcome> {
        self.stage = stage
        return .perform(action)
    }

    private mutating func leave(_ failure: AuthError?, _ machine: inout SessionMachine) -> Step<Outcome> {
        // A record that was read, or arrived in memory, while waiting for the lock is given up with the rest.
        machine.signOut(of: given)
        return isLocked ? to(.leaving(failure), .unlock) : .finish(failure)
    }
}
