internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

/// A project of a service that speaks the methods' wire: one request at a time, and what its answer means.
struct MethodEndpoint: Sendable {
    /// What a request presents beside the project.
    enum Credential: Sendable {
        case none
        case refreshJWT(Secret)
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

    init(
        baseURL: String, projectID: String, transport: any HTTPTransport, clock: ServiceClock, introducesItself: Bool
    ) {
        self.baseURL = String(baseURL.reversed().drop { $0 == "/" }.reversed())
        self.projectID = projectID
        self.transport = transport
        self.clock = clock
        self.introducesItself = introducesItself
    }

    /// `nil` if the service does not speak this wire at all. One without a project renews what another run began.
    init?(_ service: Service, transport: any HTTPTransport, clock: ServiceClock) {
        guard service.kind == .descope || service.kind == .keyturn else { return nil }
        self.init(
            baseURL: service.issuer, projectID: service.projectID ?? "", transport: transport, clock: clock,
            introducesItself: service.kind == .descope)
    }

    /// The same service with another project.
    func of(project: String) -> MethodEndpoint {
        MethodEndpoint(
            baseURL: baseURL, projectID: project, transport: transport, clock: clock,
            introducesItself: introducesItself)
    }

    /// Sends a request; a body of an empty object unless another is given.
    ///
    /// - Throws: `configuration.invalid`; `transport.unavailable`; `server.refused` with the server's own code;
    ///   `protocol.violation`.
    func post(
        _ path: String, _ body: JSONValue = [:], presenting credential: Credential = .none,
        timeoutSeconds: Int = Limits.requestSeconds
    ) async throws(AuthError) -> MethodReply {
        try await send("POST", path, body: body, presenting: credential, timeoutSeconds: timeoutSeconds)
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
        let response = try await transport.send(request)
        clock.note(response)
        return try MethodReply(response)
    }

    private func headers(
        _ credential: Credential, hasBody: Bool
    ) throws(AuthError) -> [(name: String, value: String)] {
        let bearer: ProjectBearer
        switch credential {
        case .none: bearer = ProjectBearer(projectID: projectID)
        case .refreshJWT(let token): bearer = ProjectBearer(projectID: projectID, refreshJWT: try Self.visible(token))
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
