internal import KeyturnBase
public import KeyturnWire

extension Service {
    /// Trifork Identity Manager, or a server that speaks its wire: a sign-in with the browser, and ``Keyturn/vault`` for
    /// the time after it.
    ///
    /// With ``SessionStorage/automatic`` a session that is not in the vault lives in memory alone, as it does in Trifork's
    /// own library; the vault's records last.
    ///
    /// - Parameters:
    ///   - baseURL: The server, such as `https://id.example.com`.
    ///   - realm: The realm; issuer and key service are both `{baseURL}/auth/realms/{realm}`.
    ///   - clientID: A public client of the realm.
    ///   - scope: What a sign-in asks for. Must contain `openid`.
    ///   - additionalParameters: Sent with every authorization request, and with the first renewal after an unlock; those
    ///     of an app switch, for instance.
    public static func tim(
        baseURL: String, realm: String, clientID: String, scope: Scope = timScope,
        additionalParameters: [String: String] = [:]
    ) -> Service {
        var base = baseURL
        while base.hasSuffix("/") { base.removeLast() }
        let address = base + KeyServicePaths.realms + realm
        return tim(
            issuer: address, keyServiceURL: address, clientID: clientID, scope: scope,
            additionalParameters: additionalParameters)
    }

    /// Trifork Identity Manager, with the two addresses one by one.
    ///
    /// - Parameters:
    ///   - issuer: The issuer, exactly as its discovery document spells it.
    ///   - keyServiceURL: Below it, `/keyservice/v1/…` is asked for.
    ///   - clientID: A public client.
    ///   - scope: What a sign-in asks for. Must contain `openid`.
    ///   - additionalParameters: As in ``tim(baseURL:realm:clientID:scope:additionalParameters:)``.
    public static func tim(
        issuer: String, keyServiceURL: String, clientID: String, scope: Scope = timScope,
        additionalParameters: [String: String] = [:]
    ) -> Service {
        Service(
            kind: .tim, issuer: issuer, clientID: clientID, projectID: nil, clientAuthentication: .none,
            defaultScope: scope,
            binding: .none, keyServiceURL: keyServiceURL,
            wire: Wire(
                alwaysSendsIssuer: false,
                authorizationParameters: additionalParameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
                repeatsParametersWhenUnlocked: true))
    }

    /// What a sign-in asks for unless something else is said: `openid profile`.
    public static let timScope = Scope(names: [Scope.openID, "profile"])
}
