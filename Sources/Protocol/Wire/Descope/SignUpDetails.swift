public import KeyturnBase

/// What a person says about themselves at sign-up (`user`).
public struct SignUpDetails: Hashable, Sendable {
    public var name: String?
    public var phone: String?
    public var email: String?
    public var givenName: String?
    public var middleName: String?
    public var familyName: String?

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
