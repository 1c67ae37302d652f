internal import Foundation
internal import Model

/// Rules for short texts: identifiers, names, secrets.
enum TextRules {
    /// Not empty, not too long, no control characters.
    static func length(_ text: String, bytesMax: Int) -> Refusal? {
        if text.isEmpty { return Refusal("it is empty", "Give a value, or remove the key.") }
        guard text.utf8.count <= bytesMax else {
            return Refusal("it is \(text.utf8.count) bytes long", "Use at most \(bytesMax) bytes.")
        }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control || $0 == "\n" }) else {
            return Refusal("it holds a control character", "Retype it without pasted formatting.")
        }
        return nil
    }

    /// In the one spelling that compares equal to itself alone.
    static func composed(_ text: String) -> Refusal? {
        text.unicodeScalars.elementsEqual(text.precomposedStringWithCanonicalMapping.unicodeScalars)
            ? nil : Refusal("its characters are not in composed form (NFC)", "Type it anew.")
    }

    /// A secret that two programs must spell alike: no line breaks.
    static func secret(_ text: String) -> Refusal? {
        text.unicodeScalars.contains("\n")
            ? Refusal("it holds a line break", "Write it on one line; block scalars (| and >) add line breaks.") : nil
    }

    /// A client's identifier or secret: printable ASCII (RFC 6749 Appendix A.1, A.2).
    static func printableASCII(_ text: String) -> Refusal? {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            ? nil : Refusal("it holds a character that is not printable ASCII", "Use letters, digits and punctuation.")
    }

    /// A part of a bearer, which has colons between its parts.
    static func bearerPart(_ text: String) -> Refusal? {
        text.utf8.contains(UInt8(ascii: ":"))
            ? Refusal("it holds a colon, so no request can present it", "Choose one without a colon.") : nil
    }

    /// An identifier that appears in tokens and addresses.
    static func identifier(_ text: String) -> Refusal? {
        let isPlain = text.utf8.allSatisfy { byte in
            let letter = byte | 0x20
            return (0x61...0x7A).contains(letter) || (0x30...0x39).contains(byte) || "-_.:@".utf8.contains(byte)
        }
        return isPlain
            ? nil
            : Refusal("it holds a character that an identifier cannot have", "Use letters, digits and - _ . : @ only.")
    }

    /// A subject identifier: ASCII, at most 255 characters (OpenID Connect Core §2).
    static func subject(_ text: String) -> Refusal? {
        guard !text.hasPrefix("client:") else {
            return Refusal("a sub that begins with client: is a client's", "Use a UUID, or another opaque identifier.")
        }
        return text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            ? nil : Refusal("a sub must be ASCII without spaces", "Use a UUID, or another opaque identifier.")
    }

    /// Looks like an address of mail. Whether it exists, only a message can tell.
    static func email(_ text: String) -> Refusal? {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let isPlausible =
            parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 254
            && !text.unicodeScalars.contains { $0.properties.isWhitespace }
        guard isPlausible else { return Refusal("it is not an e-mail address", "Write it as name@example.com.") }
        return Identifier(loginID: text)?.flaw.map { Refusal("it \($0)", "Write it as it is read.") }
    }
}
