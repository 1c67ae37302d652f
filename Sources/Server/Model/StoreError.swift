/// Why a store could not do what was asked. What was refused in the ordinary course is a result, not an error.
public struct StoreError: Error, Sendable {
    /// What went wrong, as far as the rules can act on it.
    public enum Code: String, Hashable, Sendable {
        /// It is there already: an identifier, a client, a key.
        case conflict
        /// What was to be changed is not there.
        case missing
        /// The disk is full: nothing can be written until somebody makes room.
        case full
        /// The database did not answer, or answered nonsense.
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
