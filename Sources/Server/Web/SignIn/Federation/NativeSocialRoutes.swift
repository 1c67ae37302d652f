internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// `/v1/auth/oauth/native/…`: sign-ins with a provider's own sheet or library, without a browser.
struct NativeSocialRoutes: Sendable {
    let frame: DescopeMiddleware
    let gate: FederationGate

    private var services: IdentityServices { frame.services }
    private var federation: MethodFederation {
        MethodFederation(services.federation, core: services.methods.codes.core)
    }

    var routes: [Route] {
        [
            frame.route(.post, "/v1/auth/oauth/native/start", run: start),
            frame.route(.post, "/v1/auth/oauth/native/finish", run: finish),
        ]
    }

    private func connection(_ provider: String) throws(MethodProblem) -> (Connection, OpenIDConnectionSettings) {
        guard let connection = gate.connection(provider), connection.tenantID == nil,
            case .openID(let settings) = connection.settings
        else { throw .providerRefused.saying("There is no such provider") }
        return (connection, settings)
    }

    @Sendable private func start(_ request: MethodRequest) async throws -> JSONValue {
        let asked = try NativeSocialStartRequest(request.body)
        let (connection, settings) = try connection(asked.provider)
        guard try await gate.mayDepart(from: request.address) else {
            throw MethodProblem.rateLimited(retryAfterSeconds: Int(Limits.federationSeconds))
        }
        let presented = try await frame.checks.session(request.bearer, for: asked.options)
        let (stateID, nonce) = try await federation.startNative(asked.options, presented: presented, at: connection)
        return NativeSocialStartAnswer(
            clientID: settings.nativeClientIDs.first ?? settings.clientID, stateID: stateID, nonce: nonce,
            isImplicit: true
        ).json
    }

    @Sendable private func finish(_ request: MethodRequest) async throws -> JSONValue {
        let asked = try NativeSocialFinishRequest(request.body)
        let (connection, _) = try connection(asked.provider)
        guard let idToken = asked.idToken else {
            throw MethodProblem.invalidRequest.saying("This server takes the ID token: the start says implicit")
        }
        guard let speaker = gate.protocols.of(connection) else { throw MethodProblem.providerRefused }
        let native = try await federation.native(asked.stateID, at: connection)
        let profile: FederatedProfile
        do throws(ConnectionProblem) {
            profile = native.dated(
                try await speaker.verify(
                    NativeIDToken(idToken: idToken, nonce: native.nonce, names: Self.names(asked.name)),
                    at: connection))
        } catch {
            // The app may try again when the provider's keys can be read.
            if error.kind != .unavailable { try await federation.spend(native) }
            audit(error.code, connection, request)
            throw MethodProblem.providerRefused.saying("The provider's ID token was not accepted")
        }
        try await federation.spend(native)
        switch try await services.federation.complete(profile, at: connection, from: request.address) {
        case .refused: throw MethodProblem.providerRefused.saying("The user cannot sign in with this provider")
        case .ask:
            throw MethodProblem.providerRefused.saying(
                "The user must sign in another way first, and link the provider in the settings")
        case .user(let account, let isNew):
            // The provider's word has accepted an invitation, or may not.
            guard account.user.status == .active else {
                throw MethodProblem.providerRefused.saying("The user cannot sign in with this provider")
            }
            let shown = try await frame.checks.sessionIfGood(request.bearer)
            let proof = try await federation.finish(
                native, account, at: connection, shown: shown, isFirst: isNew, by: profile)
            return try await frame.open(proof, request, shown: shown)
        }
    }

    private func audit(_ reason: String, _ connection: Connection, _ request: MethodRequest) {
        services.auditLog.recordOnce(
            AuditEvent(
                .identityRefused, at: services.ambient.now(), address: request.address?.text, reason: reason,
                target: connection.id))
    }

    private static func names(_ name: NativeSocialName?) -> [String: String] {
        var names: [String: String] = [:]
        names["given_name"] = name?.firstName
        names["middle_name"] = name?.middleName
        names["family_name"] = name?.lastName
        return names
    }
}
