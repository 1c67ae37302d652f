/// Why a store failed. An ordinary refusal is a result, not an error.
public struct StoreError: Error, Sendable {
    /// The cause, as far as callers can act on it.
    public enum Code: String, Hashable, Sendable {
        /// It exists already: an identifier, a client, a key.
        case conflict
        /// The object to change does not exist.
        case missing
        /// The permission for a change does not cover it, or no longer holds: nothing is written.
        case forbidden
        /// The disk is full: nothing can be written until the operator frees space.
        case full
        /// The database did not answer, or gave an invalid answer.
        case unavailable
    }

    public let code: Code
    public let cause: (any Error)?

    public init(_ code: Code, cause: (any Error)? = nil) {
        self.code = code
        self.cause = cause
    }
}

extension StoreError: CustomStringConvertible {
    public var description: String { "StoreError(\(code.rawValue))" }
}
