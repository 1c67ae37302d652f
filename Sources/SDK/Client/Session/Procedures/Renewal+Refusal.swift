internal import KeyturnBase

/// What a renewal that failed means: nothing, that the user is wanted at the service's page, or the session's end.
extension Renewal {
    static let misdirected = AuthError(
        .tokenMisdirected,
        "the renewed ID token names another user (OpenID Connect Core §12.2): the tokens beside it are not used")

    mutating func refused(
        _ error: AuthError, _ record: SessionRecord, _ machine: inout SessionMachine, at now: Moment
    ) -> Step<Outcome> {
        if error.isLastWord { return to(.judging(error, of: record), .read) }
        return withdraw(error, record, &machine, at: now)
    }

    /// A refusal that ends nothing. What was refused for certain is no reason for others to wait for its answer; what
    /// was perhaps heard, and not answered, stays noted.
    private mutating func withdraw(
        _ error: AuthError, _ record: SessionRecord, _ machine: inout SessionMachine, at now: Moment
    ) -> Step<Outcome> {
        guard error.isCertainRefusal, let earlier else {
            if error.wantsPerson { machine.noteInteraction(of: record.generation) }
            return fail(error.asInteraction, of: record.generation, &machine, at: now)
        }
        let next = earlier.restored(in: record, needsInteraction: error.wantsPerson)
        return to(.withdrawing(error, next, of: record), .write(next, when: .generation(record.generation)))
    }

    mutating func withdrawn(
        _ error: AuthError, _ next: SessionRecord, of record: SessionRecord, _ event: StepEvent,
        _ machine: inout SessionMachine, at now: Moment
    ) -> Step<Outcome> {
        switch event {
        case .stored(.done):
            // Another task of this process may have read it before this was told.
            if machine.isCurrent(record.generation) { machine.replaceQuietly(next, isDurable: true) }
            if earlier?.isOwn == true { machine.ownRenewal = next.generation }
        // Another process moved on meanwhile: perhaps there is something better than this refusal.
        case .stored(.overtaken): return to(.looking, .read)
        case .failed:
            if error.wantsPerson { machine.noteInteraction(of: record.generation) }
        default: unexpected(event)
        }
        let generation = machine.isCurrent(next.generation) ? next.generation : record.generation
        return fail(error.asInteraction, of: generation, &machine, at: now)
    }

    /// The server's definite word on `record`. The session ends only if no other process has moved on.
    mutating func judge(
        _ error: AuthError, _ record: SessionRecord, _ reading: SessionMachine.Reading,
        _ machine: inout SessionMachine, at now: Moment
    ) -> Step<Outcome> {
        switch reading {
        case .unavailable: return fail(error, of: record.generation, &machine, at: now)
        case .found(let found) where !found.sharesTokens(with: record): return look(reading, &machine, at: now)
        case .found(let found) where error.code == .deviceKeyLost:
            return to(.clearing(error, of: found), .remove(when: .generation(found.generation)))
        // Another process began after this one, and may have the answer. It will store it, or this is tried again.
        case .found(let found) where found.generation != record.generation:
            return fail(error, of: machine.record?.generation, &machine, at: now)
        // Another one may have it that began before.
        case .found where isContested || !isLocked: return withdraw(error, record, &machine, at: now)
        case .found(let found):
            return to(.clearing(error, of: found), .remove(when: .generation(found.generation)))
        case .absent: return look(reading, &machine, at: now)
        }
    }

    /// No other process had moved on: the session is over, here and in the store.
    mutating func end(
        _ error: AuthError, _ record: SessionRecord, _ machine: inout SessionMachine
    ) -> Step<Outcome> {
        let reason: SessionState.End = error.code == .deviceKeyLost ? .deviceKeyLost : .refused
        if let current = machine.record, current.sharesTokens(with: record) {
            machine.end(reason, error, of: current.generation)
        }
        return leave(.failure(AuthError(.sessionEnded, "the session is over", cause: error, server: error.server)))
    }
}
