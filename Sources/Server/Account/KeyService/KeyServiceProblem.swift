public import KeyturnWire

/// Why the key service does not do what it was asked.
public enum KeyServiceProblem: Error, Hashable, Sendable {
    /// Not the secret. `remaining`: wrong ones that are left; `nil`: long secrets are not counted.
    case wrongSecret(remaining: Int?)
    /// Nothing opens the key any more.
    case locked
    /// No such key, here.
    case unknownKey
    /// The request is none, in a sentence for developers.
    case invalid(String)
    case tooMany(retryAfterSeconds: Int64)
    /// Nothing was compared and nothing counted: too much is going on, or the same key is being opened elsewhere.
    case unavailable
    /// The key was sealed with a secret of the server's that it does not have any more. Nothing was counted.
    case unreadable

    /// The body that says so.
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
        }
    }
}
