internal import Foundation

/// What a user types to say who they are. One identifier leads to one user.
public struct Identifier: Hashable, Sendable {
    /// What kind of name it is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case email, phone, username
    }

    public let kind: Kind
    /// The spelling that is stored and compared: NFKC, lower case, without the blanks around it.
    public let value: String

    /// Longest identifier, in bytes of UTF-8: an email address has at most 254 (RFC 5321 §4.5.3.1).
    public static let bytesMax = 254

    /// Longest text that is read as an identifier, in bytes of UTF-8: room for blanks and compatibility forms. A longer
    /// text is not normalised at all, since that takes time in the square of a run of combining marks.
    public static let typedBytesMax = 1_024

    /// Reads a login ID: with `@` an email address, with a leading `+` a phone number, else a user name.
    ///
    /// `nil` if it is empty, too long, or holds a control character.
    public init?(loginID: String) {
        guard loginID.utf8.count <= Self.typedBytesMax else { return nil }
        let text = loginID.trimmingCharacters(in: .whitespacesAndNewlines)
            .precomposedStringWithCompatibilityMapping.lowercased()
        guard !text.isEmpty, text.utf8.count <= Self.bytesMax,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        if text.contains("@") {
            kind = .email
            value = text
        } else if text.hasPrefix("+") {
            kind = .phone
            value = text.filter { !" -()/.".contains($0) }
        } else {
            kind = .username
            value = text
        }
    }

    /// One that comes back from a store, already in its stored spelling.
    public init(kind: Kind, storedValue: String) {
        self.kind = kind
        value = storedValue
    }
}
