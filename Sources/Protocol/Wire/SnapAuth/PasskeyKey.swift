public import KeyturnBase

/// Whose request it is: the key in `Authorization: Basic`.
///
/// The publishable key is the *user name*, with an empty password; the secret key is the *password*, with an empty user
/// name. Neither is form-encoded.
public enum PasskeyKey: Equatable, Sendable {
    /// An app's: `pubkey_…`. It selects the relying party and is no secret.
    case publishable(String)
    /// A backend's: `secret_…`.
    case secret(Secret)

    /// How keys for apps and pages begin.
    public static let publishablePrefix = "pubkey_"
    /// How keys for backends begin.
    public static let secretPrefix = "secret_"

    /// Whether the key begins as keys of its kind do and can stand in a header.
    public var isWellFormed: Bool {
        switch self {
        case .publishable(let key): Self.isKey(key, prefix: Self.publishablePrefix)
        case .secret(let key): Self.isKey(key.exposed(), prefix: Self.secretPrefix)
        }
    }

    /// Reads a header's value. `nil` if it is no Basic authentication, or the key does not stand where its kind belongs.
    public init?(header: String) {
        guard let pair = BasicCredentials.pair(in: header), let name = String(validating: pair.name, as: UTF8.self),
            let password = String(validating: pair.secret, as: UTF8.self)
        else { return nil }
        switch (name.isEmpty, password.isEmpty) {
        case (false, true): self = .publishable(name)
        case (true, false): self = .secret(Secret(password))
        default: return nil
        }
        guard isWellFormed else { return nil }
    }

    /// The header's value.
    public var header: String {
        let pair =
            switch self {
            case .publishable(let key): key + ":"
            case .secret(let key): ":" + key.exposed()
            }
        return "Basic " + Base64.encode(Array(pair.utf8))
    }

    private static func isKey(_ key: String, prefix: String) -> Bool {
        key.hasPrefix(prefix) && key.utf8.count > prefix.utf8.count
            && PasskeyLimits.keyCharacters.contains(key.utf8.count)
            && key.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") }
    }
}

extension PasskeyKey: CustomStringConvertible, CustomDebugStringConvertible {
    /// Which kind it is, and no part of the key.
    public var description: String {
        switch self {
        case .publishable: "PasskeyKey.publishable"
        case .secret: "PasskeyKey.secret"
        }
    }
    public var debugDescription: String { description }
}
