/// Why a directory did not do what was asked.
enum LDAPFault: Error, Hashable, Sendable {
    /// A result code of the directory or of libldap, and the text beside it (RFC 4511 §4.1.9).
    case result(Int32, diagnostic: String)
    /// The certificate was not accepted, or the directory has no StartTLS.
    case insecure
    /// The time was over.
    case overdue
    /// The settings cannot be used.
    case settings(String)

    /// Result codes that say nothing about the question: the directory, or the way to it, is in trouble. The negative
    /// ones are libldap's own.
    private static let troubles: Set<Int32> = [
        3,  // timeLimitExceeded
        51,  // busy
        52,  // unavailable
        -1,  // LDAP_SERVER_DOWN
        -2,  // LDAP_LOCAL_ERROR
        -5,  // LDAP_TIMEOUT
        -11,  // LDAP_CONNECT_ERROR
    ]

    /// Whether the directory may answer later.
    var isTrouble: Bool {
        switch self {
        case .overdue: true
        case .result(let code, _): Self.troubles.contains(code)
        case .insecure, .settings: false
        }
    }

    /// A stable word for the audit log.
    var word: String {
        switch self {
        case .result(let code, _): "ldap_\(code < 0 ? "local\(-code)" : String(code))"
        case .insecure: "ldap_tls"
        case .overdue: "ldap_timeout"
        case .settings(let name): "ldap_\(name)"
        }
    }
}
