public import KeyturnBase
public import Model

/// A refresh token: `version ‖ grant id ‖ counter ‖ MAC`, in base64url.
///
/// The MAC's key belongs to the grant and is derived from the server's secret, so a database knows nothing that
/// could be presented, garbage is refused without a query, and the current token can always be derived again.
public struct RefreshToken: Hashable, Sendable {
    public let grantID: GrantID
    /// How many tokens of the grant came before this one.
    public let counter: Int64

    public init(grantID: GrantID, counter: Int64) {
        self.grantID = grantID
        self.counter = counter
    }
}

/// Writes and reads refresh tokens.
public struct RefreshTokenCodec: Sendable {
    private let keys: [MACKey]
    private static let version: UInt8 = 1
    /// 192 bits: too many to guess, and the token stays short.
    private static let macBytes = 24
    private static let grantBytes = 1..<17
    private static let bodyBytes = 1 + 16 + 8

    public init(_ secrets: ServerSecrets) {
        keys = secrets.keys(for: .refreshToken).map { MACKey($0.key) }
    }

    /// The wire form: 66 characters.
    public func encode(_ token: RefreshToken) -> String {
        var body = [Self.version] + token.grantID.bytes
        for shift in stride(from: 56, through: 0, by: -8) {
            body.append(UInt8(truncatingIfNeeded: token.counter >> Int64(shift)))
        }
        return Base64URL.encode(body + Self.mac(body[...], under: keys[0]))
    }

    /// The token, or `nil` if this server did not make it.
    public func decode(_ text: Secret) -> RefreshToken? {
        let text = text.exposed()
        guard text.utf8.count == (Self.bodyBytes + Self.macBytes) / 3 * 4 + 2, let bytes = Base64URL.decode(text),
            bytes.count == Self.bodyBytes + Self.macBytes, bytes[0] == Self.version,
            let grantID = GrantID(bytes: Array(bytes[Self.grantBytes]))
        else { return nil }
        let body = bytes[..<Self.bodyBytes]
        let mac = Array(bytes[Self.bodyBytes...])
        guard keys.contains(where: { ConstantTime.equal(Self.mac(body, under: $0), mac) }) else { return nil }
        let counter = bytes[17..<25].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard counter >= 0 else { return nil }
        return RefreshToken(grantID: grantID, counter: counter)
    }

    private static func mac(_ body: ArraySlice<UInt8>, under secret: MACKey) -> [UInt8] {
        let grantKey = MACKey(secret.code(for: body[grantBytes]))
        return Array(grantKey.code(for: body).prefix(macBytes))
    }
}
