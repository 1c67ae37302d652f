public import KeyturnWire

/// Why the key service does not do what it was asked.
public enum KeyServiceProblem: Error, Hashable, Sendable {
    /// A wrong secret. `remaining`: wrong ones that are left; `nil`: long secrets are not counted.
    case wrongSecret(remaining: Int?)
    /// The key is locked. No secret opens it any more.
    case locked
    /// There is no such key in this realm.
    case unknownKey
    /// A malformed request. The sentence is for developers.
    case invalid(String)
    case tooMany(retryAfterSeconds: Int64)
    /// Nothing was compared and nothing counted: the server is too busy, or the same key is being opened elsewhere.
    case unavailable
    /// The key was sealed with a secret that the server no longer has. Nothing was counted.
    case unreadable
    /// The operator has not turned the key service on. Not "no such key": apps would give up what their keys protect.
    case switchedOff

    /// The body of the response.
    public var refusal: KeyServiceRefusal {
        switch self {
        case .wrongSecret(let remaining):
            KeyServiceRefusal(.wrongSecret, "this secret does not open the key", remainingAttempts: remaining)
        case .locked:
            KeyServiceRefusal(
                .keyLocked, "the key is locked: sign in anew, and make another key", remainingAttempts: 0)
        case .unknownKey: KeyServiceRefusal(.unknownKey, "there is no such key here")
        case .invalid(let text): KeyServiceRefusal(.invalidRequest, text)
        case .tooMany: KeyServiceRefusal(.tooManyRequests, "too often: try again later")
        case .unavailable: KeyServiceRefusal(.unavailable, "not now: try again")
        case .unreadable: KeyServiceRefusal(.unavailable, "the server cannot read this key at the moment")
        case .switchedOff:
            KeyServiceRefusal(
                .unavailable,
                "the key service is off: the server's configuration does not say key_service.enabled: true")
        }
    }
}
