internal import KeyturnBase
internal import KeyturnWebAuthn
public import KeyturnWire

/// Passkeys and security keys.
///
/// With a publishable key a ceremony ends with a token for the app's backend, which signs the person in as it likes:
/// ``startRegister(username:displayName:authenticators:)`` and its relatives. With a project it ends with a session of
/// this container, as other methods do: ``signUpOrIn(loginId:options:authenticators:)`` and its relatives.
///
/// ```swift
/// switch await Result(catching: { try await auth.passkeys.startAuth(.username("andy@example.com")) }) {
/// case .success(let info): await backend.signIn(with: info.token)
/// case .failure(let error) where error.passkeyCode == .canceledByUser: break
/// case .failure(let error): show(error)
/// }
/// ```
///
/// One ceremony is shown at a time. A new one ends the one before with `passkey.superseded`, once its own options have
/// arrived.
public struct PasskeyMethods: Sendable {
    let access: MethodAccess
    let service: Service
    let endpoint: PasskeyEndpoint?
    let authenticator: any PasskeyAuthenticator
    let coordinator: CeremonyCoordinator

    init(_ container: Keyturn) {
        access = MethodAccess(container, "passkeys")
        service = container.service
        endpoint = container.passkeyEndpoint
        authenticator = container.authenticator
        coordinator = container.passkeyCoordinator
    }

    /// What can be had on this device, without asking the user.
    public var availability: PasskeyAvailability {
        get async { await authenticator.availability }
    }

    /// Makes a credential. The backend binds it to a user with the token; until then no user can sign in with it.
    ///
    /// - Parameters:
    ///   - username: What the person types to sign in, and sees beside the passkey. It never leaves the device.
    ///   - displayName: What else the authenticator may show; `nil`: the username.
    ///   - authenticators: Who may keep it.
    /// - Throws: `service.unsupported` without a publishable key; `argument.invalid`; `transport.unavailable`;
    ///   `server.refused` with the service's code and message; `protocol.violation`; `sign_in.cancelled`; the codes
    ///   that begin with `passkey.`. See ``KeyturnBase/AuthError/passkeyCode``.
    public func startRegister(
        username: String, displayName: String? = nil, authenticators: Set<PasskeyAuthenticatorKind> = .all
    ) async throws(AuthError) -> PasskeyTokenInfo {
        try await register(AttestationOptionsRequest(), username, displayName, authenticators)
    }

    /// Makes a passkey for a user who has just signed in with a password or a code, without a prompt where the
    /// password manager allows that. Do not show its failure.
    ///
    /// - Throws: as ``startRegister(username:displayName:authenticators:)``; `passkey.unavailable` where it cannot be
    ///   done.
    public func upgrade(username: String, displayName: String? = nil) async throws(AuthError) -> PasskeyTokenInfo {
        guard await authenticator.availability.upgrades else {
            throw .passkeyNeedsPrompt("passkeys cannot be made without a prompt here")
        }
        return try await register(AttestationOptionsRequest(isUpgrade: true), username, displayName, [.passkey])
    }

    /// Signs with a credential of the user named, whom the backend learns from the token.
    ///
    /// - Throws: as ``startRegister(username:displayName:authenticators:)``.
    public func startAuth(
        _ user: PasskeyUser, authenticators: Set<PasskeyAuthenticatorKind> = .all
    ) async throws(AuthError) -> PasskeyTokenInfo {
        guard user.isWithinBounds else { throw Self.invalid("an id or username has 1 to 255 characters") }
        return try await authenticate(user, authenticators)
    }

    /// Offers passkeys where a username is typed, and waits until the person takes one. Call it when the form appears;
    /// as a rule its failure is not shown.
    ///
    /// - Throws: as ``startRegister(username:displayName:authenticators:)``; `passkey.unavailable` where it cannot be
    ///   done.
    public func handleAutoFill() async throws(AuthError) -> PasskeyTokenInfo {
        guard await authenticator.availability.autofill else {
            throw .passkeyNeedsPrompt("passkeys cannot be offered in a form here")
        }
        return try await authenticate(nil, [.passkey])
    }

    /// Signs in with a passkey that is on this device, and shows nothing where there is none: for the first screen of
    /// an app. Its failure is not shown; a person who closes the sheet and a device without a passkey look the same.
    ///
    /// - Throws: as ``startRegister(username:displayName:authenticators:)``; `passkey.unavailable` where it cannot be
    ///   done.
    public func startImmediateAuth() async throws(AuthError) -> PasskeyTokenInfo {
        try await checkImmediate()
        return try await authenticate(nil, [.passkey], isImmediate: true)
    }

    private func register(
        _ request: AttestationOptionsRequest, _ username: String, _ displayName: String?,
        _ authenticators: Set<PasskeyAuthenticatorKind>
    ) async throws(AuthError) -> PasskeyTokenInfo {
        let bounds = PasskeyLimits.userCharacters
        guard bounds.contains(username.unicodeScalars.count),
            displayName.map({ bounds.contains($0.unicodeScalars.count) }) ?? true
        else { throw Self.invalid("a username or display name has 1 to 255 characters") }
        let endpoint = try tokenEndpoint()
        let ticket = await coordinator.ticket()
        let reply = try await endpoint.post(.attestationOptions, request, as: PasskeyOptions.self)
        var options = try Self.creationOptions(reply.message.publicKey)
        options.user.name = username
        options.user.displayName = displayName ?? username
        let response = try await create(
            options, ceremony(reply.message.mediation, authenticators, rpID: options.rpID), ticket)
        let token = try await endpoint.post(
            .attestationProcess, AttestationProcessRequest(credential: response.json), as: PasskeyToken.self)
        return PasskeyTokenInfo(token, reply.warnings)
    }

    private func authenticate(
        _ user: PasskeyUser?, _ authenticators: Set<PasskeyAuthenticatorKind>, isImmediate: Bool = false
    ) async throws(AuthError) -> PasskeyTokenInfo {
        let endpoint = try tokenEndpoint()
        let ticket = await coordinator.ticket()
        let reply = try await endpoint.post(
            .assertionOptions, AssertionOptionsRequest(user: user), as: PasskeyOptions.self)
        let options = try Self.requestOptions(reply.message.publicKey)
        let ceremony = ceremony(
            reply.message.mediation, authenticators, rpID: options.rpID, isImmediate: isImmediate)
        let response = try await get(options, ceremony, ticket)
        let token = try await endpoint.post(
            .assertionProcess, AssertionProcessRequest(credential: response.json, user: user), as: PasskeyToken.self)
        return PasskeyTokenInfo(token, reply.warnings)
    }

    private func tokenEndpoint() throws(AuthError) -> PasskeyEndpoint {
        guard let endpoint else {
            throw AuthError(
                .unsupported, "the service \(service.kind.rawValue) needs a publishable key for passkeys with tokens")
        }
        return endpoint
    }

    static func invalid(_ detail: String) -> AuthError {
        .passkey(.invalidArgument, .badRequest, .badRequest, detail)
    }
}

extension Keyturn {
    /// Passkeys and security keys.
    public var passkeys: PasskeyMethods { PasskeyMethods(self) }
}
