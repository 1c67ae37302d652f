/// Why a message of SAML was not accepted: a stable word for the audit log, and what the user is told. The user never
/// learns which check failed.
package struct SAMLFault: Error, Hashable, Sendable {
    /// What the user is told.
    package enum Kind: Hashable, Sendable {
        case denied, unavailable, misconfigured, refused
    }

    package let kind: Kind
    package let code: String

    package init(_ code: String, _ kind: Kind = .refused) {
        self.kind = kind
        self.code = code
    }
}
