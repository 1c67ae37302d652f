public import Keyturn

extension KeyturnModel {
    /// Who is signed in, as far as the session says.
    public struct User: Hashable, Sendable {
        /// What the service told about the person, see `Keyturn.userClaims`. Without what an ID token says
        /// about itself, such as `exp`: that changes with each renewal, and views would be drawn again.
        public let claims: [String: JSONValue]

        /// A user, as previews and tests of views need it.
        public init(claims: [String: JSONValue]) {
            self.claims = claims.filter { !Self.aboutTokens.contains($0.key) }
        }

        private static let aboutTokens: Set = [
            "iss", "aud", "exp", "iat", "nbf", "jti", "nonce", "azp", "at_hash", "c_hash", "s_hash", "sid",
        ]

        /// The user at this service (`sub`); `nil` if the service does not say.
        public var subject: String? { claims["sub"]?.stringValue }
        /// The full name, for display (`name`).
        public var name: String? { claims["name"]?.stringValue }
        /// The preferred e-mail address; not unique, and may change hands (OpenID Connect Core §5.7).
        public var email: String? { claims["email"]?.stringValue }
    }
}

extension KeyturnModel.User: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the person.
    public var description: String { "User" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
