internal import KeyturnBase

/// The session as it stands, where everybody can see it without waiting for the keeper.
final class SessionSnapshot: Sendable {
    /// What those who watch are told.
    enum Notice: Sendable {
        /// Never two that are equal; with the reason, if the service ended the session.
        case changed(from: ManagedSession?, to: ManagedSession?, end: AuthError?)
        case failed(AuthError)
    }

    private struct Contents: Sendable {
        var session: ManagedSession?
        var isKnown = false
        var watchers: [AsyncStream<Notice>.Continuation] = []
    }

    private let contents = Locked(Contents())

    /// The session; `nil` also as long as nothing is known.
    var session: ManagedSession? { contents.withLock { $0.session } }

    /// Whether the store was read.
    var isKnown: Bool { contents.withLock { $0.isKnown } }

    /// Sends every change from now on to `watcher`, until its stream is finished.
    func watch(_ watcher: AsyncStream<Notice>.Continuation) {
        contents.withLock { $0.watchers.append(watcher) }
    }

    /// What a look into the store showed before the keeper's first one.
    func preview(_ record: SessionRecord) {
        contents.withLock { contents in
            guard !contents.isKnown else { return }
            contents.session = ManagedSession(record)
        }
    }

    func show(_ machine: SessionMachine) {
        guard machine.phase != .unknown else { return }
        let session = machine.record.map { ManagedSession($0) }
        contents.withLock { contents in
            contents.isKnown = true
            let before = contents.session
            guard session != before else { return }
            contents.session = session
            let notice = Notice.changed(from: before, to: session, end: machine.lastWord)
            contents.watchers.removeAll { watcher in
                if case .terminated = watcher.yield(notice) { true } else { false }
            }
        }
    }
}

extension SessionMachine {
    /// Why the session is over, if that was not the person's own wish.
    fileprivate var lastWord: AuthError? {
        guard case .ended(let end) = phase else { return nil }
        return AuthError(end == .deviceKeyLost ? .deviceKeyLost : .sessionEnded, "the session is over")
    }
}
