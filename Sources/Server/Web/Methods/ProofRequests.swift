internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import SignIn

/// Every route of codes, links, authenticators and passwords.
struct ProofRoutes: Sendable {
    let frame: MethodFrame
    let managementKeys: [Secret]

    var routes: [Route] {
        OneTimeCodeRoutes(frame: frame).routes + MagicLinkRoutes(frame: frame).routes
            + EnchantedLinkRoutes(frame: frame).routes + AuthenticatorRoutes(frame: frame).routes
            + PasswordRoutes(frame: frame).routes + PasskeyRoutes(frame: frame).routes
            + ProofManagementRoutes(frame: ManagementFrame(frame: frame, keys: managementKeys)).routes
    }
}

/// What the routes of all methods read and answer alike.
extension MethodFrame {
    /// A sign-in, with the session that a step-up goes on from.
    func signIn(_ request: MethodRequest, _ intent: ProofAsk.Intent, _ method: DeliveryMethod) async throws -> ProofAsk
    {
        let asked = try SignInRequest(request.body)
        return ProofAsk(
            intent, loginID: asked.loginID, method: method, options: asked.options, redirectURL: asked.redirectURL,
            presented: try await presented(request, for: asked.options), from: request.address)
    }

    /// The session presented, if the options ask for one. Whether it must be there, the rules decide.
    func presented(_ request: MethodRequest, for options: LoginOptions) async throws -> PresentedRefresh? {
        guard options.needsSession, let token = request.bearer.refreshJWT else { return nil }
        return try await services.sessions.presented(token)
    }

    /// The session presented beside a proof: nothing depends on it but whether whoever shows the proof asked for it.
    func shown(_ request: MethodRequest) async throws -> PresentedRefresh? {
        guard let token = request.bearer.refreshJWT else { return nil }
        do {
            return try await services.sessions.presented(token)
        } catch is MethodProblem {
            return nil
        }
    }

    /// The session that must be presented.
    func presented(_ request: MethodRequest) async throws -> PresentedRefresh {
        try await services.sessions.presented(request.refreshJWT())
    }

    /// The session that a proof opens.
    func open(_ proof: CompletedProof, _ request: MethodRequest) async throws -> JSONValue {
        try await services.sessions.open(
            proof.identity, options: proof.options, presented: proof.presented, from: request.address
        ).json
    }

    /// `/update/email`, `/update/phone/{m}`, and `/update/phone`, which one SDK uses for text messages.
    func updateRoutes(
        _ name: String, phones: [DeliveryMethod] = [.sms, .whatsapp, .voice],
        send: @escaping @Sendable (AddressUpdate) async throws -> JSONValue
    ) -> [Route] {
        var paths = [("email", DeliveryMethod.email), ("phone", .sms)]
        paths += phones.map { ("phone/\($0.rawValue)", $0) }
        return paths.map { path, method in
            route(.post, "/v1/auth/\(name)/update/\(path)", [.session]) { request in
                try await send(try await update(request, method))
            }
        }
    }

    private func update(_ request: MethodRequest, _ method: DeliveryMethod) async throws -> AddressUpdate {
        let asked = try UpdateAddressRequest(request.body)
        guard let address = method.isPhone ? asked.phone : asked.email else {
            throw MethodProblem.missing(method.isPhone ? "phone" : "email")
        }
        var options = LoginOptions(templateID: asked.templateID, locale: asked.locale)
        options.mfa = try request.body.flag("mfa") ?? false
        return AddressUpdate(
            try await presented(request), loginID: asked.loginID, address: address, method: method,
            addsToLoginIDs: asked.addToLoginIDs, mergesIntoExisting: asked.onMergeUseExisting, options: options,
            redirectURL: asked.redirectURL, from: request.address)
    }
}

extension MethodRequest {
    /// A sign-up by a message.
    func signUp(_ method: DeliveryMethod) throws(MethodProblem) -> ProofAsk {
        let asked = try SignUpRequest(body)
        return ProofAsk(
            .signUp(asked.details), loginID: asked.loginID, method: method, options: asked.options,
            redirectURL: asked.redirectURL, from: address)
    }
}
