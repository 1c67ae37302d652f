internal import Crypto
public import KeyturnBase

/// The hash chain of the audit log. The digest of an event covers the event before it, and each event is stored with the
/// digest before it, so an event that is changed, removed or added later no longer fits.
///
/// An attacker who can write the database could compute every later digest again. The server therefore signs the chain's
/// end now and then: ``AuditCheckpoint``.
public enum AuditChain {
    /// What stands before the first event: 32 bytes, all 0.
    public static let beginning = [UInt8](repeating: 0, count: 32)

    /// SHA-256 over the digest before, and each member of the event: 0 if it is absent, else 1, its length in bytes as
    /// four bytes, the first one the highest, and its UTF-8.
    ///
    /// The members are action, time in decimal seconds since 1970, user, client, session, address, reason, actor and
    /// target, in this order. An event that changed something has one more: the 32 bytes of ``AuditChanges/digest``.
    ///
    /// - Parameter changes: that digest, also when the values are gone.
    public static func digest(of event: AuditEvent, changes: [UInt8]?, after previous: [UInt8]) -> [UInt8] {
        var bytes = previous
        bytes.reserveCapacity(512)
        let members = [
            event.kind.rawValue, String(event.at.rawValue), event.userID?.rawValue, event.clientID,
            event.sessionID?.rawValue, event.address, event.reason, event.actor, event.target,
        ]
        for member in members { append(member, to: &bytes) }
        if let changes { append(changes, to: &bytes) }
        return Array(SHA256.hash(data: bytes))
    }

    /// The digest of an event as it is made.
    public static func digest(of event: AuditEvent, after previous: [UInt8]) -> [UInt8] {
        digest(of: event, changes: event.changes?.digest, after: previous)
    }

    static func append(_ member: String?, to bytes: inout [UInt8]) {
        guard let member else { return bytes.append(0) }
        append(Array(member.utf8), to: &bytes)
    }

    private static func append(_ member: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(1)
        let length = UInt32(member.count)
        bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
        bytes += member
    }
}

/// Where the chain ends.
public struct AuditHead: Hashable, Sendable {
    /// The number of the newest event; 0 if there was none.
    public let number: Int64
    /// The digest of the newest event.
    public let digest: [UInt8]

    public init(number: Int64, digest: [UInt8]) {
        self.number = number
        self.digest = digest
    }
}

/// A statement of the server about the chain's end, with a MAC under a key that is not in the database.
public struct AuditCheckpoint: Hashable, Sendable {
    /// The event that was the newest one.
    public let number: Int64
    /// Its digest.
    public let digest: [UInt8]
    public let at: UnixTime
    /// HMAC-SHA-256; 32 bytes.
    public let mac: [UInt8]

    /// As it was stored.
    public init(number: Int64, digest: [UInt8], at: UnixTime, mac: [UInt8]) {
        self.number = number
        self.digest = digest
        self.at = at
        self.mac = mac
    }

    /// A new one.
    ///
    /// - Parameter key: for ``ServerSecrets/Purpose/auditCheckpoint``.
    public init(_ head: AuditHead, at: UnixTime, key: ServerSecrets.Key) {
        let code = HMAC<SHA256>.authenticationCode(for: Self.signed(head.number, head.digest, at), using: key.key)
        self.init(number: head.number, digest: head.digest, at: at, mac: Array(code))
    }

    /// Whether one of the secrets made it.
    public func isGenuine(_ secrets: ServerSecrets) -> Bool {
        secrets.keys(for: .auditCheckpoint).contains { key in
            HMAC<SHA256>.isValidAuthenticationCode(
                mac, authenticating: Self.signed(number, digest, at), using: key.key)
        }
    }

    private static func signed(_ number: Int64, _ digest: [UInt8], _ at: UnixTime) -> [UInt8] {
        Array("\(number).\(at.rawValue).".utf8) + digest
    }
}
