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
    private var verifier: (jwksURI: String, verifier: IDTokenVerifier)?

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
    /// - Throws: `transport.unavailable`; `protocol.violation` if the document is not the issuer's own or names an
    ///   endpoint without protection; `configuration.invalid` for an unusable issuer.
    func metadata() async throws(AuthError) -> ServerMetadata {
        if let known, ambient.now() < known.until { return known.metadata }
        // Unstructured on purpose: one caller's cancellation must not cancel everyone's discovery.
        let task = discovery ?? Task { await discover() }
        discovery = task
        return try await task.value.get()
    }

    /// Verifies ID tokens of this issuer for this client.
    func idTokenVerifier() async throws(AuthError) -> IDTokenVerifier {
        let metadata = try await metadata()
        guard let jwksURI = metadata.jwksURI else {
            throw AuthError(.protocolViolation, "the discovery document names no keys")
        }
        if let verifier, verifier.jwksURI == jwksURI { return verifier.verifier }
        let keys = KeySet(jwksURI: jwksURI, transport: transport)
        let made = IDTokenVerifier(issuer: metadata.issuer, clientID: service.clientID, keys: keys)
        verifier = (jwksURI, made)
        return made
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
            throw AuthError(.misconfigured, "the issuer must be an https URL without query or fragment")
        }
        let metadata = try await Discovery(transport: transport).metadata(
            of: service.issuer, orItsRealm: service.kind == .tim)
        let endpoints = [
            metadata.authorizationEndpoint, metadata.tokenEndpoint, metadata.userinfoEndpoint, metadata.jwksURI,
            metadata.revocationEndpoint, metadata.endSessionEndpoint, metadata.pushedAuthorizationRequestEndpoint,
            metadata.deviceAuthorizationEndpoint,
        ]
        for endpoint in endpoints.compactMap(\.self) {
            guard URLText.isAcceptableEndpoint(endpoint),
                !URLText.isPlain(endpoint) || URLText.isPlain(service.issuer)
            else { throw AuthError(.protocolViolation, "the discovery document names an endpoint without protection") }
        }
        return metadata
    }
}
