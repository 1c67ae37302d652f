internal import KeyturnBase
public import Model
public import SignIn

/// Logout notices of providers (OpenID Connect Back-Channel Logout 1.0 §2.6).
extension OpenIDProtocol {
    private static let event = "http://schemas.openid.net/event/backchannel-logout"
    private static let idBytesMax = 255

    /// The address that is registered at the provider.
    public static func logoutURI(of connection: String, below issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/federation/\(connection)/logout"
    }

    /// Where the provider may begin a sign-in (`initiate_login_uri`).
    public static func initiationURI(of connection: String, below issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/federation/\(connection)/initiate"
    }

    public func logout(_ token: String, at connection: Connection) async throws(ConnectionProblem) -> ProviderLogout {
        do throws(ConnectionFault) {
            return try await notice(token, connection)
        } catch {
            throw ConnectionProblem(error)
        }
    }

    private func notice(_ token: String, _ connection: Connection) async throws(ConnectionFault) -> ProviderLogout {
        let (settings, preset) = try Self.parts(connection)
        let (metadata, keys) = try await directory.provider(connection, settings, preset)
        guard let keys else { throw ConnectionFault(.misconfigured, "logout") }
        let check = IDTokenCheck(
            settings: settings, preset: preset, metadata: metadata, keys: keys, nonce: nil,
            audiences: [settings.clientID])
        let now = ambient.now()
        let claims = try await check.verified(token, types: [nil, "JWT", "logout+jwt"], at: now).claims
        try check.checkTimes(claims, at: now)
        // An ID token is none: it has no event, and often a nonce.
        guard claims["events"]?[Self.event]?.objectValue != nil else { throw ConnectionFault(.refused, "events") }
        guard claims["nonce"] == nil else { throw ConnectionFault(.refused, "nonce") }
        guard let issuer = claims["iss"]?.stringValue, let id = claims["jti"]?.stringValue,
            (1...Self.idBytesMax).contains(id.utf8.count), let expiry = IDTokenCheck.time(claims["exp"])
        else { throw ConnectionFault(.refused, "jti") }
        let subject = claims["sub"]?.stringValue
        let session = claims["sid"]?.stringValue
        guard subject != nil || session != nil, subject.map(IDTokenCheck.isSubject) ?? true,
            session.map({ !$0.isEmpty }) ?? true
        else { throw ConnectionFault(.refused, "sub") }
        return ProviderLogout(issuer: issuer, subject: subject, session: session, id: id, expiresAt: expiry)
    }
}
