internal import KeyturnBase
internal import KeyturnWire

/// What every method does with the service and with the container's session.
struct MethodAccess: Sendable {
    private let service: Service
    private let known: MethodEndpoint?
    let keeper: SessionKeeper
    let ambient: Ambient
    private let name: String

    /// - Parameter name: What the caller wrote, such as `otp`.
    init(_ container: Keyturn, _ name: String) {
        service = container.service
        known = container.methods
        keeper = container.keeper
        ambient = container.ambient
        self.name = name
    }

    /// - Throws: `service.unsupported`, naming service and method.
    func endpoint() throws(AuthError) -> MethodEndpoint {
        guard let known else {
            throw AuthError(.unsupported, "the service \(service.kind.rawValue) does not offer \(name)")
        }
        guard service.projectID != nil else {
            throw AuthError(.unsupported, "the service \(service.kind.rawValue) needs a project for \(name)")
        }
        return known
    }

    /// Sends a message.
    ///
    /// - Parameters:
    ///   - path: Where to.
    ///   - message: The message.
    ///   - query: Goes into the address.
    ///   - options: With step-up or MFA a session is presented.
    ///   - given: Which one; `nil`: the container's.
    func send(
        _ path: String, _ message: some MethodMessage, query: FormParameters = FormParameters(),
        options: LoginOptions = .none, refreshJwt given: String? = nil
    ) async throws(AuthError) -> MethodReply {
        let endpoint = try endpoint()
        guard options.needsSession else { return try await endpoint.post(path, query: query, message.json) }
        return try await endpoint.post(path, query: query, message.json, presenting: try await credential(given))
    }

    /// Sends a message about the person who is signed in.
    ///
    /// - Parameter given: Whose session is presented; `nil`: the container's.
    func sendSignedIn(
        _ path: String, _ message: some MethodMessage, refreshJwt given: String? = nil
    ) async throws(AuthError) -> MethodReply {
        let endpoint = try endpoint()
        return try await endpoint.post(path, message.json, presenting: try await credential(given))
    }

    /// Fetches something about the person who is signed in.
    func fetchSignedIn(_ path: String, refreshJwt given: String? = nil) async throws(AuthError) -> MethodReply {
        let endpoint = try endpoint()
        return try await endpoint.get(path, presenting: try await credential(given))
    }

    /// Sends a proof, and makes the session that it is answered with the container's.
    ///
    /// - Parameters:
    ///   - path: Where to.
    ///   - message: The proof.
    ///   - options: With step-up or MFA a session is presented.
    ///   - given: Which one; `nil`: the container's.
    ///   - showsSession: The container's session, if there is one, may have asked for the proof.
    ///   - pending: The sign-in that the proof completes; `nil`: none.
    /// - Throws: `sign_in.interaction_required` if a second factor is missing, see
    ///   ``KeyturnBase/AuthError/missingStep``: the sign-in waits for it. `store.unavailable` before anything is sent if a session could not be stored: most proofs count once.
    func prove(
        _ path: String, _ message: some MethodMessage, options: LoginOptions = .none, refreshJwt given: String? = nil,
        showsSession: Bool = false, completing pending: PendingFactor? = nil
    ) async throws(AuthError) -> AuthenticationResponse {
        let endpoint = try endpoint()
        try await keeper.checkStore()
        let before = await keeper.timesGivenUp
        let reply = try await waiting { () async throws(AuthError) in
            try await sendProof(
                path, message, options: options, refreshJwt: given, showsSession: showsSession, completing: pending,
                at: endpoint)
        }
        return try await begin(reply, at: endpoint, since: before)
    }

    private func sendProof(
        _ path: String, _ message: some MethodMessage, options: LoginOptions, refreshJwt given: String?,
        showsSession: Bool, completing pending: PendingFactor?, at endpoint: MethodEndpoint
    ) async throws(AuthError) -> MethodReply {
        if let pending { return try await endpoint.post(path, message.json, presenting: .key(pending.reference)) }
        if showsSession, !options.needsSession, service.wire.takesSessionWithProof,
            let session = try? await credential(nil)
        {
            return try await endpoint.post(path, message.json, presenting: session)
        }
        return try await send(path, message, options: options, refreshJwt: given)
    }

    /// Keeps what a refused sign-in goes on with, and forgets what is over.
    private func waiting<Value: Sendable>(
        _ body: () async throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        do throws(AuthError) {
            return try await body()
        } catch {
            if let problem = error.cause as? MethodProblem, let reference = problem.pendingRef {
                await keeper.wait(for: reference, setsUp: problem.missing == .secondFactorSetup)
            } else if error.methodCode == MethodProblem.tokenRevoked.code {
                await keeper.wait(for: nil)
            }
            throw error
        }
    }

    /// Sends the beginning of something that a sign-in which waits for a second factor goes on with.
    func send(
        _ path: String, _ message: some MethodMessage, completing pending: PendingFactor
    ) async throws(AuthError) -> MethodReply {
        let endpoint = try endpoint()
        return try await waiting { () async throws(AuthError) in
            try await endpoint.post(path, message.json, presenting: .key(pending.reference))
        }
    }

    /// Makes the session of an answer the container's. An answer without tokens, where the service takes the session of
    /// an authorization, is about that session: it is renewed.
    ///
    /// - Parameters:
    ///   - user: Who it is, if the answer does not say.
    ///   - before: How often the session had been given up when the proof was sent.
    func begin(
        _ reply: MethodReply, at endpoint: MethodEndpoint, user: UserAnswer? = nil, since before: Int
    ) async throws(AuthError) -> AuthenticationResponse {
        let now = endpoint.clock.now()
        let answer = try reply.session(at: now)
        if endpoint.proofs != nil, answer.sessionJWT == nil, answer.refreshJWT == nil, let user = answer.user {
            let token = try await keeper.steppedUp(user.userID)
            return AuthenticationResponse(
                sessionToken: token, refreshToken: nil, user: UserDetails(user),
                isFirstAuthentication: answer.firstSeen, claims: MethodSession.claims(of: user))
        }
        let session = try MethodSession(answer)
        guard let user = session.user ?? user else {
            throw AuthError(.protocolViolation, "the answer says nothing about the user")
        }
        let claims = MethodSession.claims(of: user)
        try await keeper.establish(
            session.grant(at: now), claims: claims, projectID: endpoint.projectID, since: before)
        return AuthenticationResponse(
            sessionToken: session.token, refreshToken: session.refresh, user: UserDetails(user),
            isFirstAuthentication: session.isFirst, claims: claims)
    }

    private func credential(_ given: String?) async throws(AuthError) -> MethodEndpoint.Credential {
        if let given { return .refreshJWT(Secret(given)) }
        return try await keeper.presentableSession().credential
    }

    /// - Throws: `argument.invalid` if `text` is empty, or longer than any identifier.
    @discardableResult
    static func checked(_ text: String, _ name: String) throws(AuthError) -> String {
        guard !text.isEmpty, text.utf8.count <= Limits.methodTextMaxBytes else {
            throw AuthError(.invalidArgument, "\(name) is empty or too long")
        }
        return text
    }

    /// - Throws: `argument.invalid`.
    static func secret(_ text: String, _ name: String) throws(AuthError) -> Secret {
        Secret(try checked(text, name))
    }

    /// Where a code or a link went, most of it hidden.
    static func masked(_ reply: MethodReply) throws(AuthError) -> String {
        guard let address = try reply.message(MaskedAnswer.self).address else {
            throw AuthError(.protocolViolation, "the answer names no address")
        }
        return address
    }
}
