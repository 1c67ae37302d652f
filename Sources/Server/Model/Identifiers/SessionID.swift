/// The identifier of a browser session as relying parties see it: the `sid` claim (Back-Channel Logout §2.1). It is not
/// the cookie, and gives no access.
public struct SessionID: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

extension SessionID {
    private static let grantPrefix = "grant."

    /// The name of a session without a browser: its grant's.
    package init(of grant: GrantID) {
        self.init(rawValue: Self.grantPrefix + grant.text)
    }

    /// The grant whose own session it is; `nil`: a browser's.
    public var grantID: GrantID? {
        guard rawValue.hasPrefix(Self.grantPrefix) else { return nil }
        return GrantID(text: String(rawValue.dropFirst(Self.grantPrefix.count)))
    }
}
