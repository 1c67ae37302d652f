internal import KeyturnBase

/// A store that keeps the session of one context apart from where sessions lie otherwise, as an unlocked vault does.
protocol SeparateStore: SessionStore {
    /// The session was signed out: what opened this store has nothing left to open.
    ///
    /// - Throws: `store.unavailable`.
    func signedOut() async throws(AuthError)
}

/// One session's time in a keeper: what is known of it, and where it is kept.
///
/// When a vault is unlocked or locked another context begins. What the one before has under way, it finishes with what
/// it knows and where it is kept: an answer that comes after the lock goes into the vault, and is not reported.
final class SessionContext {
    var machine = SessionMachine()
    /// What the store showed last.
    var lastMark: ChangeMark?
    let store: any SessionStore
    /// The store, if it keeps the session apart.
    let separateStore: (any SeparateStore)?

    init(store: any SessionStore) {
        self.store = store
        separateStore = nil
    }

    init(separateStore: any SeparateStore) {
        store = separateStore
        self.separateStore = separateStore
    }
}

extension SessionKeeper {
    /// The store that keeps the session apart; `nil`: none does.
    var separateStore: (any SeparateStore)? { context.separateStore }

    /// Another context begins. What is under way in the one before is finished there, and is not waited for.
    func succeed(with next: SessionContext) {
        context = next
        renewal = nil
        renewalCount += 1
        lastLook = nil
        shelfUntil = .min
        publish()
    }

    /// The session is over, and with it the use of the store that kept it apart.
    func leaveSeparateStore() {
        guard context.separateStore != nil else { return }
        startAnew(nil)
    }

    /// Begins a context without a session, where sessions lie otherwise.
    func startAnew(_ reason: SessionChange.Reason?) {
        let next = SessionContext(store: plain)
        next.machine.beginSignedOut(reason)
        succeed(with: next)
    }
}
