internal import KeyturnBase

/// What a page tells the user's device about passkeys (WebAuthn Level 3 §5.1.10).
struct PasskeySignal: Sendable {
    enum Kind: String, Sendable {
        case unknown = "signalUnknownCredential"
        case accepted = "signalAllAcceptedCredentials"
        case details = "signalCurrentUserDetails"
    }

    let kind: Kind
    let details: JSONValue

    /// - Parameter details: `nil` if the page has nothing to tell.
    init?(_ kind: Kind, _ details: JSONValue?) {
        guard let details else { return nil }
        self.kind = kind
        self.details = details
    }

    var values: [String: String] { ["signal": kind.rawValue, "details": details.text] }
}

extension JSONValue {
    /// For a script, in an attribute.
    var text: String { String(decoding: serialized, as: UTF8.self) }
}
