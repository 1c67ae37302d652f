package import KeyturnBase
public import KeyturnWire
public import Model

/// The device authorization endpoint's rules (RFC 8628): a device asks here, a user decides on a page.
public struct DeviceAuthorizations: Sendable {
    let stores: Stores
    let clients: ClientDirectory
    let audit: any AuditLog
    let ambient: Ambient
    let project: Project
    let reuse: SessionReuse
    let digests: UserCodeDigests
    private let proofs: DPoPChecker

    package init(
        project: Project, stores: Stores, clients: ClientDirectory, secrets: ServerSecrets, proofs: DPoPChecker,
        reuse: SessionReuse, audit: any AuditLog, ambient: Ambient
    ) {
        self.project = project
        self.stores = stores
        self.clients = clients
        self.audit = audit
        self.ambient = ambient
        self.proofs = proofs
        self.reuse = reuse
        digests = UserCodeDigests(secrets)
    }

    /// The result of a device's first request.
    public enum Start: Sendable {
        case started(DeviceAuthorizationResponse)
        /// The device's network has asked too often.
        case tooMany(retryAfterSeconds: Int64)
    }

    /// Answers a device whose client has authenticated (RFC 8628 §3.1).
    ///
    /// - Parameters:
    ///   - page: the address where users type codes.
    ///   - proof: the request's DPoP proof, if any; the device code is bound to its key.
    ///   - address: where the device asks from.
    /// - Throws: ``OAuthProblem`` for a refusal.
    public func start(
        _ form: FormParameters, client asking: AuthenticatedClient, page: String, proof: CheckedDPoPProof?,
        from address: NetworkAddress?
    ) async throws -> Start {
        let client = asking.client
        if form.firstRepeated(except: ["resource"]) != nil {
            throw OAuthProblem(.invalidRequest, "a parameter is sent twice")
        }
        guard client.allows(.deviceCode), client.profile != .fapi2 else {
            throw OAuthProblem(.unauthorizedClient, "the client is not registered for device codes")
        }
        guard proof != nil || client.metadata.dpopBoundAccessTokens != true else {
            throw OAuthProblem(.invalidDPoPProof, "the client is registered to send a DPoP proof, and sent none")
        }
        guard form.single("authorization_details") == nil else {
            throw OAuthProblem(.invalidAuthorizationDetails, "a device asks for scopes, and for nothing in detail")
        }
        let scope = try scope(form.single("scope"), client: client)
        let resources = try project.checkedResources(form.values("resource"))
        let needsSeveral = Self.needsSeveralFactors(form.single("acr_values"), client)
        try await proofs.admit(proof)
        let now = ambient.now()
        // A client that authenticates has an operator who vouches for it; any program can claim to be one of the
        // others.
        if client.isPublic, let refilledAt = try await stores.rateLimits.spend([Self.charge(for: address)], at: now) {
            return .tooMany(retryAfterSeconds: max(1, refilledAt.seconds(since: now)))
        }
        let code = Secret(ambient.randomToken(byteCount: 32))
        let authorization = DeviceAuthorization(
            id: SecretDigest(of: code), clientID: client.id, scope: scope, resources: resources,
            needsSeveralFactors: needsSeveral, keyThumbprint: proof?.keyThumbprint, network: address?.network,
            createdAt: now, expiresAt: now + Limits.deviceCodeSeconds)
        let userCode = try await add(authorization)
        return .started(
            DeviceAuthorizationResponse(
                deviceCode: code.exposed(), userCode: userCode.text, verificationURI: page,
                verificationURIComplete: "\(page)?user_code=\(userCode.text)",
                expiresInSeconds: Limits.deviceCodeSeconds, intervalSeconds: Limits.deviceIntervalSeconds))
    }

    /// Stores it under a user code that no other device has.
    private func add(_ authorization: DeviceAuthorization) async throws -> UserCode {
        for _ in 0..<Limits.userCodeTriesToMake {
            let code = UserCode.make(ambient)
            if try await stores.devices.add(authorization, userCode: digests.candidates(code)[0]) { return code }
        }
        throw OAuthProblem(.temporarilyUnavailable, "no code is free: try again")
    }

    private static func charge(for address: NetworkAddress?) -> RateLimitCharge {
        RateLimitCharge(
            "device:\(address?.network ?? "unknown")", max: Limits.deviceCodesPerNetworkMax,
            windowSeconds: Limits.sendWindowSeconds)
    }

    /// The requested scope that the client may have, as at the authorization endpoint.
    private func scope(_ asked: String?, client: Client) throws(OAuthProblem) -> Scope {
        let allowed = client.permittedScope
        guard let asked else {
            return Scope(names: allowed.names.filter { $0 != Scope.openID && $0 != Scope.offlineAccess })
        }
        return try Scope(asked: asked).granted(from: allowed)
    }

    /// The first known class counts, as at the authorization endpoint.
    static func needsSeveralFactors(_ asked: String?, _ client: Client) -> Bool {
        let wanted = [asked?.split(separator: " ").map(String.init), client.metadata.defaultACRValues]
            .compactMap { $0?.first(where: AuthenticationFacts.classes.contains) }
        return wanted.first == AuthenticationFacts.severalFactorsClass
    }
}
