package import KeyturnBase
public import KeyturnWire
public import Model
package import Telemetry

/// The token endpoint (RFC 6749 §3.2): what holds for every grant type. ``TokenGrants`` lists them.
public final class TokenEndpoint: Sendable {
    let stores: Stores
    let issuer: TokenIssuer
    let clients: ClientDirectory
    let inspector: TokenInspector
    let subjects: SubjectSelection
    let signatures: ClientSignatures
    let hints: IDTokenHintReader
    let proofs: DPoPChecker
    let challenges: ChallengeCodec
    let reports: RefreshReports
    let notices: SecurityNotices
    let risks: any KeySignInRisks
    let singleSignOn: SingleSignOn
    let reuse: SessionReuse
    let seal: TransactionSeal
    let permissions: CurrentPermissions
    let claims: ClaimRelease
    /// What grants allow that were refreshed or redeemed lately.
    let access: GrantedAccessMemory
    let secondFactor: SecondFactorGate
    let metrics: ServiceMetrics
    let audit: any AuditLog
    let ambient: Ambient

    package init(
        stores: Stores, issuer: TokenIssuer, clients: ClientDirectory, directory: AccessDirectory,
        inspector: TokenInspector, hints: IDTokenHintReader, proofs: DPoPChecker, challenges: ChallengeCodec,
        reports: RefreshReports, notices: SecurityNotices, risks: any KeySignInRisks, singleSignOn: SingleSignOn,
        reuse: SessionReuse, secondFactor: SecondFactorGate, seal: TransactionSeal, metrics: ServiceMetrics,
        audit: any AuditLog, ambient: Ambient
    ) {
        self.stores = stores
        self.issuer = issuer
        self.clients = clients
        self.inspector = inspector
        subjects = SubjectSelection(stores: stores, directory: directory)
        signatures = ClientSignatures(clients: clients)
        self.hints = hints
        self.proofs = proofs
        self.challenges = challenges
        self.reports = reports
        self.notices = notices
        self.risks = risks
        self.singleSignOn = singleSignOn
        self.reuse = reuse
        self.seal = seal
        permissions = CurrentPermissions(project: issuer.project, clients: clients)
        claims = ClaimRelease(stores: stores)
        access = GrantedAccessMemory()
        self.secondFactor = secondFactor
        self.metrics = metrics
        self.audit = audit
        self.ambient = ambient
    }

    /// The same endpoint at the address of a realm: its tokens name the realm as their issuer.
    public func below(realm: String) -> TokenEndpoint {
        var issuer = issuer
        issuer.realm = realm
        return TokenEndpoint(self, issuer: issuer)
    }

    private init(_ other: TokenEndpoint, issuer: TokenIssuer) {
        stores = other.stores
        self.issuer = issuer
        clients = other.clients
        inspector = other.inspector
        subjects = other.subjects
        signatures = other.signatures
        hints = other.hints
        proofs = other.proofs
        challenges = other.challenges
        reports = other.reports
        notices = other.notices
        risks = other.risks
        singleSignOn = other.singleSignOn
        reuse = other.reuse
        seal = other.seal
        permissions = other.permissions
        claims = other.claims
        access = other.access
        secondFactor = other.secondFactor
        metrics = other.metrics
        audit = other.audit
        ambient = other.ambient
    }

    /// Answers a request of an authenticated client.
    ///
    /// - Parameters:
    ///   - client: `nil` if none was named: then a token may be exchanged for less of itself, and nothing else.
    ///   - proof: the request's DPoP proof, if any.
    ///   - address: where the request comes from, for the audit log.
    ///   - kind: the kind of client that asks; `nil` if unknown.
    /// - Throws: ``OAuthProblem`` for a refusal; `temporarily_unavailable` when the store did not answer.
    public func answer(
        _ form: FormParameters, client: Client?, proof: CheckedDPoPProof? = nil, from address: NetworkAddress? = nil,
        kind: String? = nil
    ) async throws(OAuthProblem) -> TokenResponse {
        let grant: any TokenGrant.Type
        do throws(OAuthProblem) {
            grant = try self.grant(form)
        } catch {
            metrics.tokenRequests.increment("none", error.code.rawValue)
            throw error
        }
        do throws(OAuthProblem) {
            let response = try await answer(form, grant, client: client, proof: proof, from: address, kind: kind)
            metrics.tokenRequests.increment(grant.type.rawValue, "issued")
            return response
        } catch {
            metrics.tokenRequests.increment(grant.type.rawValue, error.code.rawValue)
            throw error
        }
    }

    private func answer(
        _ form: FormParameters, _ grant: any TokenGrant.Type, client: Client?, proof: CheckedDPoPProof?,
        from address: NetworkAddress?, kind: String?
    ) async throws(OAuthProblem) -> TokenResponse {
        do {
            let binding: TokenBinding?
            if let client {
                guard client.allows(grant.type) || !grant.admission.isRegistered else {
                    throw OAuthProblem(.unauthorizedClient, "the client is not registered for this grant type")
                }
                guard !client.isPublic || !grant.admission.needsAuthentication else {
                    throw OAuthProblem(
                        .unauthorizedClient, "only a client that authenticates may use this grant type")
                }
                binding = try TokenBinding(form, client: client, proof: proof)
            } else {
                guard grant.admission.worksWithoutClient else {
                    throw OAuthProblem(.invalidClient, "no client is named")
                }
                binding = nil
            }
            let request = TokenGrantRequest(
                form: form.keeping(grant.parameters), presentedClient: client, presentedBinding: binding, proof: proof,
                address: address, clientKind: kind)
            return try await grant.answer(request, at: self)
        } catch let problem as OAuthProblem {
            throw problem
        } catch {
            throw OAuthProblem(.temporarilyUnavailable, "the server cannot reach its database: try again")
        }
    }

    /// Checks every form (RFC 6749 §3.2): no parameter is there twice.
    func checkForm(_ form: FormParameters) throws(OAuthProblem) {
        if let name = form.firstRepeated(except: TokenGrants.repeatable) {
            throw OAuthProblem(.invalidRequest, "\(Self.quoted(name)) is sent twice")
        }
        guard !form.holdsZeroByte else {
            throw OAuthProblem(.invalidRequest, "a parameter holds a zero byte")
        }
    }

    private func grant(_ form: FormParameters) throws(OAuthProblem) -> any TokenGrant.Type {
        try checkForm(form)
        guard let name = form.single("grant_type") else {
            throw OAuthProblem(.invalidRequest, "grant_type is missing")
        }
        guard let grant = TokenGrants.named(name) else {
            throw OAuthProblem(.unsupportedGrantType, "this server does not know that grant type")
        }
        return grant
    }

    /// The tokens of a live grant, with the claims about the user that its client hears in ID tokens.
    func tokens(
        for grant: Grant, client: Client, scope: Scope, resources: [String], binding: TokenBinding, nonce: String?,
        at now: UnixTime
    ) async throws(OAuthProblem) -> TokenResponse {
        let grant = try await attempt { () async throws(StoreError) in try await inCountedTenant(grant) }
        let userClaims = try await attempt { () async throws(StoreError) in
            try await claims.idToken(of: grant, to: client, scope: scope)
        }
        let key = binding.accessTokenKey(wantsBearer: grant.wantsBearer)
        let accessToken = try issuer.accessToken(
            grant, scope: scope, resources: resources, keyThumbprint: key, at: now)
        var response = TokenResponse(
            accessToken: accessToken, tokenType: key == nil ? TokenType.bearer : TokenType.dpop,
            expiresInSeconds: issuer.project.accessTokenSeconds, scope: scope.isEmpty ? nil : scope.text)
        response.authorizationDetails = grant.authorizationDetails?.json
        if isRefreshed(client, scope: grant.scope) {
            response.refreshToken = try issuer.refreshToken(grant, for: client, at: now)
            response.refreshTokenConfirmation = grant.keyThumbprint.map { KeyConfirmation(keyThumbprint: $0) }
        }
        if scope.contains(Scope.openID) {
            response.idToken = try issuer.idToken(
                grant, client: client, accessToken: accessToken, nonce: nonce, userClaims: userClaims, at: now)
            response.deviceSecret = issuer.deviceSecret(grant, of: client)?.exposed()
        }
        return response
    }

    /// The grant without a tenant of which the user is no member any more, or which wants another sign-in by now.
    private func inCountedTenant(_ grant: Grant) async throws(StoreError) -> Grant {
        guard let tenant = grant.tenantID,
            try await !singleSignOn.counts(tenant, for: grant.userID, grant.authentication)
        else { return grant }
        var grant = grant
        grant.tenantID = nil
        return grant
    }

    /// Whether a sign-in of this scope gives the client a refresh token.
    private func isRefreshed(_ client: Client, scope: Scope) -> Bool {
        client.allows(.refreshToken) && (!client.refreshesOfflineOnly || scope.contains(Scope.offlineAccess))
    }

    /// How long a new session of a client may go unused, in seconds.
    func idleSeconds(_ client: Client, scope: Scope) -> Int64 {
        isRefreshed(client, scope: scope) ? issuer.project.idleSeconds : issuer.project.accessTokenSeconds
    }

    /// A parameter's name, safe to quote in a response.
    private static func quoted(_ name: String) -> String {
        name.utf8.count <= 40 && name.utf8.allSatisfy { ($0 >= 0x61 && $0 <= 0x7A) || $0 == 0x5F }
            ? name : "a parameter"
    }
}
