public import KeyturnBase

/// Hears what becomes of a manager's session.
///
/// Told in order, one after the other, when the change is durable; who is more than 64 changes behind misses the oldest.
/// The methods are asynchronous requirements, so a type
/// that belongs to the main actor can implement them as plain functions of its own.
public protocol SessionManagerDelegate: AnyObject, Sendable {
    /// The tokens of the session were replaced: renewed, by whomever, or by taking up another session.
    func sessionManagerDidUpdateTokens(_ manager: SessionManager, session: ManagedSession) async

    /// What is known about the person has changed.
    func sessionManagerDidUpdateUser(_ manager: SessionManager, session: ManagedSession) async

    /// Something went wrong that no caller waits for.
    ///
    /// `session.ended` and `session.device_key_lost`: the service ended the session, and ``SessionManager/session`` is
    /// `nil`. `store.unavailable`: what ``SessionManager/manageSession(_:)``, ``SessionManager/updateUser(with:)`` or
    /// ``SessionManager/clearSession()`` began could not be stored.
    func sessionManagerDidFail(_ manager: SessionManager, error: AuthError) async
}

extension SessionManagerDelegate {
    /// Nothing.
    public func sessionManagerDidUpdateTokens(_ manager: SessionManager, session: ManagedSession) async {}
    /// Nothing.
    public func sessionManagerDidUpdateUser(_ manager: SessionManager, session: ManagedSession) async {}
    /// Nothing.
    public func sessionManagerDidFail(_ manager: SessionManager, error: AuthError) async {}
}

/// Those who listen, none of them kept alive.
struct WeakDelegates: Sendable {
    private struct Entry: Sendable {
        weak var delegate: (any SessionManagerDelegate)?
    }

    private var entries: [Entry] = []

    /// Everybody who is still there, in the order in which they came.
    var all: [any SessionManagerDelegate] { entries.compactMap(\.delegate) }

    /// Adding twice is adding once.
    mutating func add(_ delegate: any SessionManagerDelegate) {
        remove(delegate)
        entries.append(Entry(delegate: delegate))
    }

    mutating func remove(_ delegate: any SessionManagerDelegate) {
        entries.removeAll { $0.delegate == nil || $0.delegate === delegate }
    }
}
