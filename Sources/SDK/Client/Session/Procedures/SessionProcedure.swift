internal import KeyturnBase
internal import KeyturnWire

/// What takes several steps with a store or a server in between: a pure value that says what to do next.
///
/// The runner does what it says, tells it what came of that, and asks again. Between two steps anything may have
/// happened to the session, so a procedure believes only what it has just been told.
protocol SessionProcedure: Sendable {
    associatedtype Outcome: Sendable

    /// The next step after `event`.
    mutating func advance(_ event: StepEvent, _ machine: inout SessionMachine, at now: Moment) -> Step<Outcome>
}

enum Step<Outcome: Sendable>: Sendable {
    case perform(StepAction)
    case finish(Outcome)
}

/// What a procedure wants done.
enum StepAction: Hashable, Sendable {
    case lock(seconds: Int64)
    case unlock
    case read
    case write(SessionRecord, when: StoreCondition)
    case remove(when: StoreCondition)
    /// Trade the record's refresh token for new tokens, unless it is later than `before` already, in uptime seconds:
    /// then the process was stopped in between, and what it knows is old.
    case renew(SessionRecord, before: Int64)
    case revoke(SessionRecord, seconds: Int)
    /// Verify an ID token that came with a renewal of the record.
    case verify(String, of: SessionRecord)
}

/// What came of it.
enum StepEvent: Hashable, Sendable {
    /// Nothing was asked yet.
    case begin
    /// `false`: the time is over, another process still holds it.
    case locked(Bool)
    case unlocked
    case read(SessionMachine.Reading)
    case stored(StoreOutcome)
    case renewed(TokenGrant)
    /// Nothing was sent: it was too late.
    case heldUp
    case revoked
    case verified(IDToken)
    /// Whatever was asked for could not be done.
    case failed(AuthError)
}

/// A stage in which a procedure was told something that it had not asked for. The runner answers what it was asked, so
/// there is no such stage; a test that gets here has found a mistake in the runner.
func unexpected(_ event: StepEvent) -> Never {
    preconditionFailure("a session's procedure was told \(event) out of turn")
}
