internal import Foundation
internal import Model

/// A user's name for a passkey: one line, without control characters.
public struct PasskeyName: Hashable, Sendable {
    public let text: String

    /// - Returns: `nil` if it is empty when trimmed, or longer than ``Limits/passkeyNameLengthMax`` characters.
    public init?(_ typed: String) {
        guard typed.utf8.count <= Limits.descriptionBytesMax else { return nil }
        let text = typed.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty, text.count <= Limits.passkeyNameLengthMax,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control || Self.isTurning($0) })
        else { return nil }
        self.text = text
    }

    /// Whether it changes the direction of the text after it.
    private static func isTurning(_ scalar: Unicode.Scalar) -> Bool {
        (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }
}
