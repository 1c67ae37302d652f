public import KeyturnBase

/// Which mail server takes the mails, and how to talk with it.
public struct SMTPSettings: Sendable {
    /// How the connection is protected.
    public enum Security: Hashable, Sendable {
        /// Not at all; then no password is sent either.
        case none
        /// `STARTTLS` first; a server that does not offer it gets no mail.
        case startTLS
        /// TLS from the first byte.
        case implicitTLS
    }

    /// A name or an address.
    public var host: String
    public var port: Int
    public var from: Mailbox
    public var security: Security
    /// Both or neither.
    public var username: String?
    public var password: Secret?
    /// A PEM file of authorities to trust instead of the system's.
    public var authoritiesFile: String?

    public init(
        host: String, port: Int, from: Mailbox, security: Security, username: String? = nil, password: Secret? = nil,
        authoritiesFile: String? = nil
    ) {
        self.host = host
        self.port = port
        self.from = from
        self.security = security
        self.username = username
        self.password = password
        self.authoritiesFile = authoritiesFile
    }
}
