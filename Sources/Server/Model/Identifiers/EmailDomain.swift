internal import Foundation
internal import KeyturnBase

/// The domain of an email address, in the spelling that is compared: lower case, exact labels, in ASCII (`xn--`).
public struct EmailDomain: Hashable, Sendable {
    public let name: String

    /// The domain of an address; `nil` if there is none, it is no host name, or programs could find another mailbox in the
    /// address.
    public init?(ofAddress address: String) {
        guard MailboxForm.isPlain(address), let at = address.lastIndex(of: "@") else { return nil }
        self.init(String(address[address.index(after: at)...]))
    }

    /// A domain by its name: at least two labels of letters, digits and hyphens (international ones in their `xn--`
    /// form or as they are), at most 253 bytes; no dot at the end.
    public init?(_ text: String) {
        guard text.utf8.count <= 253 else { return nil }
        let name = text.precomposedStringWithCompatibilityMapping.lowercased()
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...253).contains(name.utf8.count), labels.count >= 2,
            labels.allSatisfy({ label in
                (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                    && label.unicodeScalars.allSatisfy { $0 == "-" || $0.properties.isAlphabetic || $0.isDigit }
            })
        else { return nil }
        self.name = name.utf8.allSatisfy { $0 < 0x80 } ? name : InternationalDomain.ascii(name) ?? name
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}
