public import KeyturnBase
internal import Model

/// The URI that an authenticator app reads from a QR code: `otpauth://totp/…`.
///
/// There is no standard; this is the form that Google Authenticator introduced and every app reads. A colon separates
/// issuer and account in the label, so neither may contain one.
public enum KeyURI {
    /// - Parameters:
    ///   - authenticator: whose secret and parameters the address carries; hence a ``Secret`` too.
    ///   - issuer: what the app calls the service. Cut to ``Limits/keyURINameBytesMax`` bytes.
    ///   - account: which of the user's accounts this is, such as an address. Cut likewise.
    public static func make(_ authenticator: TOTPCode, issuer: String, account: String) -> Secret {
        let issuer = percentEncoded(name(issuer))
        let account = percentEncoded(name(account))
        let label = issuer.isEmpty ? account : "\(issuer):\(account)"
        var query = ["secret=\(authenticator.secret.base32.exposed())"]
        if !issuer.isEmpty { query.append("issuer=\(issuer)") }
        query.append("algorithm=\(authenticator.algorithm.rawValue)")
        query.append("digits=\(authenticator.digits)")
        query.append("period=\(authenticator.periodSeconds)")
        return Secret("otpauth://totp/\(label)?\(query.joined(separator: "&"))")
    }

    /// Without colons and control characters, and short enough for a QR code that phones can read.
    private static func name(_ text: String) -> String {
        let spaced = String(String.UnicodeScalarView(text.unicodeScalars.map(separatorAsSpace)))
        var result = spaced.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        while result.utf8.count > Limits.keyURINameBytesMax { result.removeLast() }
        return result
    }

    private static func separatorAsSpace(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        scalar == ":" || scalar.properties.generalCategory == .control ? " " : scalar
    }

    /// Everything but the unreserved characters (RFC 3986 §2.3); a space is `%20`, because apps show a plus as it is.
    private static func percentEncoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let hex = String(byte, radix: 16, uppercase: true)
                result += byte < 16 ? "%0\(hex)" : "%\(hex)"
            }
        }
        return result
    }
}
