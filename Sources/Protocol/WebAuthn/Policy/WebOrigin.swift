internal import KeyturnBase

/// The spelling of origins (RFC 6454 §6.2), so far as a policy must know it: clients write exactly this, and origins
/// are compared as texts.
enum WebOrigin {
    private static let appPrefix = "android:apk-key-hash:"

    /// Whether the origin is one of the domain's own, of this machine, or an app's.
    static func belongs(_ origin: String, to rpID: String) -> Bool {
        if origin.hasPrefix(appPrefix) {
            // The SHA-256 of the certificate that the app is signed with, in unpadded base64url.
            let digest = origin.dropFirst(appPrefix.count).utf8
            return digest.count == 43 && digest.allSatisfy(isBase64URL)
        }
        guard let host = host(of: origin) else { return false }
        return host == rpID || host.hasSuffix("." + rpID)
    }

    /// The host of `https://host` or `https://host:port`; `http` is taken of `localhost` alone. `nil` for anything
    /// else: a path, capital letters, the scheme's own port.
    static func host(of origin: String) -> String? {
        guard let parts = URIParts(origin), parts.origin == origin, let host = parts.host, isHost(host.text) else {
            return nil
        }
        guard parts.scheme == "https" || host.address == nil && host.isLoopbackInBrowsers else { return nil }
        return host.text
    }

    /// Whether the text is a domain in lower case.
    static func isHost(_ text: String) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { isLowercaseLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
        }
    }

    private static func isLowercaseLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        isLowercaseLetterOrDigit(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
