internal import Crypto
public import KeyturnBase
internal import KeyturnWire

extension Keyturn {
    /// An address that opens a page of a web application at Authgear with the user of this session signed in.
    ///
    /// The address is good once and for five minutes, for any browser that has it: open it at once, and keep it out of
    /// logs. The session's device secret is replaced, and the new one is stored when this returns.
    ///
    /// - Parameters:
    ///   - uri: The page, of an origin that the project allows for this.
    ///   - webClientID: The web application's client.
    ///   - state: Comes back with the page's address; `nil`: nothing does.
    /// - Throws: `service.unsupported` unless the service was made with `isPreAuthenticatedURLEnabled`;
    ///   `session.signed_out`; `pre_authenticated_url.no_id_token`, `pre_authenticated_url.no_device_secret` or
    ///   `pre_authenticated_url.insufficient_scope` if the session began without what is needed: the way there is another
    ///   sign-in; `server.refused`; `transport.unavailable`; `store.unavailable`.
    public func preAuthenticatedURL(
        opening uri: String, as webClientID: String, state: String? = nil
    ) async throws(AuthError) -> String {
        guard service.opensPagesSignedIn else {
            throw AuthError(
                .unsupported, "the service was not made with openingPagesSignedIn or isPreAuthenticatedURLEnabled")
        }
        let (record, idToken, secret) = try await deviceSecret()
        let grant: PreAuthenticatedGrant
        do throws(AuthError) {
            grant = try await provider.exchange(
                deviceSecret: secret, of: idToken, webClientID: webClientID, boundTo: record.keyThumbprint)
        } catch {
            guard error.server?.code == OAuthProblem.Code.insufficientScope.rawValue else { throw error }
            throw AuthError(
                .preAuthenticatedURLScope, "the session may not open pages signed in", cause: error,
                server: error.server)
        }
        try await keeper.replace(deviceSecret: grant.deviceSecret, in: record)
        guard let endpoint = try await provider.metadata().authorizationEndpoint else {
            throw AuthError(.protocolViolation, "the discovery document names no authorization endpoint")
        }
        var request = AuthorizationRequest(clientID: webClientID)
        request.redirectURI = uri
        request.responseType = AuthgearNames.preAuthenticatedResponseType
        request.responseMode = AuthgearNames.cookieResponseMode
        request.prompt = Prompt.none.rawValue
        request.idTokenHint = grant.idToken
        request.state = state
        request.extra.append(AuthgearNames.preAuthenticatedURLToken, grant.urlToken)
        return URLText.adding(request.parameters, to: endpoint)
    }

    /// The session with an ID token that is recent and belongs to its device secret.
    private func deviceSecret() async throws(AuthError) -> (SessionRecord, IDToken, String) {
        for isLast in [false, true] {
            _ = try await keeper.start()
            guard let record = await keeper.machine.record else {
                throw AuthError(.signedOut, "nobody is signed in")
            }
            guard let idToken = record.idToken else {
                throw AuthError(.preAuthenticatedURLIDToken, "the session has no ID token")
            }
            guard let secret = record.deviceSecret else {
                throw AuthError(.preAuthenticatedURLSecret, "the session has no device secret")
            }
            let age = provider.clock.now().seconds(since: idToken.issuedAt)
            // A Keyturn server takes an ID token that has expired: it only names the sign-in.
            let isRecent = service.wire.authgear == nil || (0..<Limits.hintSeconds).contains(age)
            if idToken.claims["ds_hash"]?.stringValue == hash(secret), isRecent {
                return (record, idToken, secret)
            }
            guard !isLast else { break }
            try await refreshIDToken()
        }
        throw AuthError(.preAuthenticatedURLSecret, "the device secret is not that of the session any more")
    }

    /// `ds_hash`: in base64url (Native SSO §3.3), and hexadecimal at Authgear.
    private func hash(_ secret: String) -> String {
        let digest = Array(SHA256.hash(data: Array(secret.utf8)))
        guard service.wire.authgear != nil else { return Base64URL.encode(digest) }
        return digest.map { byte in
            let digits = Array("0123456789abcdef")
            return String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
        }.joined()
    }
}

extension SessionKeeper {
    /// Stores the secret that takes the place of the session's.
    ///
    /// - Throws: `session.signed_out` if that session is over; `store.unavailable`.
    func replace(deviceSecret: String, in before: SessionRecord) async throws(AuthError) {
        let replacement = RecordReplacement(telling: nil) { record, _ in
            guard record.generation.signIn == before.generation.signIn else {
                return .failure(AuthError(.signedOut, "the session is over"))
            }
            var next = record
            next.generation = record.generation.next
            next.deviceSecret = deviceSecret
            return .success(next)
        }
        _ = try await run(replacement).get()
    }
}

extension AuthError.Code {
    /// The session has no ID token, which opening a page signed in takes.
    public static let preAuthenticatedURLIDToken = Self(rawValue: "pre_authenticated_url.no_id_token")
    /// The session has no device secret, or one that is of no use any more.
    public static let preAuthenticatedURLSecret = Self(rawValue: "pre_authenticated_url.no_device_secret")
    /// The session may not open pages signed in.
    public static let preAuthenticatedURLScope = Self(rawValue: "pre_authenticated_url.insufficient_scope")
}
