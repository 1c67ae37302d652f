internal import KeyturnBase

/// Starts a session: what a sign-in brought is stored over whatever was there, and then taken up.
///
/// When it is done the session is durable; if it cannot be, no user has been signed in.
struct SignInRecording: SessionProcedure, Hashable {
    typealias Outcome = Result<SessionRecord, AuthError>

    private enum Stage: Hashable {
        case beginning, locking, storing
        case leaving(Outcome)
    }

    private let record: SessionRecord
    private var stage = Stage.beginning
    private var isLocked = false

    init(_ record: SessionRecord) {
        self.record = record
    }

    mutating func advance(_ event: StepEvent, _ machine: inout SessionMachine, at now: Moment) -> Step<Outcome> {
        switch (stage, event) {
        case (.beginning, _):
            stage = .locking
            return .perform(.lock(seconds: Limits.renewalLockSeconds))
        case (.locking, .locked(let isLocked)):
            self.isLocked = isLocked
            return store()
        // What is stored can never be used again: there is nothing to wait for.
        case (.locking, .failed(let error)) where error.isAboutStoredRecord: return store()
        case (.storing, .stored):
            machine.adopt(record, .signedIn, isDurable: true, at: now)
            return leave(.success(record))
        case (.locking, .failed(let error)), (.storing, .failed(let error)): return leave(.failure(error))
        case (.leaving(let outcome), _): return .finish(outcome)
        default: unexpected(event)
        }
    }

    private mutating func store() -> Step<Outcome> {
        stage = .storing
        return .perform(.write(record, when: .always))
    }

    private mutating func leave(_ outcome: Outcome) -> Step<Outcome> {
        guard isLocked else { return .finish(outcome) }
        stage = .leaving(outcome)
        return .perform(.unlock)
    }
}
