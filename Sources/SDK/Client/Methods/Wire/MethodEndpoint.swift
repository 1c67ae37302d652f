internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

/// A project of a service that speaks the methods' wire: one request at a time, and what its answer means.
struct MethodEndpoint: Sendable {
    /// What a request presents beside the project.
    enum Credential: Sendable {
        case none
        case refreshJWT(Secret)
        /// The refresh token that an authorization brought, with a proof of the key that it is bound to (RFC 9449).
        case appSession(refreshToken: Secret, keyThumbprint: String)
        /// An access key or a management key.
        case key(Secret)
    }

    let baseURL: String
    let projectID: String
    let transport: any HTTPTransport
    /// What time it is there.
    let clock: ServiceClock
    /// Whether the request introduces itself in the vendor's way.
    let introducesItself: Bool
    /// Makes the proofs of ``Credential/appSession(refreshToken:keyThumbprint:)``; `nil`: the service takes none.
    let proofs: DPoPProofMaker?

    init(
        baseURL: String, projectID: String, transport: any HTTPTransport, clock: ServiceClock, introducesItself: Bool,
        proofs: DPoPProofMaker? = nil
    ) {
        self.proofs = proofs
        self.baseURL = String(baseURL.reversed().drop { $0 == "/" }.reversed())
        self.projectID = projectID
        self.transport = transport
        self.clock = clock
        self.introducesItself = introducesItself
    }

    /// `nil` if the service does not speak this wire at all. One without a project renews what another run began.
    init?(_ service: Service, transport: any HTTPTransport, clock: ServiceClock, proofs: DPoPProofMaker) {
        guard service.kind == .descope || service.kind == .keyturn else { return nil }
        self.init(
            baseURL: service.issuer, projectID: service.projectID ?? "", transport: transport, clock: clock,
            introducesItself: service.kind == .descope, proofs: service.wire.takesAppSessions ? proofs : nil)
    }

    /// The same service with another project.
    func of(project: String) -> MethodEndpoint {
        MethodEndpoint(
            baseURL: baseURL, projectID: project, transport: transport, clock: clock,
            introducesItself: introducesItself, proofs: proofs)
    }

    /// Sends a request; a body of an empty object unless another is given.
    ///
    /// - Throws: `configuration.invalid`; `transport.unavailable`; `server.refused` with the server's own code;
    ///   `protocol.violation`.
    func post(
        _ path: String, query: FormParameters = FormParameters(), _ body: JSONValue = [:],
        presenting credential: Credential = .none, timeoutSeconds: Int = Limits.requestSeconds
    ) async throws(AuthError) -> MethodReply {
        try await send(
            "POST", path, query: query, body: body, presenting: credential, timeoutSeconds: timeoutSeconds)
    }

    /// Fetches something.
    func get(
        _ path: String, query: FormParameters = FormParameters(), presenting credential: Credential = .none
    ) async throws(AuthError) -> MethodReply {
        try await send("GET", path, query: query, body: nil, presenting: credential)
    }

    /// Sends any request.
    func send(
        _ method: String, _ path: String, query: FormParameters = FormParameters(), body: JSONValue?,
        presenting credential: Credential, timeoutSeconds: Int = Limits.requestSeconds
    ) async throws(AuthError) -> MethodReply {
        guard URLText.isAcceptableEndpoint(baseURL), !baseURL.contains("?") else {
            throw AuthError(.misconfigured, "the service must be an https URL without query or fragment")
        }
        guard Self.isProjectID(projectID) else {
            throw AuthError(.misconfigured, "a project identifier is letters, digits, hyphens and underscores")
        }
        let request = HTTPRequest(
            method: method, url: URLText.adding(query, to: baseURL + path),
            headers: try headers(credential, hasBody: body != nil), body: body?.serialized,
            timeoutSeconds: timeoutSeconds)
        guard case .appSession(_, let thumbprint) = credential else {
            let response = try await transport.send(request)
            clock.note(response)
            return try MethodReply(response)
        }
        return try await send(request, to: baseURL + path, provingKey: thumbprint)
    }

    /// Sends a request with a proof of a key; again, with another proof, as ``DPoPProofMaker/Retries`` says.
    private func send(
        _ request: HTTPRequest, to url: String, provingKey thumbprint: String
    ) async throws(AuthError) -> MethodReply {
        guard let proofs else { throw AuthError(.unsupported, "the methods of this service take no session of an app") }
        let key = try await proofs.key(thumbprint)
        var retries = DPoPProofMaker.Retries()
        for _ in 0..<DPoPProofMaker.Retries.requestsMax {
            var proven = request
            let proof = try await proofs.proof(key, method: request.method, url: url)
            proven.headers.append((TokenType.dpop, proof))
            let response = try await transport.send(proven)
            clock.note(response)
            let isNewNonce = proofs.note(response, from: url)
            do throws(AuthError) {
                return try MethodReply(response)
            } catch {
                guard retries.allow(error, isNewNonce: isNewNonce) else { throw error }
            }
        }
        throw AuthError(.protocolViolation, "the server never took a proof")
    }

    private func headers(
        _ credential: Credential, hasBody: Bool
    ) throws(AuthError) -> [(name: String, value: String)] {
        let bearer: ProjectBearer
        switch credential {
        case .none: bearer = ProjectBearer(projectID: projectID)
        case .refreshJWT(let token): bearer = ProjectBearer(projectID: projectID, refreshJWT: try Self.visible(token))
        case .appSession(let token, _): bearer = ProjectBearer(projectID: projectID, key: try Self.visible(token))
        case .key(let key): bearer = ProjectBearer(projectID: projectID, key: try Self.visible(key))
        }
        var headers = [("Authorization", bearer.header), ("Accept", "application/json")]
        if hasBody { headers.append(("Content-Type", "application/json")) }
        if introducesItself {
            headers += [
                ("x-descope-sdk-name", "keyturn"), ("x-descope-sdk-version", Self.version),
                ("x-descope-project-id", projectID),
            ]
        }
        return headers
    }

    /// The version of this wire's client, for the service's statistics.
    private static let version = "1.0.0"

    /// Into a header goes visible ASCII alone, and a colon would be another part.
    private static func visible(_ secret: Secret) throws(AuthError) -> Secret {
        let bytes = secret.exposed().utf8
        guard !bytes.isEmpty, bytes.count <= Limits.tokenMaxBytes,
            bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") })
        else { throw AuthError(.invalidArgument, "a token or key has characters that no header can hold") }
        return secret
    }

    static func isProjectID(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
