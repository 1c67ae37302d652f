internal import Foundation

/// What `keyturn token` prints.
enum PrintedToken: String {
    /// Of a sign-in on the service's page, or of a client: for APIs, and for the server's own addresses.
    case access = "access_token"
    /// Of a sign-in with a method: for services that verify the project's sessions.
    case session = "session_token"

    init(_ token: String) {
        self = VerifyCommand.isSessionToken(token) ? .session : .access
    }

    /// What to know about a session token.
    ///
    /// - Parameter name: The session's.
    static func sessionMeaning(_ name: String) -> String {
        "the project's session token: your own services verify it; UserInfo and the server's other addresses refuse "
            + "it, and take the access token of a sign-in on the page, `\(Advice(name: name).login)`."
    }

    /// Whether a person reads standard error.
    static var isErrorShown: Bool { isatty(STDERR_FILENO) == 1 }
}
