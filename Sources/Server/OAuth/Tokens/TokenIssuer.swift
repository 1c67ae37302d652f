internal import Crypto
public import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire
public import Model

/// Writes tokens: the only place where claims are signed.
public struct TokenIssuer: Sendable {
    let project: Project
    private let keys: KeyRing
    private let refreshTokens: RefreshTokenCodec
    let deviceSecrets: DeviceSecretCodec
    let ambient: Ambient
    let identifiers: TokenIdentifiers
    let accessTokenAlgorithm: SignatureAlgorithm
    /// The realm whose address the request came to; `nil`: none.
    var realm: String?

    public init(project: Project, keys: KeyRing, secrets: ServerSecrets, ambient: Ambient) {
        self.project = project
        self.keys = keys
        refreshTokens = RefreshTokenCodec(secrets)
        deviceSecrets = DeviceSecretCodec(secrets)
        self.ambient = ambient
        identifiers = TokenIdentifiers(ambient)
        accessTokenAlgorithm = SignatureAlgorithm(rawValue: project.signingAlgorithms[0]) ?? .es256
    }

    /// The access token of a grant (RFC 9068 §2.2).
    ///
    /// - Parameter keyThumbprint: the key that the presenter must prove (RFC 9449 §6.1); `nil`: none.
    func accessToken(
        _ grant: Grant, scope: Scope, resources: [String], keyThumbprint: String?, at now: UnixTime
    ) throws(OAuthProblem) -> String {
        let payload = JSONWriter.object { json in
            json.member("iss", project.issuer(ofRealm: realm))
            json.member("sub", grant.userID.rawValue)
            writeAudience(resources, withServer: scope.contains(Scope.openID), into: &json)
            json.member("exp", (now + project.accessTokenSeconds).rawValue)
            json.member("iat", now.rawValue)
            json.member("jti", identifiers.next())
            json.member("client_id", grant.clientID)
            json.member("scope", scope.text)
            json.member("auth_time", grant.authentication.time.rawValue)
            json.member("acr", grant.authentication.contextClass)
            json.member("amr", grant.authentication.inReferences.methods)
            json.member("sid", grant.tokenSessionID.rawValue)
            json.member("gid", grant.id.text)
            json.member("dct", grant.tenantID)
            if let details = grant.authorizationDetails { json.member("authorization_details", .array(details.json)) }
            Self.writeConfirmation(keyThumbprint, into: &json)
        }
        return try sign(payload, accessTokenAlgorithm, at: now) { $0.accessToken }
    }

    /// The ID token of a grant (OpenID Connect Core §2, §3.1.3.6).
    ///
    /// - Parameters:
    ///   - accessToken: its hash becomes `at_hash`.
    ///   - nonce: only in the first ID token (Core §12.2 says that later ones should not have it).
    ///   - userClaims: claims about the user that were requested by name.
    func idToken(
        _ grant: Grant, client: Client, accessToken: String, nonce: String?, userClaims: [String: JSONValue],
        at now: UnixTime
    ) throws(OAuthProblem) -> String {
        guard let algorithm = SignatureAlgorithm(rawValue: client.idTokenAlgorithm) else {
            throw OAuthProblem(.serverError, "the client's ID token algorithm is not available")
        }
        let payload = JSONWriter.object { json in
            json.member("iss", project.issuer(ofRealm: realm))
            json.member("sub", grant.userID.rawValue)
            json.member("aud", client.id)
            json.member("exp", (now + Limits.idTokenSeconds).rawValue)
            json.member("iat", now.rawValue)
            json.member("auth_time", grant.authentication.time.rawValue)
            json.member("nonce", nonce)
            json.member("acr", grant.authentication.contextClass)
            json.member("amr", grant.authentication.inReferences.methods)
            json.member("sid", grant.tokenSessionID.rawValue)
            json.member("dct", grant.tenantID)
            json.member("at_hash", Self.halfHash(accessToken, algorithm))
            if let may = grant.canReauthenticate, grant.tellsCanReauthenticate(client) {
                json.member(named: UserClaims.canReauthenticate, .bool(may))
            }
            if let isAnonymous = grant.isAnonymous, isAnonymous || grant.tellsCanReauthenticate(client) {
                json.member(named: AuthgearNames.isAnonymous, .bool(isAnonymous))
            }
            json.member("ds_hash", deviceSecret(grant, of: client).map { DeviceSecretCodec.hash($0, for: client) })
            for (name, value) in userClaims.sorted(by: { $0.key < $1.key }) { json.member(named: name, value) }
        }
        return try sign(payload, algorithm, at: now) { $0.idToken }
    }

    /// A logout token for one client (Back-Channel Logout §2.4).
    func logoutToken(client: Client, userID: UserID, sessionID: SessionID, at now: UnixTime)
        throws(OAuthProblem) -> String
    {
        guard let algorithm = SignatureAlgorithm(rawValue: client.idTokenAlgorithm) else {
            throw OAuthProblem(.serverError, "the client's ID token algorithm is not available")
        }
        let payload = JSONWriter.object { json in
            json.member("iss", project.issuer)
            json.member("sub", userID.rawValue)
            json.member("aud", client.id)
            json.member("iat", now.rawValue)
            json.member("exp", (now + Limits.logoutTokenSeconds).rawValue)
            json.member("jti", identifiers.next())
            json.member("sid", sessionID.rawValue)
            json.member("events", [LogoutEvent.backchannel: [:]])
        }
        return try sign(payload, algorithm, at: now) { $0.logoutToken }
    }

    /// Waits for the keys for a client's tokens: before a code or a refresh token is spent, not after.
    ///
    /// - Throws: `temporarily_unavailable` if there are none in time.
    func requireKey(of client: Client) async throws(OAuthProblem) {
        var algorithms = [accessTokenAlgorithm]
        if let own = SignatureAlgorithm(rawValue: client.idTokenAlgorithm), own != accessTokenAlgorithm {
            algorithms.append(own)
        }
        let now = ambient.now()
        guard algorithms.contains(where: { keys.signer($0, at: now) == nil }) else { return }
        await keys.waitUntilReady(algorithms, at: now)
        guard algorithms.allSatisfy({ keys.signer($0, at: ambient.now()) != nil }) else {
            throw OAuthProblem(.temporarilyUnavailable, "the signing key is not ready yet: try again in a moment")
        }
    }

    /// The current refresh token of a grant.
    func refreshToken(_ grant: Grant) -> String {
        refreshTokens.encode(RefreshToken(grantID: grant.id, counter: grant.counter))
    }

    /// The refresh token of a text, if this server made it: see ``refreshToken(presented:at:)`` for presented ones.
    func refreshToken(bare text: Secret) -> RefreshToken? {
        refreshTokens.decode(text)
    }

    /// One of this server's public keys, for a presented token.
    func verificationKey(_ keyID: String, at now: UnixTime) -> VerificationKey? {
        keys.verificationKey(keyID, at: now)
    }

    /// A client's own subject. Users' subjects never begin like this.
    static func subject(ofClient clientID: String) -> String {
        UserID.clientPrefix + clientID
    }

    static func writeConfirmation(_ keyThumbprint: String?, into json: inout JSONWriter) {
        guard let keyThumbprint else { return }
        json.member("cnf", .object(["jkt": .string(keyThumbprint)]))
    }

    func writeAudience(_ resources: [String], withServer: Bool, into json: inout JSONWriter) {
        let withServer = withServer && !resources.contains(project.issuer)
        if resources.isEmpty {
            json.member("aud", project.issuer)
        } else if resources.count == 1, !withServer {
            json.member("aud", resources[0])
        } else {
            json.member("aud", resources + (withServer ? [project.issuer] : []))
        }
    }

    func sign(
        _ payload: [UInt8], _ algorithm: SignatureAlgorithm, at now: UnixTime, with kind: (KeyRing.Signer) -> JWSSigner
    ) throws(OAuthProblem) -> String {
        guard let signer = keys.signer(algorithm, at: now) else {
            throw OAuthProblem(.temporarilyUnavailable, "the signing key is not ready yet: try again in a moment")
        }
        do {
            let token = try kind(signer).sign(payload)
            // A token that this server would not read back is not issued.
            guard token.utf8.count <= Limits.tokenBytesMax else {
                throw OAuthProblem(.invalidRequest, "the token would be too long: ask for less at once")
            }
            return token
        } catch let problem as OAuthProblem {
            throw problem
        } catch {
            throw OAuthProblem(.serverError, "the token could not be signed")
        }
    }

    /// The left half of the hash that belongs to the algorithm (Core §3.1.3.6).
    private static func halfHash(_ text: String, _ algorithm: SignatureAlgorithm) -> String {
        let bytes = Array(text.utf8)
        let hash: [UInt8] =
            switch algorithm {
            case .es256, .rs256, .ps256: Array(SHA256.hash(data: bytes))
            case .es384, .rs384, .ps384: Array(SHA384.hash(data: bytes))
            case .es512, .rs512, .ps512, .edDSA: Array(SHA512.hash(data: bytes))
            }
        return Base64URL.encode(hash.prefix(hash.count / 2))
    }
}
