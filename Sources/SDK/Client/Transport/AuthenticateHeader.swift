internal import KeyturnBase

/// The challenges of an answer (`WWW-Authenticate`, RFC 9110 §11.6.1, RFC 6750 §3).
struct AuthenticateHeader {
    /// One challenge: a scheme and its parameters, whose names are in lower case. Of a repeated name the first counts.
    struct Challenge {
        let scheme: String
        var parameters: [String: String] = [:]
    }

    private(set) var challenges: [Challenge] = []
    private var rest: Substring.UnicodeScalarView

    private static let bytesMax = 4_096

    /// Reads as far as the header follows the grammar.
    init(_ header: String?) {
        let header = header.flatMap { $0.utf8.count <= Self.bytesMax ? $0 : nil } ?? ""
        rest = header[...].unicodeScalars
        while readNext() {}
    }

    /// The first `error`, fit for a log; `nil` if there is none.
    static func error(in header: String?) -> String? {
        let found = AuthenticateHeader(header).challenges.lazy.compactMap { $0.parameters["error"] }.first
        return Exchange.clean(found, max: 128)
    }

    /// A scheme or a parameter; `false` at the end, and where the grammar is not followed.
    private mutating func readNext() -> Bool {
        skip { $0 == " " || $0 == "\t" || $0 == "," }
        let name = take(Self.isTokenCharacter)
        guard !name.isEmpty else { return false }
        let beforeSpaces = rest
        skip { $0 == " " || $0 == "\t" }
        guard rest.first == "=", let value = readValue() else {
            rest = beforeSpaces
            challenges.append(Challenge(scheme: name))
            return true
        }
        guard !challenges.isEmpty else { return false }
        let last = challenges.count - 1
        if challenges[last].parameters[name.lowercased()] == nil {
            challenges[last].parameters[name.lowercased()] = value
        }
        return true
    }

    /// What stands behind the equals sign: a token, or a text in quotes; `nil` if it is neither.
    private mutating func readValue() -> String? {
        rest.removeFirst()
        skip { $0 == " " || $0 == "\t" }
        guard rest.first == "\"" else {
            let token = take { Self.isTokenCharacter($0) || $0 == "/" || $0 == "=" }
            return token.isEmpty ? nil : token
        }
        rest.removeFirst()
        var text = String.UnicodeScalarView()
        while let scalar = rest.popFirst(), scalar != "\"" {
            guard scalar == "\\" else {
                text.append(scalar)
                continue
            }
            if let escaped = rest.popFirst() { text.append(escaped) }
        }
        return String(text)
    }

    private mutating func skip(_ isSkipped: (Unicode.Scalar) -> Bool) {
        rest = rest.drop(while: isSkipped)
    }

    private mutating func take(_ isTaken: (Unicode.Scalar) -> Bool) -> String {
        let taken = rest.prefix(while: isTaken)
        rest = rest[taken.endIndex...]
        return String(taken)
    }

    /// RFC 9110 §5.6.2.
    private static func isTokenCharacter(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.isASCII, scalar.value > 0x20, scalar.value < 0x7F else { return false }
        return !"\"(),/:;<=>?@[\\]{}".unicodeScalars.contains(scalar)
    }
}
