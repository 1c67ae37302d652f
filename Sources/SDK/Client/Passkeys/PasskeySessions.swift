internal import KeyturnBase
internal import KeyturnWebAuthn
public import KeyturnWire

extension PasskeyMethods {
    /// Makes an account and its passkey, and signs in. When this returns the container has the session.
    ///
    /// - Parameters:
    ///   - loginId: The user's identifier from now on.
    ///   - details: What else is known about the person.
    ///   - authenticators: Who may answer.
    /// - Throws: `service.unsupported` without a project; `argument.invalid`; `store.unavailable` before the user is
    ///   asked; `server.refused` with the server's code; `transport.unavailable`; `protocol.violation`;
    ///   `sign_in.cancelled`; the codes that begin with `passkey.`.
    @discardableResult
    public func signUp(
        loginId: String, details: SignUpDetails? = nil, authenticators: Set<PasskeyAuthenticatorKind> = .all
    ) async throws(AuthError) -> AuthenticationResponse {
        let request = PasskeyStartRequest(
            loginID: try MethodAccess.checked(loginId, "loginId"), details: details ?? SignUpDetails(),
            origin: methodOrigin)
        return try await signIn("signup", request, authenticators)
    }

    /// Signs in with a passkey. A sign-in by another method that waits for a second factor is completed.
    ///
    /// - Parameters:
    ///   - loginId: Whose; `nil`: the user whom the authenticator finds.
    ///   - options: With `.stepup` and `.mfa` the container's session goes on.
    ///   - authenticators: Who may answer.
    /// - Throws: as ``signUp(loginId:details:authenticators:)``; `session.signed_out` for `.stepup` and `.mfa` without
    ///   a session.
    @discardableResult
    public func signIn(
        loginId: String? = nil, options: [SignInOption] = [], authenticators: Set<PasskeyAuthenticatorKind> = .all
    ) async throws(AuthError) -> AuthenticationResponse {
        if let loginId { try MethodAccess.checked(loginId, "loginId") }
        let request = PasskeyStartRequest(
            loginID: loginId ?? "", origin: methodOrigin, options: LoginOptions(options))
        return try await signIn("signin", request, authenticators, refreshJwt: options.refreshJwt)
    }

    /// Signs in with a passkey that is on this device, and shows nothing where there is none: for the first screen of
    /// an app. Its failure is not shown; a person who closes the sheet and a device without a passkey look the same.
    ///
    /// - Throws: as ``signIn(loginId:options:authenticators:)``; `passkey.unavailable` where it cannot be done.
    @discardableResult
    public func signInImmediately(options: [SignInOption] = []) async throws(AuthError) -> AuthenticationResponse {
        try await checkImmediate()
        let request = PasskeyStartRequest(loginID: "", origin: methodOrigin, options: LoginOptions(options))
        return try await signIn("signin", request, [.passkey], isImmediate: true, refreshJwt: options.refreshJwt)
    }

    /// Signs in with a passkey, or makes an account with one.
    ///
    /// - Throws: as ``signIn(loginId:options:authenticators:)``.
    @discardableResult
    public func signUpOrIn(
        loginId: String, options: [SignInOption] = [], authenticators: Set<PasskeyAuthenticatorKind> = .all
    ) async throws(AuthError) -> AuthenticationResponse {
        let request = PasskeyStartRequest(
            loginID: try MethodAccess.checked(loginId, "loginId"), origin: methodOrigin,
            options: LoginOptions(options))
        return try await signIn("signup-in", request, authenticators, refreshJwt: options.refreshJwt)
    }

    /// Makes another passkey for the person who is signed in.
    ///
    /// - Parameters:
    ///   - loginId: What the user signs in with: an email address, a telephone number or another name.
    ///   - refreshJwt: Whose session; `nil`: the container's.
    ///   - authenticators: Who may answer.
    /// - Throws: as ``signUp(loginId:details:authenticators:)``; `session.signed_out`.
    public func add(
        loginId: String, refreshJwt: String? = nil, authenticators: Set<PasskeyAuthenticatorKind> = .all
    ) async throws(AuthError) {
        let request = PasskeyStartRequest(
            loginID: try MethodAccess.checked(loginId, "loginId"), origin: methodOrigin)
        let ticket = await coordinator.ticket()
        let started = try await access.sendSignedIn(
            "/v1/auth/webauthn/update/start", request, refreshJwt: refreshJwt
        ).message(PasskeyStartAnswer.self)
        let finish = try await answer(started, authenticators, ticket)
        _ = try await access.send("/v1/auth/webauthn/update/finish", finish)
    }

    private func signIn(
        _ verb: String, _ request: PasskeyStartRequest, _ authenticators: Set<PasskeyAuthenticatorKind>,
        isImmediate: Bool = false, refreshJwt: String? = nil
    ) async throws(AuthError) -> AuthenticationResponse {
        // The user is not asked for what could not be kept.
        _ = try access.endpoint()
        try await access.keeper.checkStore()
        let ticket = await coordinator.ticket()
        let waiting = verb == "signin" && !request.options.needsSession ? await access.keeper.factorAwaited() : nil
        let path = "/v1/auth/webauthn/\(verb)/start"
        let started =
            if let waiting {
                try await access.send(path, request, completing: waiting).message(PasskeyStartAnswer.self)
            } else {
                try await access.send(path, request, options: request.options, refreshJwt: refreshJwt)
                    .message(PasskeyStartAnswer.self)
            }
        let finish = try await answer(started, authenticators, ticket, isImmediate: isImmediate)
        return try await access.prove(
            "/v1/auth/webauthn/\(started.isCreation ? "signup" : "signin")/finish", finish, completing: waiting)
    }

    /// Lets the authenticator answer.
    private func answer(
        _ started: PasskeyStartAnswer, _ authenticators: Set<PasskeyAuthenticatorKind>, _ ticket: Int,
        isImmediate: Bool = false
    ) async throws(AuthError) -> PasskeyFinishRequest {
        let publicKey = started.options["publicKey"] ?? started.options
        let mediation = started.options["mediation"]?.stringValue
        let page = started.page.map { PasskeyCeremony.Page(baseURL: service.issuer, name: $0) }
        let response: JSONValue
        if started.isCreation {
            let options = try Self.creationOptions(publicKey)
            response = try await create(
                options, ceremony(mediation, authenticators, rpID: options.rpID, page: pageIfAny(page)), ticket
            ).json
        } else {
            let options = try Self.requestOptions(publicKey)
            let ceremony = ceremony(
                mediation, authenticators, rpID: options.rpID, page: pageIfAny(page), isImmediate: isImmediate)
            response = try await get(options, ceremony, ticket).json
        }
        return PasskeyFinishRequest(transactionID: started.transactionID, response: response)
    }

    /// Only our own servers have a page that performs a ceremony for a program.
    private func pageIfAny(_ page: PasskeyCeremony.Page?) -> PasskeyCeremony.Page? {
        service.kind == .keyturn ? page : nil
    }

    /// Where the ceremony takes place, as far as that is known before the options are.
    private var methodOrigin: String? {
        if service.kind == .keyturn {
            return service.passkeyOrigin
                ?? URIParts(service.issuer)?.host.map { host in
                    PasskeyOrigin.of(service, rpID: host.isLoopback ? "localhost" : host.text)
                }
        }
        return service.passkeyOrigin
    }
}
