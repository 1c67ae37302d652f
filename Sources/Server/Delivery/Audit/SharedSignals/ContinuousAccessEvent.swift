internal import KeyturnBase
internal import Model
internal import OAuth

/// Audit events that receivers of shared signals hear of, in the words of the Continuous Access Evaluation Profile 1.0.
enum ContinuousAccessEvent {
    static let sessionRevoked = "https://schemas.openid.net/secevent/caep/event-type/session-revoked"
    static let credentialChange = "https://schemas.openid.net/secevent/caep/event-type/credential-change"

    /// - Returns: `nil` for events that are about no session and no credential, or about no user.
    static func statement(_ event: AuditEvent) -> SecurityEventTokens.Statement? {
        guard let user = event.userID, let (type, session, own) = meaning(event) else { return nil }
        var details = own
        details["event_timestamp"] = .integer(event.at.rawValue)
        details["initiating_entity"] = .string(event.actor == nil ? "user" : "admin")
        return SecurityEventTokens.Statement(type: type, userID: user, sessionID: session, details: details)
    }

    private typealias Meaning = (type: String, session: SessionID?, details: [String: JSONValue])

    private static func meaning(_ event: AuditEvent) -> Meaning? {
        switch event.kind {
        // One session, or all of them if the event names none: better one too many than one that goes on.
        case .signedOut, .sessionEnded, .otherSessionsEnded, .userLoggedOut, .signInDisputed, .userDeleted:
            (sessionRevoked, event.sessionID, [:])
        case .userStatusChanged:
            event.reason == User.Status.disabled.rawValue ? (sessionRevoked, nil, [:]) : nil
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

    private static func credential(_ type: String, _ change: String) -> Meaning {
        (credentialChange, nil, ["credential_type": .string(type), "change_type": .string(change)])
    }
}
