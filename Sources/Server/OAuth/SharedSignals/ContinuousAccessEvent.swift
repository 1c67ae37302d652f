internal import KeyturnBase
package import Model

/// Audit events that receivers of shared signals hear of, in the words of the Continuous Access Evaluation Profile 1.0.
package enum ContinuousAccessEvent {
    static let sessionRevoked = "https://schemas.openid.net/secevent/caep/event-type/session-revoked"
    static let credentialChange = "https://schemas.openid.net/secevent/caep/event-type/credential-change"
    static let riskLevelChange = "https://schemas.openid.net/secevent/caep/event-type/risk-level-change"
    /// Every type that receivers can ask for.
    static let types = [sessionRevoked, credentialChange, riskLevelChange]

    /// - Returns: `nil` for events that are about no session and no credential, or about no user.
    package static func statement(_ event: AuditEvent) -> SecurityEventTokens.Statement? {
        guard let user = event.userID, let (type, session, own) = meaning(event) else { return nil }
        var details = own
        details["event_timestamp"] = .integer(event.at.rawValue)
        details["initiating_entity"] = .string(initiator(of: event))
        // A client's part of a browser's session, if the event is about a client. A session without a browser has one.
        let client = session.flatMap { $0.grantID == nil ? event.clientID : nil }
        return SecurityEventTokens.Statement(
            type: type, userID: user, sessionID: session, clientID: client, details: details)
    }

    private static func initiator(of event: AuditEvent) -> String {
        switch event.kind {
        case .refreshShadowed, .refreshShadowEnded: "policy"
        default: event.actor == nil ? "user" : "admin"
        }
    }

    private typealias Meaning = (type: String, session: SessionID?, details: [String: JSONValue])

    /// An event's session is the one in which it was done, unless the event is about that session itself.
    private static func meaning(_ event: AuditEvent) -> Meaning? {
        switch event.kind {
        case .otherSessionsEnded, .userLoggedOut, .signInDisputed, .userDeleted, .provisionedUserDeactivated,
            .provisionedUserRemoved:
            (sessionRevoked, nil, [:])
        case .userStatusChanged:
            event.reason == User.Status.disabled.rawValue ? (sessionRevoked, nil, [:]) : nil
        case .signedOut: event.reason == "all" ? (sessionRevoked, nil, [:]) : revoked(event.sessionID)
        // In the settings a user ends one session from another one.
        case .sessionEnded where event.reason != AuditEvent.byProvider:
            revoked(event.target.map(SessionID.init(rawValue:)) ?? event.sessionID)
        case .sessionEnded, .grantEnded, .codeReplayed, .refreshReplayed, .refreshShadowEnded: revoked(event.sessionID)
        case .refreshShadowed:
            (
                riskLevelChange, event.sessionID,
                ["principal": "SESSION", "current_level": "HIGH", "risk_reason": "refresh_token_copied"]
            )
        case .passwordChanged: credential("password", "update")
        case .passkeyAdded: credential("fido2", "create")
        case .passkeyRemoved: credential("fido2", "delete")
        case .authenticatorAdded: credential("app", "create")
        case .authenticatorRemoved: credential("app", "delete")
        case .biometricAdded: credential("biometric", "create")
        case .biometricRemoved: credential("biometric", "delete")
        case .recoveryFinished: credential("second_factor", "revoke")
        default: nil
        }
    }

    /// One session; `nil` if the event does not say which.
    private static func revoked(_ session: SessionID?) -> Meaning? {
        session.map { (sessionRevoked, $0, [:]) }
    }

    private static func credential(_ type: String, _ change: String) -> Meaning {
        (credentialChange, nil, ["credential_type": .string(type), "change_type": .string(change)])
    }
}
