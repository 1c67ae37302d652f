internal import KeyturnBase
public import KeyturnWire

/// Enchanted links: a message with three links, one of which is right, is followed on any device; the app that asked
/// for it waits for the session.
///
/// ```swift
/// let started = try await auth.enchantedLink.signUpOrIn(loginId: "andy@example.com")
/// show("Follow link \(started.linkId)")
/// let response = try await auth.enchantedLink.pollForSession(pendingRef: started.pendingRef)
/// ```
public struct EnchantedLinkMethod: Sendable {
    let access: MethodAccess

    /// Sends links to a new user.
    ///
    /// - Parameters:
    ///   - loginId: The address to send to, and the user's identifier from now on.
    ///   - details: What else is known about the person.
    ///   - redirectURL: Where the links lead; `nil`: where the project says.
    /// - Throws: `service.unsupported`; `argument.invalid`; `server.refused` with the server's code, see
    ///   ``KeyturnBase/AuthError/methodCode``; `transport.unavailable`; `protocol.violation`.
    public func signUp(
        loginId: String, details: SignUpDetails? = nil, redirectURL: String? = nil
    ) async throws(AuthError) -> EnchantedLinkResponse {
        let request = SignUpRequest(
            loginID: try MethodAccess.checked(loginId, "loginId"), details: details ?? SignUpDetails(),
            redirectURL: redirectURL)
        return try EnchantedLinkResponse(await access.send("/v1/auth/enchantedlink/signup/email", request))
    }

    /// Sends links to a user who has an account.
    ///
    /// - Parameters:
    ///   - loginId: What the user signs in with: an email address, a telephone number or another name.
    ///   - redirectURL: Where the link leads; `nil`: where the project says.
    ///   - options: With `.stepup` and `.mfa` the container's session goes on.
    /// - Throws: as ``signUp(loginId:details:redirectURL:)``; `session.signed_out` for `.stepup` and `.mfa` without a
    ///   session.
    public func signIn(
        loginId: String, redirectURL: String? = nil, options: [SignInOption] = []
    ) async throws(AuthError) -> EnchantedLinkResponse {
        try await start("signin", loginId, redirectURL, options)
    }

    /// Sends links to a user who may or may not have an account.
    ///
    /// - Throws: as ``signIn(loginId:redirectURL:options:)``.
    public func signUpOrIn(
        loginId: String, redirectURL: String? = nil, options: [SignInOption] = []
    ) async throws(AuthError) -> EnchantedLinkResponse {
        try await start("signup-in", loginId, redirectURL, options)
    }

    /// Sends links to a new address of the person who is signed in.
    ///
    /// - Parameters:
    ///   - email: The email address.
    ///   - loginId: What the user signs in with: an email address, a telephone number or another name.
    ///   - redirectURL: Where the link leads; `nil`: where the project says.
    ///   - refreshJwt: Whose session; `nil`: the container's.
    ///   - options: What else changes with it.
    /// - Throws: as ``signIn(loginId:redirectURL:options:)``; `session.signed_out`.
    public func updateEmail(
        _ email: String, loginId: String, redirectURL: String? = nil, refreshJwt: String? = nil,
        options: UpdateOptions = []
    ) async throws(AuthError) -> EnchantedLinkResponse {
        let request = try UpdateAddressRequest(loginId, email: email, redirectURL: redirectURL, options: options)
        return try EnchantedLinkResponse(
            await access.sendSignedIn("/v1/auth/enchantedlink/update/email", request, refreshJwt: refreshJwt))
    }

    /// Asks once whether the right link has been followed, and if so signs in.
    ///
    /// - Throws: `enchanted_link.pending` if it has not; otherwise as ``OTPMethod/verify(with:loginId:code:)``.
    public func checkForSession(pendingRef: String) async throws(AuthError) -> AuthenticationResponse {
        try await check(try MethodAccess.secret(pendingRef, "pendingRef"))
    }

    /// Waits until the right link has been followed, and signs in: asks at once, and then every second.
    ///
    /// A network that is down is waited for as well.
    ///
    /// - Parameters:
    ///   - pendingRef: What ``signIn(loginId:redirectURL:options:)`` and its relatives returned.
    ///   - timeout: How long to wait, in seconds; 0 asks once. At most 3 600.
    /// - Throws: `enchanted_link.expired` when the time is over; `sign_in.cancelled`, caused by a `CancellationError`,
    ///   if the calling task is cancelled; the last `transport.unavailable` if the network was down until the end;
    ///   otherwise as ``checkForSession(pendingRef:)``.
    public func pollForSession(
        pendingRef: String, timeout: Double? = nil
    ) async throws(AuthError) -> AuthenticationResponse {
        try await pollForSession(pendingRef: pendingRef, timeout: timeout, sleep: ContinuousSleep())
    }

    func pollForSession(
        pendingRef: String, timeout: Double?, sleep: any PollSleep
    ) async throws(AuthError) -> AuthenticationResponse {
        let ref = try MethodAccess.secret(pendingRef, "pendingRef")
        let longest = Double(Limits.pollSecondsMax)
        let wanted = timeout ?? Double(Limits.pollSeconds)
        let seconds = wanted.isNaN ? 0 : Int64(min(max(0, wanted), longest).rounded(.up))
        let deadline = access.ambient.uptime() + seconds
        while true {
            let failure: AuthError
            do throws(AuthError) {
                return try await check(ref)
            } catch {
                guard error.code == .linkPending || error.code == .unavailable else { throw error }
                failure = error
            }
            let pause = max(1, failure.server?.retryAfterSeconds.map { Int64($0) } ?? 1)
            guard access.ambient.uptime() + pause <= deadline else {
                throw failure.code == .linkPending
                    ? AuthError(.linkExpired, "nobody followed the link in time", cause: failure) : failure
            }
            guard !Task.isCancelled, await sleep.seconds(pause) else { throw AuthError.taskCancelled }
        }
    }

    private func check(_ pendingRef: Secret) async throws(AuthError) -> AuthenticationResponse {
        do throws(AuthError) {
            return try await access.prove(
                "/v1/auth/enchantedlink/pending-session", PendingSessionRequest(pendingRef: pendingRef),
                showsSession: true)
        } catch {
            guard error.code == .refused, error.methodCode == MethodProblem.linkPending.code else { throw error }
            throw AuthError(.linkPending, "nobody has followed the link yet", cause: error, server: error.server)
        }
    }

    private func start(
        _ verb: String, _ loginId: String, _ redirectURL: String?, _ options: [SignInOption]
    ) async throws(AuthError) -> EnchantedLinkResponse {
        let (session, options) = (options.refreshJwt, LoginOptions(options))
        let request = SignInRequest(
            loginID: try MethodAccess.checked(loginId, "loginId"), redirectURL: redirectURL, options: options)
        return try EnchantedLinkResponse(
            await access.send(
                "/v1/auth/enchantedlink/\(verb)/email", request, options: options, refreshJwt: session))
    }
}

/// Links are on their way.
public struct EnchantedLinkResponse: Hashable, Sendable {
    /// What the right link shows. Tell the person.
    public let linkId: String
    /// What to wait with. Secret: its holder gets the session.
    public let pendingRef: String
    /// The address, most of it hidden.
    public let maskedEmail: String

    init(_ reply: MethodReply) throws(AuthError) {
        let answer = try reply.message(EnchantedLinkAnswer.self)
        linkId = answer.linkID
        pendingRef = answer.pendingRef.exposed()
        maskedEmail = answer.masked.address ?? ""
    }
}

extension EnchantedLinkResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows the link's number alone.
    public var description: String { "EnchantedLinkResponse(\(linkId))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AuthError.Code {
    /// The right link was not followed yet.
    public static let linkPending = Self(rawValue: "enchanted_link.pending")
    /// The right link was not followed in time.
    public static let linkExpired = Self(rawValue: "enchanted_link.expired")
}
