internal import KeyturnBase

/// Puts something new into the session as it is stored: a reauthentication's tokens, or an ID token.
///
/// What is replaced is what is stored at that moment; if another process moves on in between, it looks again.
struct RecordReplacement: SessionProcedure {
    typealias Outcome = Result<SessionRecord, AuthError>
    /// What becomes of the record that is stored; `nil`: it is not the one that was meant, nothing is replaced.
    typealias Change = @Sendable (SessionRecord, _ now: UnixTime) -> Result<SessionRecord, AuthError>

    private enum Stage {
        case beginning, locking, looking
        case storing(SessionRecord)
        case leaving(Outcome)
    }

    private let change: Change
    /// What to tell; `nil`: nothing that subscribers must hear of.
    private let reason: SessionChange.Reason?
    private var stage = Stage.beginning
    private var isLocked = false
    private var rounds = 0

    init(telling reason: SessionChange.Reason?, _ change: @escaping Change) {
        self.reason = reason
        self.change = change
    }

    mutating func advance(_ event: StepEvent, _ machine: inout SessionMachine, at now: Moment) -> Step<Outcome> {
        switch (stage, event) {
        case (.beginning, _):
            stage = .locking
            return .perform(.lock(seconds: Limits.renewalLockSeconds))
        case (.locking, .locked(let isLocked)):
            self.isLocked = isLocked
            return look()
        case (.looking, .read(let reading)):
            machine.absorb(reading, at: now)
            return replace(reading, machine.record, at: now)
        case (.storing(let next), .stored(.done)):
            guard machine.record?.generation.signIn == next.generation.signIn else {
                // Signed out while it was being stored; the sign-out sees to the store.
                return leave(.failure(AuthError(.signedOut, "the session is over")))
            }
            if let reason {
                machine.adopt(next, reason, isDurable: true, at: now)
            } else {
                machine.replaceQuietly(next, isDurable: true)
            }
            return leave(.success(next))
        case (.storing, .stored(.overtaken)): return look()
        case (.locking, .failed(let error)), (.storing, .failed(let error)): return leave(.failure(error))
        case (.leaving(let outcome), _): return .finish(outcome)
        default: unexpected(event)
        }
    }

    private mutating func look() -> Step<Outcome> {
        rounds += 1
        guard rounds <= 4 else {
            return leave(.failure(AuthError(.storeUnavailable, "the store changes all the time")))
        }
        stage = .looking
        return .perform(.read)
    }

    private mutating func replace(
        _ reading: SessionMachine.Reading, _ current: SessionRecord?, at now: Moment
    ) -> Step<Outcome> {
        if case .unavailable(let error) = reading { return leave(.failure(error)) }
        guard case .found(let found) = reading, let current else {
            return leave(.failure(AuthError(.signedOut, "the session is over")))
        }
        switch change(current, now.wall) {
        case .failure(let error): return leave(.failure(error))
        case .success(var next):
            // Memory may be ahead of a store that other processes have written to.
            next.generation = next.generation.later(than: found.generation)
            stage = .storing(next)
            return .perform(.write(next, when: .generation(found.generation)))
        }
    }

    private mutating func leave(_ outcome: Outcome) -> Step<Outcome> {
        guard isLocked else { return .finish(outcome) }
        stage = .leaving(outcome)
        return .perform(.unlock)
    }
}
