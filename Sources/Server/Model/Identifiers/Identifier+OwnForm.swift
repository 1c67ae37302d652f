internal import Foundation

extension Identifier {
    /// Whether a text is written as it is compared, but for the case of ASCII letters: its own NFKC form, without blanks
    /// around it, and without a ``flaw``.
    ///
    /// An address that a provider or a directory asserts belongs to a user of this server only then. The mailbox of
    /// `\u{FF42}ob@example.com` is not that of `bob@example.com` (RFC 6531), though a user who types it is found.
    public static func isOwnForm(of text: String) -> Bool {
        // An ideographic full stop is a dot for some programs, and a letter for others.
        guard text.utf8.count <= typedBytesMax, !text.unicodeScalars.contains("\u{3002}") else { return false }
        guard Identifier(loginID: text)?.flaw == nil else { return false }
        let compared = text.trimmingCharacters(in: .whitespacesAndNewlines)
            .precomposedStringWithCompatibilityMapping.lowercased()
        // By code points: Swift calls texts equal that are canonically equivalent.
        return text.unicodeScalars.lazy.map { ("A"..."Z").contains($0) ? $0.value + 0x20 : $0.value }
            .elementsEqual(compared.unicodeScalars.lazy.map(\.value))
    }
}
