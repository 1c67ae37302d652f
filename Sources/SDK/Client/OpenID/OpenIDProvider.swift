internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

/// The endpoints of one service, found by discovery and used with one client.
///
/// An actor for the sake of the discovery document, which is fetched once for all who ask and kept for a day.
actor OpenIDProvider {
    let service: Service
    let transport: any HTTPTransport
    let ambient: Ambient
    /// What time it is there.
    let clock: ServiceClock
    let proofs: DPoPProofMaker
    /// What the device says about itself with each request for tokens; `nil`: nothing.
    let deviceInfo: String?
    private var known: (metadata: ServerMetadata, until: UnixTime)?
    private var discovery: Task<Result<ServerMetadata, AuthError>, Never>?
    private var keySet: (jwksURI: String, keys: KeySet)?

    /// - Parameters:
    ///   - service: Whose endpoints.
    ///   - transport: Carries every request.
    ///   - keys: Where the keys lie that sessions are bound to; new ones are made in the first place.
    ///   - deviceInfo: What the device says about itself with each request for tokens; `nil`: nothing.
    ///   - ambient: Clock and randomness.
    init(
        _ service: Service, transport: any HTTPTransport, keys: [DPoPProofMaker.Place],
        deviceInfo: JSONValue? = nil, ambient: Ambient
    ) {
        self.service = service
        self.transport = transport
        self.ambient = ambient
        self.deviceInfo = deviceInfo.map { Base64URL.encode($0.serialized) }
        clock = ServiceClock(ambient)
        proofs = DPoPProofMaker(places: keys, clock: clock, ambient: ambient)
    }

    /// What the service says about itself (OpenID Connect Discovery §4).
    ///
    /// An endpoint without protection is left out; the log is told of it.
    ///
    /// - Throws: `transport.unavailable`; `protocol.violation` if the document is not the issuer's own;
    ///   `configuration.invalid` for an unusable issuer.
    func metadata() async throws(AuthError) -> ServerMetadata {
        if let known, ambient.now() < known.until { return known.metadata }
        // Unstructured on purpose: one caller's cancellation must not cancel everyone's discovery.
        let task = discovery ?? Task { await discover() }
        discovery = task
        return try await task.value.get()
    }

    /// The app's log; `nil`: there is none.
    nonisolated var logger: KeyturnLogger? { transport.requestLogger }

    /// Verifies ID tokens of this issuer for this client.
    func idTokenVerifier() async throws(AuthError) -> ClockedVerifier {
        try await idTokenVerifier(for: service.clientID)
    }

    /// Verifies ID tokens of this issuer for another client.
    func idTokenVerifier(for clientID: String) async throws(AuthError) -> ClockedVerifier {
        let keys = try await keys()
        let verifier =
            if let tenants = service.tenants {
                IDTokenVerifier(
                    template: try await issuerTemplate(), tenants: tenants.identifiers, clientID: clientID, keys: keys)
            } else {
                IDTokenVerifier(
                    issuer: try await metadata().issuer, clientID: clientID, keys: keys, asksForKeysAtOnce: true)
            }
        return ClockedVerifier(verifier: verifier, clock: clock, ambient: ambient)
    }

    /// The issuer's keys, for all that it signs.
    ///
    /// - Throws: `protocol.violation` if it publishes none.
    func keys() async throws(AuthError) -> KeySet {
        let jwksURI = try await metadata().endpoint(.jwksURI)
        if let keySet, keySet.jwksURI == jwksURI { return keySet.keys }
        let keys = KeySet(jwksURI: jwksURI, transport: transport)
        keySet = (jwksURI, keys)
        return keys
    }

    private func discover() async -> Result<ServerMetadata, AuthError> {
        defer { discovery = nil }
        do throws(AuthError) {
            let metadata = try await fetchMetadata()
            known = (metadata, ambient.now() + Limits.metadataSeconds)
            return .success(metadata)
        } catch {
            return .failure(error)
        }
    }

    private func fetchMetadata() async throws(AuthError) -> ServerMetadata {
        guard service.kind != .descope else {
            throw AuthError(.unsupported, "the service descope signs nobody in with this client's pages")
        }
        if let endpoints = service.wire.endpoints { return try endpoints.metadata() }
        guard URLText.isAcceptableEndpoint(service.issuer), !service.issuer.contains("?") else {
            throw AuthError(
                .misconfigured,
                "the issuer \(Exchange.clean(service.issuer, max: 256) ?? "") must be an https URL in ASCII without "
                    + "query, fragment or user: write the name of a host in its xn-- form")
        }
        let metadata = try await askForMetadata()
        for (member, flaw) in metadata.flaws.sorted(by: { $0.key < $1.key }) {
            logger?.log(.info, "discovery: \(member) is not used, because it is \(flaw)")
        }
        return metadata
    }

    private func askForMetadata() async throws(AuthError) -> ServerMetadata {
        let discovery = Discovery(transport: transport)
        guard service.tenants != nil || service.discoveryURL != nil else {
            return try await discovery.metadata(of: service.issuer, orItsRealm: service.kind == .tim)
        }
        try service.checkDiscovery()
        return try await discovery.metadata(
            of: service.issuer, at: service.discoveryURL, isOfTenants: service.tenants != nil)
    }
}
