public import KeyturnBase

/// Where containers keep their sessions.
///
/// A store holds at most one record for each container name. It need not understand the record: contents are bytes.
/// It must keep them secret, replace them in one step, and never say ``StoreReading/absent`` when it merely cannot
/// look.
public protocol SessionStore: Sendable {
    /// What is stored for `container`.
    func read(_ container: String) async -> StoreReading

    /// Replaces what is stored, durably and in one step: after a crash the old record is there, or the new one.
    ///
    /// Looking whether `condition` holds and replacing are one step too, so that a process that was held up cannot
    /// overwrite what others did meanwhile.
    ///
    /// - Throws: `store.unavailable`; the old record is then still there.
    func write(_ record: StoredRecord, for container: String, when condition: StoreCondition)
        async throws(AuthError) -> StoreOutcome

    /// Removes what is stored, under the same conditions. Removing nothing is no error.
    ///
    /// - Throws: `store.unavailable`; the record may then still be there.
    func remove(_ container: String, when condition: StoreCondition) async throws(AuthError) -> StoreOutcome

    /// Waits until no other task, in this process or another, holds the lock of `container`, and takes it.
    ///
    /// The lock spares the server requests; it protects nothing. Who does not get it goes on without it, because its
    /// holder may be stopped for good.
    ///
    /// - Parameters:
    ///   - container: The name under which the session is kept.
    ///   - timeoutSeconds: How long to wait at most.
    /// - Returns: `nil` when the time is over.
    /// - Throws: `store.unavailable` if there can be no lock; `sign_in.cancelled` if the task is cancelled.
    func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> (any StoreLock)?

    /// Something cheap that differs after every change of the record; `nil` when nothing is stored or
    /// that cannot be known.
    func changeMark(_ container: String) async -> ChangeMark?
}

/// A lock that is held until it is released.
public protocol StoreLock: Sendable {
    /// Lets the next one in. Releasing twice is harmless.
    func unlock() async
}

/// What looking into a store showed.
public enum StoreReading: Sendable {
    /// The record that is stored.
    case found(StoredRecord)
    /// The store was read, and there is nothing.
    case absent
    /// The store could not be read; what it holds is unknown.
    case unavailable(AuthError)
}

/// What must be stored for a change to happen.
public enum StoreCondition: Hashable, Sendable {
    /// Whatever there is, also if it cannot be read.
    case always
    /// Nothing.
    case absent
    /// The record of this generation.
    case generation(Generation)
}

/// Whether a change happened.
public enum StoreOutcome: Hashable, Sendable {
    /// The change was made.
    case done
    /// Another process was first; nothing was changed.
    case overtaken
}

/// What a store keeps for one container.
public struct StoredRecord: Hashable, Sendable {
    /// Which record this is.
    public let generation: Generation
    /// Opaque to the store, and secret.
    public let contents: [UInt8]

    /// A record of a store of one's own, as it was written.
    public init(generation: Generation, contents: [UInt8]) {
        self.generation = generation
        self.contents = contents
    }
}

extension StoredRecord: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the contents.
    public var description: String { "StoredRecord(\(generation.number))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Which of all records ever written this is: the sign-in it belongs to, and its place in that sign-in's life.
public struct Generation: Hashable, Sendable {
    /// Random, new at each sign-in; base64url.
    public let signIn: String
    /// 1 for the record a sign-in wrote, one more with each replacement.
    public let number: UInt64

    /// A generation, as a store kept it.
    public init(signIn: String, number: UInt64) {
        self.signIn = signIn
        self.number = number
    }

    /// The next record of the same sign-in.
    var next: Generation { Generation(signIn: signIn, number: number + 1) }

    /// Whether this record replaced `other` in the life of one sign-in.
    func isLater(than other: Generation) -> Bool {
        signIn == other.signIn && number > other.number
    }

    /// This one, or else the next after `other`, where that is of the same sign-in and not before this one.
    func later(than other: Generation) -> Generation {
        signIn == other.signIn && number <= other.number ? other.next : self
    }
}

/// A fingerprint of a store's state; equal while nothing changed.
public struct ChangeMark: Hashable, Sendable {
    private let parts: [Int64]

    /// Any numbers that differ after a change: an inode, a time, a counter.
    public init(_ parts: [Int64]) {
        self.parts = parts
    }
}

extension StoreCondition {
    /// Whether it holds for what was found; `nil`: there is nothing.
    func holds(for found: Generation?) -> Bool {
        switch self {
        case .always: true
        case .absent: found == nil
        case .generation(let expected): found == expected
        }
    }
}
