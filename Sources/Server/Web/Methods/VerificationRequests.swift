internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// What the routes of all methods read and answer in the same way.
extension DescopeMiddleware {
    /// A sign-in, with the session that a step-up continues.
    func signIn(_ request: MethodRequest, _ intent: VerificationRequest.Intent, _ method: DeliveryMethod) async throws
        -> VerificationRequest
    {
        let asked = try SignInRequest(request.body)
        return VerificationRequest(
            intent, loginID: asked.loginID, method: method, options: asked.options, redirectURL: asked.redirectURL,
            presented: try await checks.session(request.bearer, for: asked.options), from: request.address)
    }

    /// The session that a code or link opens, raises or keeps.
    ///
    /// - Parameter shown: the session that the request presented. An app's session is raised for the app alone: another
    ///   person may have been lured into following the link, and gets no session that would show it.
    func open(
        _ proof: CompletedVerification, _ request: MethodRequest, shown: PresentedRefresh?
    ) async throws -> JSONValue {
        if let kept = services.sessions.answer(keeping: shown, after: proof) { return kept.json }
        guard services.sessions.mayRaise(proof.presented, shown: shown) else {
            throw MethodProblem.invalidRequest.saying("Present the session that asked for it")
        }
        return try await open(proof, request, replacing: services.sessions.changed(shown, by: proof))
    }

    /// The session that a verification opens, or raises.
    ///
    /// - Parameter changed: the session in which the account was changed.
    func open(
        _ proof: CompletedVerification, _ request: MethodRequest, replacing changed: PresentedRefresh? = nil
    ) async throws -> JSONValue {
        try await services.sessions.open(
            proof.identity, options: proof.options, presented: proof.presented, replacing: changed,
            isElsewhere: proof.isElsewhere, isLetIn: proof.isLetIn, from: request.address, device: request.device
        ).json
    }

    /// The session of a sign-in that this second factor completes.
    func complete(
        _ pending: PendingSignIn, by proof: CompletedVerification, _ request: MethodRequest
    ) async throws -> JSONValue {
        try await services.sessions.complete(
            pending, by: proof.identity, from: request.address, device: request.device
        ).json
    }

    /// `/signup/{m}`, `/signin/{m}` and `/signup-in/{m}`: each sends a message to a user who wants in.
    func messageRoutes(
        _ name: String, by methods: [DeliveryMethod] = DeliveryMethod.allCases,
        send: @escaping @Sendable (VerificationRequest) async throws -> JSONValue
    ) -> [Route] {
        methods.flatMap { method in
            [
                route(.post, "/v1/auth/\(name)/signup/\(method.rawValue)") { request in
                    try await send(request.signUp(method))
                },
                route(.post, "/v1/auth/\(name)/signin/\(method.rawValue)") { request in
                    try await send(signIn(request, .signIn, method))
                },
                route(.post, "/v1/auth/\(name)/signup-in/\(method.rawValue)") { request in
                    try await send(signIn(request, .signUpOrIn, method))
                },
            ]
        }
    }

    /// `/update/email`, `/update/phone/{m}`, and `/update/phone`, which one SDK uses for text messages.
    func updateRoutes(
        _ name: String, phones: [DeliveryMethod] = [.sms, .whatsapp, .voice],
        send: @escaping @Sendable (AddressUpdate) async throws -> JSONValue
    ) -> [Route] {
        var paths = [("email", DeliveryMethod.email), ("phone", .sms)]
        paths += phones.map { ("phone/\($0.rawValue)", $0) }
        return paths.map { path, method in
            sessionRoute(.post, "/v1/auth/\(name)/update/\(path)", reading: { try AskedUpdate($0.body, by: method) }) {
                asked, session, request in
                try await send(asked.update(by: session, from: request.address))
            }
        }
    }
}

/// An address that a session's user wants to add to the account.
private struct AskedUpdate: Sendable {
    let asked: UpdateAddressRequest
    let address: String
    let method: DeliveryMethod
    let options: LoginOptions

    init(_ body: MethodBody, by method: DeliveryMethod) throws(MethodProblem) {
        asked = try UpdateAddressRequest(body)
        guard let address = method.isPhone ? asked.phone : asked.email else {
            throw MethodProblem.missing(method.isPhone ? "phone" : "email")
        }
        self.address = address
        self.method = method
        var options = LoginOptions(templateID: asked.templateID, locale: asked.locale)
        options.mfa = try body.flag("mfa") ?? false
        self.options = options
    }

    func update(by session: LiveSession, from network: NetworkAddress?) -> AddressUpdate {
        AddressUpdate(
            session.presented, loginID: asked.loginID, address: address, method: method,
            addsToLoginIDs: asked.addToLoginIDs, mergesIntoExisting: asked.onMergeUseExisting, options: options,
            redirectURL: asked.redirectURL, from: network)
    }
}

extension MethodRequest {
    /// A sign-up by a message.
    func signUp(_ method: DeliveryMethod) throws(MethodProblem) -> VerificationRequest {
        let asked = try SignUpRequest(body)
        return VerificationRequest(
            .signUp(asked.details), loginID: asked.loginID, method: method, options: asked.options,
            redirectURL: asked.redirectURL, from: address)
    }
}
