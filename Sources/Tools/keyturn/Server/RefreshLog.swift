internal import Logging
internal import Model

/// One log line for each refresh that the current token does not explain. Addresses stay in the audit log.
enum RefreshLog {
    static func write(_ event: AuditEvent, _ logger: Logger) {
        let metadata: Logger.Metadata = [
            "event": "\(event.kind.rawValue)", "reason": "\(event.reason ?? "")",
            "user": "\(event.userID?.rawValue ?? "")", "client": "\(event.clientID ?? "")",
            "grant": "\(event.target ?? "")",
        ]
        switch event.kind {
        case .refreshReplayed:
            logger.warning("a spent refresh token came back: the session was ended", metadata: metadata)
        case .refreshShadowed:
            logger.warning("two clients use each refresh token of a session in turn", metadata: metadata)
        case .refreshShadowEnded:
            logger.warning("the session was ended: two clients used its refresh tokens in turn", metadata: metadata)
        case .refreshWrongKey:
            logger.warning("a bound refresh token came without its key", metadata: metadata)
        case .refreshAhead:
            logger.warning("a refresh token was newer than the database, which lost commits", metadata: metadata)
        default:
            logger.notice("an older refresh token was answered again", metadata: metadata)
        }
    }
}
