internal import Crypto
internal import KeyturnBase
internal import Model

/// The code that a user types to name a device (RFC 8628 §6.1).
///
/// Eight of twenty consonants: they form no word, none looks like a digit, and there are 25 600 000 000 codes.
public struct UserCode: Hashable, Sendable {
    /// The letters alone, in capitals.
    public let letters: String

    /// Reads a typed code: in any case, with any separators.
    ///
    /// `nil` if it is not eight letters of the alphabet of codes.
    public init?(typed text: String) {
        guard text.utf8.count <= Limits.userCodeTypedBytesMax else { return nil }
        let typed = text.unicodeScalars.filter { !Self.separators.contains($0) }
        let capitals = String(String.UnicodeScalarView(typed)).uppercased()
        guard capitals.count == Limits.userCodeLetters, capitals.allSatisfy(Self.alphabet.contains) else { return nil }
        letters = capitals
    }

    private init(letters: String) {
        self.letters = letters
    }

    /// A new one.
    static func make(_ ambient: Ambient) -> UserCode {
        // 64 bits are reduced: no code is likelier than another by more than two in a thousand million.
        var number = ambient.randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        var letters = ""
        for _ in 0..<Limits.userCodeLetters {
            letters.append(alphabet[Int(number % UInt64(alphabet.count))])
            number /= UInt64(alphabet.count)
        }
        return UserCode(letters: letters)
    }

    /// As it is shown: two groups with a dash between them.
    public var text: String {
        "\(letters.prefix(Limits.userCodeLetters / 2))-\(letters.suffix(Limits.userCodeLetters / 2))"
    }

    /// The letters that RFC 8628 §6.1 proposes.
    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ")
    /// Separators that users and keyboards put between letters: blanks, dots, dashes of every length.
    private static let separators: Set<Unicode.Scalar> = [
        " ", "\t", "\u{A0}", "-", ".", "_", "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}", "\u{2014}", "\u{2212}",
    ]
}

/// What the store keeps instead of a user code: keyed, since all codes could be tried against a plain digest in
/// seconds.
struct UserCodeDigests: Sendable {
    private let keys: [ServerSecrets.Key]

    init(_ secrets: ServerSecrets) {
        keys = secrets.keys(for: .userCode)
    }

    /// The digest under each secret of the server, the newest first.
    func candidates(_ code: UserCode) -> [SecretDigest] {
        keys.map {
            SecretDigest(
                storedBytes: Array(
                    HMAC<SHA256>.authenticationCode(for: Array(code.letters.utf8), using: $0.key)))
        }
    }
}
