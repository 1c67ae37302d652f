public import KeyturnBase
internal import KeyturnWire

extension Keyturn {
    /// Sign-ins on other devices that wait for the signed-in user.
    public var approvals: ApprovalMethods { ApprovalMethods(container: self) }
}

/// Sign-ins on other devices that the user of this app approves or refuses, at a Keyturn server that knows the app as the
/// operator's own.
///
/// ```swift
/// for waiting in try await auth.approvals.list() {
///     try await auth.approvals.approve(waiting, number: typed)
/// }
/// ```
public struct ApprovalMethods: Sendable {
    let container: Keyturn

    /// The requests that wait, the oldest first.
    ///
    /// - Throws: as ``Keyturn/accessToken(minimumSeconds:)``; `service.unsupported` at another service, and for a session
    ///   without a refresh token; `server.refused` if the app is not the operator's own.
    public func list() async throws(AuthError) -> [WaitingApproval] {
        let json = try await send([:])
        guard let items = json["approvals"]?.arrayValue else {
            throw AuthError(.protocolViolation, "the answer lists no approvals")
        }
        return items.prefix(Limits.approvalsMax).compactMap(WaitingApproval.init)
    }

    /// Approves a request, with the number that the other device shows.
    ///
    /// - Parameters:
    ///   - waiting: From ``list()``.
    ///   - number: Two digits, as the user typed them.
    /// - Throws: `approval.wrong_number`: the request is refused now; `approval.too_late`; `approval.chained` if this
    ///   session was itself opened by an approval; `approval.step_up_needed` if the user must sign in again first, as
    ///   ``StepUpChallenge`` of the error says; otherwise as ``list()``.
    public func approve(_ waiting: WaitingApproval, number: Int) async throws(AuthError) {
        try await decide(waiting, "approve", number: number)
    }

    /// Refuses a request.
    ///
    /// - Throws: as ``approve(_:number:)``.
    public func deny(_ waiting: WaitingApproval) async throws(AuthError) {
        try await decide(waiting, "deny", number: nil)
    }

    /// Refuses a request that the user did not begin: the same source cannot ask the user for an hour.
    ///
    /// - Throws: as ``approve(_:number:)``.
    public func wasNotMe(_ waiting: WaitingApproval) async throws(AuthError) {
        try await decide(waiting, "not_me", number: nil)
    }

    private func decide(_ waiting: WaitingApproval, _ action: String, number: Int?) async throws(AuthError) {
        var members: [String: JSONValue] = ["id": .string(waiting.id), "action": .string(action)]
        members["number"] = number.map { .integer(Int64($0)) }
        _ = try await send(members)
    }

    /// With the refresh token: a server that the app calls with its access token must not decide in its place.
    private func send(_ members: [String: JSONValue]) async throws(AuthError) -> JSONValue {
        guard container.service.wire.takesAppSessions else {
            throw AuthError(.unsupported, "only a Keyturn server has approvals")
        }
        let issuer = container.service.issuer
        let url = (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/v1/approvals"
        do throws(AuthError) {
            return try await container.presentingSession { (token, thumbprint) async throws(AuthError) in
                try await container.provider.present(token, boundTo: thumbprint, at: url, with: members)
            }
        } catch {
            guard let code = Self.code(of: error) else { throw error }
            throw AuthError(code, error.detail, cause: error, server: error.server)
        }
    }

    private static func code(of error: AuthError) -> AuthError.Code? {
        switch error.server?.code {
        case "wrong_number": .approvalWrongNumber
        case "too_late": .approvalTooLate
        case "chained": .approvalChained
        case StepUpChallenge.error: .approvalNeedsStepUp
        default: nil
        }
    }
}

/// A sign-in on another device that waits for the user.
public struct WaitingApproval: Hashable, Sendable, Identifiable {
    /// What an approval leads to. An open set.
    public struct Purpose: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The client that asks gets tokens.
        public static let tokens = Self(rawValue: "tokens")
        /// The other device's browser is signed in.
        public static let session = Self(rawValue: "session")
    }

    /// Names it at the service.
    public let id: String
    /// Who asks.
    public let clientName: String
    /// What the other device must show; `nil`: nothing.
    public let bindingMessage: String?
    /// What the approval opens.
    public let purpose: Purpose
    /// What the client would be able to do; empty for a browser.
    public let scope: Scope
    /// The network that asks; `nil`: not known.
    public let network: String?
    /// The other device, such as “Firefox on Linux”; `nil`: not known.
    public let device: String?
    /// When it was asked.
    public let createdAt: UnixTime
    /// After this it cannot be approved any more.
    public let expiresAt: UnixTime

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.stringValue, let name = json["client_name"]?.stringValue,
            let created = json["created_at"]?.integerValue, let expires = json["expires_at"]?.integerValue
        else { return nil }
        self.id = id
        clientName = name
        bindingMessage = json["binding_message"]?.stringValue
        purpose = Purpose(rawValue: json["purpose"]?.stringValue ?? "")
        scope = Scope(json["scope"]?.stringValue ?? "") ?? Scope(names: [])
        network = json["network"]?.stringValue
        device = json["device"]?.stringValue
        createdAt = UnixTime(rawValue: created)
        expiresAt = UnixTime(rawValue: expires)
    }
}

extension AuthError.Code {
    /// The number was not the one that the other device shows; the request is refused now.
    public static let approvalWrongNumber = Self(rawValue: "approval.wrong_number")
    /// The request has expired, or was decided before.
    public static let approvalTooLate = Self(rawValue: "approval.too_late")
    /// This session was itself opened by an approval, and cannot approve.
    public static let approvalChained = Self(rawValue: "approval.chained")
    /// The user must sign in again, or with another factor, before they can decide (RFC 9470).
    public static let approvalNeedsStepUp = Self(rawValue: "approval.step_up_needed")
}
