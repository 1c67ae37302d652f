/// The name that a provider's sheet told the app; unsigned, and good for display only.
public struct NativeSocialName: Hashable, Sendable {
    /// The given name.
    public var firstName: String?
    /// The middle name.
    public var middleName: String?
    /// The family name.
    public var lastName: String?

    /// A name; what is left out is not known.
    public init(firstName: String? = nil, middleName: String? = nil, lastName: String? = nil) {
        self.firstName = firstName
        self.middleName = middleName
        self.lastName = lastName
    }

    /// Whether nothing is known.
    public var isEmpty: Bool { [firstName, middleName, lastName].allSatisfy { $0?.isEmpty ?? true } }
}
