public import KeyturnBase
internal import KeyturnWire

/// What a sign-in by a method asks for beside the proof.
public enum SignInOption: Hashable, Sendable {
    /// Claims of the app's own, which the service puts into the session token apart from its own (`nsec`). The
    /// service does not check them.
    case customClaims([String: JSONValue])
    /// Goes on from the container's session, or that of ``session(_:)``, and marks the new one as stepped up.
    case stepup
    /// Goes on from the container's session, or that of ``session(_:)``, and adds this factor to its own.
    case mfa
    /// The refresh token of the session that ``stepup`` and ``mfa`` go on from, if it is not the container's. Without
    /// these two it is not sent.
    case session(OtherSession)
    /// Ends every other session of the user once this sign-in has succeeded.
    case revokeOtherSessions
    /// The template that the message is made from.
    case template(id: String)
    /// The language of the message, as a BCP 47 tag.
    case locale(String)

    /// The session that ``stepup`` and ``mfa`` go on from, if it is not the container's: `[.mfa, .session(refreshJwt:
    /// token)]`.
    public static func session(refreshJwt: String) -> SignInOption { .session(OtherSession(refreshJwt: refreshJwt)) }

    /// A session that is not the container's. Shows nothing when printed.
    public struct OtherSession: Hashable, Sendable {
        let token: Secret

        /// The session with this refresh token.
        public init(refreshJwt: String) {
            token = Secret(refreshJwt)
        }

        /// Hashes the token.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(token.exposed())
        }
    }
}

extension [SignInOption] {
    /// What the last ``SignInOption/session(_:)`` says; `nil`: the container's session.
    var refreshJwt: String? {
        for case .session(let other) in reversed() { return other.token.exposed() }
        return nil
    }
}

extension LoginOptions {
    init(_ options: [SignInOption]) {
        self = .none
        for option in options {
            switch option {
            case .customClaims(let claims): customClaims = claims
            case .stepup: stepup = true
            case .mfa: mfa = true
            case .session: continue
            case .revokeOtherSessions: revokeOtherSessions = true
            case .template(let id): templateID = id
            case .locale(let tag): locale = tag
            }
        }
    }
}

/// What becomes of a new address.
public struct UpdateOptions: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The address becomes a login identifier as well.
    public static let addToLoginIds = UpdateOptions(rawValue: 1)
    /// If the address is another user's, that user stays and the one who is signed in goes, with their session.
    /// Otherwise it is the other way round.
    public static let onMergeUseExisting = UpdateOptions(rawValue: 2)
}
