internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

/// The token endpoint of a service, and the place where tokens are revoked, as one application uses them.
struct ServiceTokenEndpoint: Sendable {
    let configuration: ServiceConfiguration
    let application: ServiceApplication?
    let transport: any HTTPTransport
    let clock: ServiceClock
    let ambient: Ambient
    let pause: RetryPause

    /// Asks for tokens. Made again as ``RetryPolicy`` says; a statement that the service finds out of time is made once
    /// more by the service's own clock.
    ///
    /// - Returns: The token answer.
    /// - Throws: `server.refused`, `transport.unavailable`, `protocol.violation`, `configuration.invalid`.
    func ask(_ grant: ServiceGrant) async throws(AuthError) -> JSONValue {
        var count = RetryCount()
        var corrections = 0
        while true {
            let dated = clock.now()
            let form = try form(for: grant, at: dated)
            let outcome = await post(form, to: configuration.tokenURL)
            guard case .failure(let error) = outcome else { return try outcome.get() }
            if isOutOfTime(error, grant, dated), corrections < Limits.assertionCorrections {
                corrections += 1
                continue
            }
            let isRepeatable = grant.isRepeatable(at: configuration)
            guard let wait = pauseAfter(error, isRepeatable: isRepeatable, &count) else { throw error }
            guard (try? await pause(wait)) != nil else { throw .taskCancelled }
        }
    }

    /// Ends a token (RFC 7009). Box's form: no hint.
    ///
    /// - Throws: as ``ask(_:)``.
    func revoke(_ token: String) async throws(AuthError) {
        var count = RetryCount()
        while true {
            var form = FormParameters()
            try authenticate(&form, at: clock.now())
            form.append("token", token)
            let outcome = await post(form, to: configuration.revokeURL)
            guard case .failure(let error) = outcome else { return }
            // A service that cannot revoke this kind of token has nothing more to say (RFC 7009 §2.2.1).
            if error.server?.code == OAuthProblem.Code.unsupportedTokenType.rawValue { return }
            guard let wait = pauseAfter(error, isRepeatable: true, &count) else { throw error }
            guard (try? await pause(wait)) != nil else { throw .taskCancelled }
        }
    }

    /// In Box's order: the grant, who asks, and what it is about.
    private func form(for grant: ServiceGrant, at now: UnixTime) throws(AuthError) -> FormParameters {
        let request = try grant.request(
            by: application?.clientID, at: configuration, now: now, ambient: ambient)
        var form = FormParameters()
        let parameters = request.parameters.all
        for parameter in parameters.prefix(1) { form.append(parameter.name, parameter.value) }
        if grant.isAuthenticated { try authenticate(&form, at: now) }
        for parameter in parameters.dropFirst() { form.append(parameter.name, parameter.value) }
        return form
    }

    private func authenticate(_ form: inout FormParameters, at now: UnixTime) throws(AuthError) {
        guard let application else {
            throw AuthError(.misconfigured, "this needs an application: pass its identifier and secret")
        }
        form.append("client_id", application.clientID)
        switch application.authentication {
        case .none: break
        case .secret(let secret): form.append("client_secret", secret.exposed())
        case .privateKeyJWT(let key):
            guard let issuer = configuration.issuer else {
                throw AuthError(.unsupported, "the service takes no private_key_jwt: name its issuer, or use a secret")
            }
            let proof = try ServiceAssertion.authentication(
                of: application.clientID, with: key, audience: issuer, at: now, ambient: ambient)
            for parameter in proof { form.append(parameter.name, parameter.value) }
        }
    }

    private func post(_ form: FormParameters, to url: String) async -> Result<JSONValue, AuthError> {
        do throws(AuthError) {
            guard URLText.isAcceptableEndpoint(url) else {
                throw AuthError(.misconfigured, "the service's address must be an https URL")
            }
            let response = try await Exchange.send(
                form, to: url, headers: [], timeoutSeconds: configuration.timeoutSeconds, over: transport)
            clock.note(response)
            return .success(try Exchange.answer(response))
        } catch {
            return .failure(error)
        }
    }

    /// Whether a statement was refused because of its time, or of its name, which was used by another client.
    private func isOutOfTime(_ error: AuthError, _ grant: ServiceGrant, _ dated: UnixTime) -> Bool {
        if application?.authentication.isOutOfTime(error, dated: dated, by: clock) == true { return true }
        guard grant.isAssertion, error.code == .refused,
            error.server?.code == OAuthProblem.Code.invalidGrant.rawValue
        else { return false }
        return ServiceAssertion.isOutOfTime(error, dated: dated, by: clock)
    }

    private func pauseAfter(_ error: AuthError, isRepeatable: Bool, _ count: inout RetryCount) -> Duration? {
        guard error.code == .unavailable else { return nil }
        let status = error.server?.status
        // These say that the server did nothing.
        guard isRepeatable || [408, 425, 429].contains(status) else { return nil }
        return count.pause(
            configuration.retry, isUnanswered: status == nil, retryAfterSeconds: error.server?.retryAfterSeconds,
            ambient: ambient)
    }
}
