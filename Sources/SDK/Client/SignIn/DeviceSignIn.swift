public import KeyturnBase
public import KeyturnWire

/// What to ask for when a person signs this device in with another one.
public struct DeviceSignInOptions: Sendable {
    /// What to ask for; `nil`: the service's ``Service/defaultScope``. Must contain `openid`.
    public var scope: Scope?
    /// Where the access token is to be used (RFC 8707 §2).
    public var resource: [String] = []
    /// Acceptable strengths of authentication, best first (`acr_values`).
    public var acrValues: [String] = []

    /// Asks for what the service gives by default.
    public init(scope: Scope? = nil) {
        self.scope = scope
    }
}

/// What to show to the person, who has another device at hand (RFC 8628 §3.3).
public struct DeviceSignInCode: Hashable, Sendable {
    /// What they type.
    public let userCode: String
    /// Where they type it.
    public let verificationURI: String
    /// The address with the code in it, for a QR code; `nil`: the service has none. The person still compares the codes.
    public let verificationURIComplete: String?
    /// For so long the code is good, in seconds from the moment it arrived.
    public let expiresInSeconds: Int64

    /// One to try a screen with.
    public init(
        userCode: String, verificationURI: String, verificationURIComplete: String?, expiresInSeconds: Int64
    ) {
        self.userCode = userCode
        self.verificationURI = verificationURI
        self.verificationURIComplete = verificationURIComplete
        self.expiresInSeconds = expiresInSeconds
    }
}

/// How far a sign-in with another device is.
public enum DeviceSignInProgress: Sendable {
    /// To be shown now, and until the sign-in has ended. Comes once, first.
    case code(DeviceSignInCode)
    /// The user has not decided yet; the code is good for so long.
    case waiting(secondsLeft: Int64)
    /// The service wants to be asked less often, from now on after so many seconds.
    case slowedDown(intervalSeconds: Int64)
    /// The service cannot be reached. Nothing is lost: it is asked again.
    case unreachable(AuthError)
}

extension AuthError.Code {
    /// The user did not type the code in time, or did not decide.
    public static let deviceCodeExpired = Self(rawValue: "sign_in.device_code_expired")
}

extension Keyturn {
    /// Signs a person in on a device without a browser or a keyboard: they type a code on another one (RFC 8628).
    ///
    /// ```swift
    /// let result = try await auth.deviceSignIn { progress in
    ///     if case .code(let code) = progress { show("\(code.verificationURI)  \(code.userCode)") }
    /// }
    /// ```
    ///
    /// At a terminal, `terminalSignIn()` of the product `KeyturnTerminal` shows all this.
    ///
    /// The session is the same as after ``authorize(_:)``, bound to this device's key where the service does that, and
    /// durable when this returns. A network that fails on the way is waited for; an answer that was lost is asked for
    /// again. Cancelling the calling task ends it. What was granted to a sign-in that fails is given back, see
    /// ``authorize(_:)``.
    ///
    /// - Parameters:
    ///   - options: What to ask for.
    ///   - onProgress: Hears of each step, one after the other. The next one waits until it returns.
    /// - Throws: `service.unsupported` if the service has no device authorization; `sign_in.cancelled` if the person
    ///   refused, or, caused by a `CancellationError`, if the calling task was cancelled;
    ///   `sign_in.device_code_expired`; `server.refused`; the last `transport.unavailable` if the network was down
    ///   until the end; a `token.*` code if the ID token is not acceptable; `store.unavailable` if the session cannot
    ///   be stored, in which case no user has been signed in; `configuration.invalid`.
    @discardableResult
    public func deviceSignIn(
        _ options: DeviceSignInOptions = DeviceSignInOptions(),
        onProgress: @Sendable (DeviceSignInProgress) async -> Void
    ) async throws(AuthError) -> SignInResult {
        try await deviceSignIn(options, sleep: ContinuousSleep(), onProgress: onProgress)
    }

    func deviceSignIn(
        _ options: DeviceSignInOptions, sleep: any PollSleep,
        onProgress: @Sendable (DeviceSignInProgress) async -> Void
    ) async throws(AuthError) -> SignInResult {
        try await pendingSignIns.during { () async throws(AuthError) in
            try await pollingSignIn(options, sleep: sleep, onProgress: onProgress)
        }
    }

    private func pollingSignIn(
        _ options: DeviceSignInOptions, sleep: any PollSleep,
        onProgress: @Sendable (DeviceSignInProgress) async -> Void
    ) async throws(AuthError) -> SignInResult {
        try await keeper.checkStore()
        let scope = try PendingAuthorization.scope(options.scope, service, try await provider.metadata())
        let start = ambient.uptime()
        let (device, key) = try await provider.startDevice(options, scope: scope)
        await onProgress(
            .code(
                DeviceSignInCode(
                    userCode: device.userCode, verificationURI: device.verificationURI,
                    verificationURIComplete: device.verificationURIComplete,
                    expiresInSeconds: device.expiresInSeconds)))
        var polling = DevicePolling(device, startedAt: start)
        var granted: TokenGrant?
        while true {
            do throws(AuthError) {
                let pause = polling.pause(at: ambient.uptime())
                guard !Task.isCancelled, await sleep.seconds(pause) else { throw AuthError.taskCancelled }
                // What was granted is not asked for again where the keys to verify it could not be had.
                let grant: TokenGrant
                if let granted {
                    grant = granted
                } else {
                    grant = try await provider.redeem(deviceCode: Secret(device.deviceCode), key: key)
                }
                granted = grant
                let idToken = try await provider.idToken(of: grant)
                let record = try await keeper.establish(grant, idToken: idToken, asked: scope)
                granted = nil
                return try await result(of: record, idToken: idToken, state: nil, begins: true)
            } catch {
                do throws(AuthError) {
                    guard granted == nil || error.code == .unavailable else { throw error }
                    await onProgress(try polling.next(after: error, at: ambient.uptime()))
                } catch {
                    if let granted { await giveBack(granted, of: nil) }
                    throw error
                }
            }
        }
    }
}
