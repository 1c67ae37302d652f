public import KeyturnBase

/// A user of a ``TestServer``, as a plain value.
public struct TestUser: Hashable, Sendable {
    /// The `sub` of the user's tokens.
    public var subject: String
    /// The address that the user signs in with, and gets messages at. Verified.
    public var email: String
    /// A second name to sign in with, such as `+15551234567`; verified. `nil`: none.
    public var phone: String?
    /// `nil`: the user has none, and signs in with a code by email.
    public var password: String?
    /// Further claims, by their names in OpenID Connect Core §5.1.
    public var claims: [String: JSONValue]

    /// A user.
    ///
    /// - Parameters:
    ///   - email: the address to sign in with.
    ///   - password: `nil`: the user signs in with a code by email.
    ///   - subject: the `sub` of tokens; `nil`: made of the address, the same in every run.
    ///   - phone: a second name to sign in with, in E.164.
    ///   - name: the claim `name`.
    public init(
        _ email: String, password: String? = "correct-horse-battery", subject: String? = nil, phone: String? = nil,
        name: String? = nil
    ) {
        self.email = email
        self.password = password
        self.subject = subject ?? "id-of-\(email)"
        self.phone = phone
        claims = name.map { ["name": .string($0)] } ?? [:]
    }

    /// Andy Rhoads, `andy@example.com`: the user of a server that is told no others.
    public static let andy = TestUser("andy@example.com", phone: "+15551234567", name: "Andy Rhoads")
}
