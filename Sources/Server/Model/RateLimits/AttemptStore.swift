public import KeyturnBase

/// Counts failures, to slow guessing down. Counted before the guess is checked: parallel guesses count too.
public protocol AttemptStore: Sendable {
    /// Counts one more attempt on each key in one transaction, and returns the counts with this one.
    ///
    /// A count that was last raised more than `windowSeconds` ago starts again at one.
    func count(_ keys: [String], windowSeconds: Int64, at now: UnixTime) async throws(StoreError) -> [AttemptCount]

    /// The attempt was good: forgets `keys`, takes this one attempt back from `shared`, and marks `known` as keys from
    /// which a good attempt came. One transaction.
    ///
    /// A shared key is not forgotten: an attacker could reset it with an account of their own.
    func succeed(_ keys: [String], shared: String, known: [String], at now: UnixTime) async throws(StoreError)

    /// Whether a good attempt ever came from a key. Counts nothing.
    func isKnown(_ key: String) async throws(StoreError) -> Bool
}

extension AttemptStore {
    /// As ``succeed(_:shared:known:at:)`` with one known key; `nil`: none.
    public func succeed(_ keys: [String], shared: String, known: String?, at now: UnixTime) async throws(StoreError) {
        try await succeed(keys, shared: shared, known: [known].compactMap(\.self), at: now)
    }
}

/// The failed attempts of a key.
public struct AttemptCount: Hashable, Sendable {
    public let key: String
    public let failures: Int64
    /// The attempt before this one; `nil` if this is the first of the window.
    public let previousAt: UnixTime?
    /// Whether a good attempt ever came from this key.
    public let isKnown: Bool

    public init(key: String, failures: Int64, previousAt: UnixTime?, isKnown: Bool) {
        self.key = key
        self.failures = failures
        self.previousAt = previousAt
        self.isKnown = isKnown
    }
}

/// Whose attempts are counted, as it stands in front of `@` and the network in the keys of ``AttemptStore``.
package enum AttemptSubject {
    /// At the password of the account with this login ID, whether there is one or not.
    package static func account(_ identifier: Identifier) -> String {
        "account:\(identifier.kind.rawValue):\(identifier.value)"
    }

    /// At the password of a user, under whichever login ID.
    package static func owner(_ user: UserID) -> String { "owner:\(user.rawValue)" }

    /// The same of a login ID that no user has.
    package static func unassigned(_ identifier: Identifier) -> String {
        "unassigned:\(identifier.kind.rawValue):\(identifier.value)"
    }

    /// At the second factor of a user.
    package static func secondFactor(of user: UserID) -> String { "second:\(user.rawValue)" }
}
