public import KeyturnBase

/// What a person says about themselves at sign-up (`user`).
public struct SignUpDetails: Hashable, Sendable {
    /// The whole name, as it is shown.
    public var name: String?
    /// The telephone number.
    public var phone: String?
    /// The email address.
    public var email: String?
    /// The first name.
    public var givenName: String?
    /// The middle name.
    public var middleName: String?
    /// The last name.
    public var familyName: String?

    /// Details of a new user; what is left out is not known.
    public init(
        name: String? = nil, phone: String? = nil, email: String? = nil, givenName: String? = nil,
        middleName: String? = nil, familyName: String? = nil
    ) {
        self.name = name
        self.phone = phone
        self.email = email
        self.givenName = givenName
        self.middleName = middleName
        self.familyName = familyName
    }

    /// Whether nothing is said.
    public var isEmpty: Bool { self == SignUpDetails() }
}

extension SignUpDetails: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        self.init(
            name: try body.text("name"), phone: try body.text("phone"), email: try body.text("email"),
            givenName: try body.text("givenName"), middleName: try body.text("middleName"),
            familyName: try body.text("familyName"))
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = [:]
        members.add("name", name)
        members.add("phone", phone)
        members.add("email", email)
        members.add("givenName", givenName)
        members.add("middleName", middleName)
        members.add("familyName", familyName)
        return .object(members)
    }
}
