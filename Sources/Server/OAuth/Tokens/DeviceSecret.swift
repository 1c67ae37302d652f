internal import Crypto
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Writes and reads device secrets, which apps of one vendor on one device share (OpenID Connect Native SSO §3.2).
///
/// `version ‖ grant id ‖ MAC`, in base64url. As with refresh tokens, the database holds nothing that could be
/// presented, garbage costs no query, and the secret of a grant can always be derived again. It is valid as long as its
/// grant lives.
struct DeviceSecretCodec: Sendable {
    private let keys: [ServerSecrets.Key]
    private static let version: UInt8 = 1
    private static let macBytes = 24
    private static let bodyBytes = 1 + 16

    init(_ secrets: ServerSecrets) {
        keys = secrets.keys(for: .deviceSecret)
    }

    /// The wire form: 55 characters.
    func encode(_ grant: GrantID) -> Secret {
        let body = [Self.version] + grant.bytes
        return Secret(Base64URL.encode(body + Self.mac(body, keys[0])))
    }

    /// The grant, or `nil` if this server did not make the secret.
    func decode(_ secret: Secret) -> GrantID? {
        let text = secret.exposed()
        guard text.utf8.count <= 128, let bytes = Base64URL.decode(text),
            bytes.count == Self.bodyBytes + Self.macBytes, bytes[0] == Self.version
        else { return nil }
        let body = Array(bytes[..<Self.bodyBytes])
        let mac = Array(bytes[Self.bodyBytes...])
        guard keys.contains(where: { ConstantTime.equal(Self.mac(body, $0), mac) }) else { return nil }
        return GrantID(bytes: Array(body[1...]))
    }

    /// The ID token's hash of the secret that came with it (`ds_hash`, Native SSO §3.3). Apps of Authgear's profile get it
    /// in hexadecimal.
    static func hash(_ secret: Secret, for client: Client) -> String {
        let digest = Array(SHA256.hash(data: Array(secret.exposed().utf8)))
        guard client.profile == .authgear else { return Base64URL.encode(digest) }
        return Base16.encode(digest)
    }

    private static func mac(_ body: [UInt8], _ key: ServerSecrets.Key) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: body, using: key.key).prefix(macBytes))
    }
}

extension TokenIssuer {
    /// The device secret of a grant; `nil` if its client did not ask for one, or is a third party's: the user was not
    /// asked about its use.
    func deviceSecret(_ grant: Grant, of client: Client) -> Secret? {
        guard client.isFirstParty, grant.sessionID != nil, !grant.authentication.isOfApproval,
            grant.scope.contains(Scope.deviceSSO),
            grant.scope.contains(Scope.openID), client.permittedScope.contains(Scope.deviceSSO)
        else { return nil }
        return deviceSecrets.encode(grant.id)
    }
}
