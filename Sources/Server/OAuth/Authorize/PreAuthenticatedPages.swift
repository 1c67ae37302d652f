internal import KeyturnBase
public import KeyturnWire
public import Model

/// Pages of web applications that an app opens signed in (Authgear's pre-authenticated URLs).
///
/// A cookie for another site cannot be set here. So the page opens as it is, and this browser gets a pass for five
/// minutes: the web application's own request with `prompt=none` is answered with a code, whose state, nonce and verifier
/// are the application's. What comes of it ends with the app's session.
extension AuthorizationEndpoint {
    /// What comes of opening a page.
    public enum PageOpening: Sendable {
        /// The request cannot be trusted: a page of this server says so.
        case refused(AuthorizationRefusal)
        /// The page opens without a user.
        case unknown(location: String)
        /// The page opens, and the browser gets the pass.
        case open(user: UserID, pass: String, location: String)
    }

    /// Whether a request opens such a page: its response type is a set of two words.
    public static func opensPage(_ form: FormParameters) -> Bool {
        let words = { (text: String) in Set(text.split(separator: " ")) }
        return form.values("response_type").first.map(words) == words(AuthgearNames.preAuthenticatedResponseType)
    }

    /// Redeems the token of a request, once.
    public func openPage(_ form: FormParameters, _ seal: TransactionSeal) async throws(StoreError) -> PageOpening {
        let request: AuthorizationRequest
        do {
            request = try AuthorizationRequest(form)
        } catch {
            return .refused(.malformed("a parameter is sent twice, or there are too many"))
        }
        guard let client = clients.client(request.clientID), client.opensPagesSignedIn else {
            return .refused(.unknownClient)
        }
        guard let page = request.redirectURI, page.utf8.count <= Limits.redirectBytesMax,
            RedirectURI.flaw(in: page) == nil, let origin = URIParts.origin(of: page),
            (client.metadata.preAuthenticatedURIs ?? []).contains(where: { URIParts.origin(of: $0) == origin })
        else { return .refused(.redirectMismatch) }
        guard request.prompt == Prompt.none.rawValue, request.responseMode == AuthgearNames.cookieResponseMode else {
            return .refused(.malformed("a page is opened with prompt=none and response_mode=cookie"))
        }
        var answer = FormParameters()
        answer.append("state", request.state.flatMap { $0.utf8.count <= Limits.stateBytesMax ? $0 : nil })
        let location = Self.adding(answer, to: page)
        let now = ambient.now()
        guard let text = request.extra.values(AuthgearNames.preAuthenticatedURLToken).first,
            let token = seal.open(text, as: PreAuthenticatedToken.self, kind: PreAuthenticatedToken.kind),
            token.clientID == client.id, now < token.expiresAt, let id = GrantID(text: token.grantID),
            let hint = request.idTokenHint.flatMap(hints.read), hint.clientID == client.id,
            let parent = try await stores.grants.live(id, at: now)?.grant, parent.userID.rawValue == hint.subject
        else { return .unknown(location: location) }
        let mark = ReplayMark(
            of: Array(token.id.utf8) + [0] + Array(PreAuthenticatedToken.kind.utf8),
            expiresAt: token.expiresAt + Limits.spentMarginSeconds)
        guard try await stores.spent.spend(mark) else { return .unknown(location: location) }
        let pass = PagePass(
            clientID: client.id, grantID: token.grantID, expiresAt: now + Limits.preAuthenticatedCookieSeconds)
        return .open(user: parent.userID, pass: seal.close(pass, kind: PagePass.kind), location: location)
    }

    /// The answer to a web application's own request, in a browser with a pass.
    ///
    /// - Returns: `nil` if the pass is another application's or too old, or if the request wants what the app's sign-in
    ///   does not have: then the request goes on as if there were no pass.
    public func answer(
        _ transaction: AuthorizationTransaction, by pass: String, _ seal: TransactionSeal
    ) async throws(StoreError) -> AuthorizationAnswer? {
        let now = ambient.now()
        guard let pass = seal.open(pass, as: PagePass.self, kind: PagePass.kind), now < pass.expiresAt,
            pass.clientID == transaction.clientID, let client = clients.client(pass.clientID),
            client.opensPagesSignedIn, !client.isUnproven(at: transaction.redirectURI),
            let id = GrantID(text: pass.grantID),
            transaction.ownPath == nil, transaction.settings == nil, transaction.realm == nil,
            transaction.journey == nil, !transaction.requestedScope.contains(Scope.management),
            transaction.authorizationDetails == nil, transaction.redirectURIWasSent,
            transaction.prompts.allSatisfy({ $0 == Prompt.none.rawValue }),
            let parent = try await stores.grants.live(id, at: now)?.grant,
            try await satisfies(parent, transaction)
        else { return nil }
        let scope = Scope(
            names: transaction.requestedScope.names.filter {
                ![Scope.deviceSSO, AuthgearNames.preAuthenticatedURL].contains($0)
                    && ($0 != Scope.offlineAccess || parent.isOffline)
            })
        try await useUp(transaction)
        let code = DerivedCode(
            from: id, to: client,
            DerivedCode.Answer(
                redirectURI: transaction.redirectURI, codeChallenge: transaction.codeChallenge,
                keyThumbprint: transaction.keyThumbprint, nonce: transaction.nonce, resources: transaction.resources),
            scope: scope, reason: "pre_authenticated_url", ambient)
        return transaction.answer(.code(code.sealed(by: seal)), issuer: project.issuer)
    }

    /// Whether the app's sign-in is what a request wants: of the organisation too, if it asks for one's connection.
    private func satisfies(_ parent: Grant, _ transaction: AuthorizationTransaction)
        async throws(StoreError) -> Bool
    {
        guard transaction.requiredSubject == nil || transaction.requiredSubject == parent.userID.rawValue,
            transaction.accepts(parent.authentication),
            !transaction.needsSeveralFactors
                || parent.authentication.methods.contains(AuthenticationMethod.severalFactors)
        else { return false }
        if let maxAge = transaction.maxAge, parent.authentication.time + maxAge < transaction.startedAt { return false }
        guard let asked = transaction.askedConnection else { return true }
        return try await singleSignOn.answers(parent.userID, parent.authentication, connection: asked)
    }

    private static func adding(_ parameters: FormParameters, to page: String) -> String {
        guard !parameters.isEmpty else { return page }
        return page + (page.contains("?") ? "&" : "?") + parameters.encoded
    }
}

/// What a browser may ask for, sealed in a cookie.
private struct PagePass: Codable {
    static let kind = "page-pass"
    let clientID: String
    let grantID: String
    let expiresAt: UnixTime
}

/// What a token says that opens a page, sealed: there is no row for it.
struct PreAuthenticatedToken: Codable, Sendable {
    static let kind = "pre-authenticated-url"
    let clientID: String
    let grantID: String
    let expiresAt: UnixTime
    /// Makes each token different.
    let id: String
}

extension Client {
    /// Whether apps may open its pages signed in: a public web application of the operator's own, with listed origins.
    var opensPagesSignedIn: Bool {
        isFirstParty && isPublic && profile != .fapi2 && !(metadata.preAuthenticatedURIs ?? []).isEmpty
    }
}
