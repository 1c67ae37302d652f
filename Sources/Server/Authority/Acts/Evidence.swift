/// What the caller has shown for this very act, beside its session.
public struct Evidence: Hashable, Sendable {
    /// Whether the address that the act is about was proved, by a code or a link that was sent there.
    public var addressIsProved: Bool
    /// The domain of the proved address of a new user, in lower case; `nil`: no email address was proved.
    public var domain: String?
    /// Whether a tenant has proven that domain.
    public var domainIsProven: Bool
    /// Whether an operator has invited the user whose address is proved.
    public var isInvited: Bool
    /// Whether dynamic registration lets the caller in, or the caller showed the client's registration access token.
    public var mayRegister: Bool

    public init(
        addressIsProved: Bool = false, domain: String? = nil, domainIsProven: Bool = false, isInvited: Bool = false,
        mayRegister: Bool = false
    ) {
        self.addressIsProved = addressIsProved
        self.domain = domain
        self.domainIsProven = domainIsProven
        self.isInvited = isInvited
        self.mayRegister = mayRegister
    }

    /// Nothing beside the session.
    public static let none = Evidence()
    /// The address was proved.
    public static let addressProof = Evidence(addressIsProved: true)
    /// Dynamic registration lets the caller in (RFC 7591), or the token that it gave was shown (RFC 7592).
    public static let registration = Evidence(mayRegister: true)
}
