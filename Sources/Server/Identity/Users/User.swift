public import KeyturnBase

/// The identifier of a user: the `sub` of every token about that person. Never reused, never changed.
public struct UserID: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A new identifier in the form of a random UUID (RFC 9562 §5.4).
    public static func make(_ ambient: Ambient) -> UserID {
        var bytes = ambient.randomBytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let hexadecimal = bytes.map { byte in
            String(byte >> 4, radix: 16) + String(byte & 0x0F, radix: 16)
        }.joined()
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        let characters = Array(hexadecimal)
        return UserID(rawValue: groups.map { String(characters[$0]) }.joined(separator: "-"))
    }
}

extension UserID {
    /// What the subjects of clients begin with, in tokens of their own.
    static let clientPrefix = "client:"

    /// Whether it reads like a client's subject: no user has such an identifier.
    public var isClients: Bool { rawValue.hasPrefix(Self.clientPrefix) }

    /// Whether a text reads like ``make(_:)``'s: such a text is nobody's name, lest it be taken for the user.
    static func isReadIn(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 36
            && bytes.indices.allSatisfy { index in
                [8, 13, 18, 23].contains(index)
                    ? bytes[index] == UInt8(ascii: "-") : Character(Unicode.Scalar(bytes[index])).isHexDigit
            }
    }
}

/// A person who can sign in.
public struct User: Hashable, Sendable {
    /// Whether the person may sign in at all.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        case active, disabled
        /// Was asked to come, and has not yet shown who they are: the first proof of an identifier makes them active.
        case invited
        /// Kept out until somebody renews the account.
        case expired

        /// The word of the methods' wire: `enabled` for active users.
        public var wireName: String { self == .active ? "enabled" : rawValue }

        /// Reads ``wireName``.
        public init?(wireName: String) {
            self.init(rawValue: wireName == "enabled" ? "active" : wireName == "active" ? "" : wireName)
        }
    }

    public let id: UserID
    public var status: Status
    /// What is known about the person, by OpenID Connect's claim names (Core §5.1); custom claims beside them.
    public var claims: [String: JSONValue]
    /// What the operator keeps about the person. Told to the operator's own apps, never part of an ID token.
    public var attributes: [String: JSONValue]
    /// Made for automatic tests: an operator may ask for its codes and links.
    public var isTest: Bool
    public let createdAt: UnixTime
    public var updatedAt: UnixTime
    /// Raised by the store whenever the user's sessions end or a credential changes: what was proved in an earlier epoch
    /// opens nothing any more, even if it is on its way at this moment.
    public var epoch: Int64

    public init(
        id: UserID, status: Status = .active, claims: [String: JSONValue] = [:],
        attributes: [String: JSONValue] = [:], isTest: Bool = false, createdAt: UnixTime, updatedAt: UnixTime,
        epoch: Int64 = 0
    ) {
        self.id = id
        self.status = status
        self.claims = claims
        self.attributes = attributes
        self.isTest = isTest
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.epoch = epoch
    }

    /// How a page addresses the person: name, else email, else phone, else preferred user name.
    public var displayName: String? {
        ["name", "email", "phone_number", "preferred_username"].lazy.compactMap { self.claims[$0]?.stringValue }.first
    }
}
