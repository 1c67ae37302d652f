internal import Foundation
internal import KeyturnBase

/// What a user types to say who they are. One identifier leads to one user.
public struct Identifier: Hashable, Sendable {
    /// What kind of name it is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case email, phone, username
    }

    public let kind: Kind
    /// The spelling that is stored and compared: NFKC, lower case, without the blanks around it, a domain in ASCII
    /// (`xn--`).
    public let value: String

    /// Longest identifier, in bytes of UTF-8: an email address has at most 254 (RFC 5321 §4.5.3.1).
    public static let bytesMax = 254

    /// Longest text that is read as an identifier, in bytes of UTF-8: room for blanks and compatibility forms. A longer
    /// text is not normalised at all, since that takes time in the square of a run of combining marks.
    public static let typedBytesMax = 1_024

    /// Reads a login ID: with `@` an email address, with a leading `+` a phone number, else a user name.
    ///
    /// For a name that is looked up. One that an account is to get has no ``flaw`` either.
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
            value = Self.withASCIIDomain(text)
        } else if text.hasPrefix("+") {
            kind = .phone
            value = text.filter { !" -()/.".contains($0) }
        } else {
            kind = .username
            value = text
        }
    }

    /// One that comes back from a store. Earlier releases stored domains as they were typed.
    public init(kind: Kind, storedValue: String) {
        self.kind = kind
        value = kind == .email ? Self.withASCIIDomain(storedValue) : storedValue
    }

    /// The spelling in which earlier releases stored an address with an international domain, if they were given it as
    /// it is read; `nil`: there is one spelling.
    package var formerSpelling: String? {
        guard kind == .email, let at = value.lastIndex(of: "@") else { return nil }
        let domain = value[value.index(after: at)...]
        guard domain.contains("xn--") else { return nil }
        let read = InternationalDomain.unicode(String(domain))
        return read == domain ? nil : String(value[...at]) + read
    }

    private static func withASCIIDomain(_ address: String) -> String {
        guard !address.utf8.allSatisfy({ $0 < 0x80 }), let at = address.lastIndex(of: "@") else { return address }
        let domain = address[address.index(after: at)...]
        guard !domain.utf8.allSatisfy({ $0 < 0x80 }), let ascii = InternationalDomain.ascii(String(domain)) else {
            return address
        }
        let result = String(address[...at]) + ascii
        return result.utf8.count <= bytesMax ? result : address
    }
}
