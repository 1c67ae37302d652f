internal import Foundation
internal import KeyturnBase
internal import Model

/// By which of an account's ways a user has just signed in.
struct UsedMethods {
    /// The identity at a provider; `nil`: none.
    var identity: FederatedIdentity.Key?
    /// A passkey that was used since then counts; `nil`: none does.
    var since: UnixTime?
    /// Whether the authenticator app, or one of its recovery codes, was used.
    var hasAuthenticator = false

    init(identity: FederatedIdentity.Key) {
        self.identity = identity
    }

    /// Of the sign-in of a grant.
    init(of grant: Grant, _ db: SQLSession) throws {
        let facts = grant.authentication
        since = facts.time
        hasAuthenticator = [AuthenticationMethod.totp, .recoveryCode].contains { facts.methods.contains($0.word) }
        let row = try db.first(
            "SELECT connection_id, issuer, subject FROM federated_session WHERE session_id = ?",
            [grant.sessionID?.rawValue])
        identity = row.map { row in
            FederatedIdentity.Key(connectionID: row["connection_id"], issuer: row["issuer"], subject: row["subject"])
        }
    }
}
