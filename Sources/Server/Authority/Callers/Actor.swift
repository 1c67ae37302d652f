/// Who acts, for the rulebook and for the audit log.
public struct Actor: Hashable, Sendable {
    /// As audit events name the caller: a user's identifier, the beginning of a key's digest, the system's user.
    public let name: String
    public let caller: Caller

    public init(_ name: String, _ caller: Caller) {
        self.name = name
        self.caller = caller
    }
}
