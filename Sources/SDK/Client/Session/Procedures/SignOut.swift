internal import KeyturnBase

/// Ends a session because the person wants it: first the server, then this machine, or neither.
struct SignOut: SessionProcedure, Hashable {
    typealias Outcome = Result<Bool, AuthError>

    private enum Stage: Hashable {
        case beginning, locking, looking
        case revoking(SessionRecord)
        case removing
        case leaving(AuthError?)
    }

    private var stage = Stage.beginning
    private var isLocked = false
    private var revoked: String?

    mutating func advance(_ event: StepEvent, _ machine: inout SessionMachine, at now: Moment) -> Step<Outcome> {
        switch (stage, event) {
        case (.beginning, _):
            stage = .locking
            return .perform(.lock(seconds: Limits.lockSeconds))
        case (.locking, .locked(let isLocked)):
            self.isLocked = isLocked
            return look()
        case (.looking, .read(let reading)):
            machine.absorb(reading, at: now)
            return left(reading, machine.record)
        case (.revoking(let record), .revoked):
            revoked = record.generation.signIn
            stage = .removing
            return .perform(.remove(when: .generation(record.generation)))
        case (.removing, .stored(.done)):
            machine.signOut()
            return leave(nil)
        // Renewed meanwhile, by a process without the lock: the server has ended that too.
        case (.removing, .stored(.overtaken)): return look()
        case (_, .failed(let error)): return leave(error)
        case (.leaving(let error), _): return finish(error)
        default: unexpected(event)
        }
    }

    private mutating func look() -> Step<Outcome> {
        stage = .looking
        return .perform(.read)
    }

    private mutating func left(_ reading: SessionMachine.Reading, _ current: SessionRecord?) -> Step<Outcome> {
        switch reading {
        case .unavailable(let error): return leave(error)
        case .absent: return leave(nil)
        case .found(let found):
            if revoked == found.generation.signIn {
                stage = .removing
                return .perform(.remove(when: .generation(found.generation)))
            }
            // Memory may be ahead of the store, but one grant stands behind both.
            var record = found
            if let current, current.generation.isLater(than: found.generation) {
                record.refreshToken = current.refreshToken
                record.accessToken = current.accessToken
            }
            stage = .revoking(record)
            return .perform(.revoke(record, seconds: Limits.requestSeconds))
        }
    }

    private mutating func leave(_ error: AuthError?) -> Step<Outcome> {
        guard isLocked else { return finish(error) }
        stage = .leaving(error)
        return .perform(.unlock)
    }

    private func finish(_ error: AuthError?) -> Step<Outcome> {
        .finish(error.map { .failure($0) } ?? .success(true))
    }
}

/// Ends a session at once: first this machine, then the server if it can be reached.
struct ForcedSignOut: SessionProcedure, Hashable {
    /// Why the stored record could not be removed, if it could not.
    typealias Outcome = AuthError?

    private enum Stage: Hashable {
        case beginning, locking, looking, removing, unlocking, revoking
    }

    private var stage = Stage.beginning
    private var isLocked = false
    /// What the server should be told of: what is stored, or else what was in memory.
    private var farewell: SessionRecord?
    private var failure: AuthError?

    mutating func advance(_ event: StepEvent, _ machine: inout SessionMachine, at now: Moment) -> Step<Outcome> {
        switch (stage, event) {
        case (.beginning, _):
            farewell = machine.record
            machine.signOut()
            return to(.locking, .lock(seconds: Limits.forcedLockSeconds))
        // The holder of the lock stores nothing over a removal, so going on without it loses nothing.
        case (.locking, .locked(let isLocked)):
            self.isLocked = isLocked
            return to(.looking, .read)
        case (.locking, .failed): return to(.looking, .read)
        case (.looking, .read(let reading)):
            if case .found(let found) = reading { farewell = found }
            // What is not readable is removed; `absent` may mean another client's, which stays.
            if case .absent = reading { return leave(&machine) }
            return to(.removing, .remove(when: .always))
        case (.removing, .failed(let error)):
            failure = error
            return leave(&machine)
        case (.removing, _): return leave(&machine)
        case (.unlocking, _): return revoke()
        case (.revoking, _): return .finish(failure)
        default: unexpected(event)
        }
    }

    private mutating func to(_ stage: Stage, _ action: StepAction) -> Step<Outcome> {
        self.stage = stage
        return .perform(action)
    }

    private mutating func leave(_ machine: inout SessionMachine) -> Step<Outcome> {
        // A record that was read, or arrived in memory, while waiting for the lock is given up with the rest.
        machine.signOut(of: farewell?.generation.signIn)
        return isLocked ? to(.unlocking, .unlock) : revoke()
    }

    private mutating func revoke() -> Step<Outcome> {
        guard let farewell else { return .finish(failure) }
        return to(.revoking, .revoke(farewell, seconds: Limits.farewellSeconds))
    }
}
