public import KeyturnBase

/// Gives a user another address, once a code or a link has proved it.
public struct UpdateAddressRequest: Hashable, Sendable {
    /// Whose address it is.
    public var loginID: String
    /// The new email address; `nil` if it is a telephone number.
    public var email: String?
    /// The new telephone number; `nil` if it is an email address.
    public var phone: String?
    /// Where the link leads; `nil`: where the project says.
    public var redirectURL: String?
    /// The address becomes a login identifier as well.
    public var addToLoginIDs: Bool
    /// If the address is another user's, that user stays and this one goes; otherwise the other way round.
    public var onMergeUseExisting: Bool
    /// The template of the message; `nil`: the project's.
    public var templateID: String?
    /// The language of the message, as a BCP 47 tag.
    public var locale: String?

    /// A request to change an address; the address must be proved before it counts.
    public init(
        loginID: String, email: String? = nil, phone: String? = nil, redirectURL: String? = nil,
        addToLoginIDs: Bool = false, onMergeUseExisting: Bool = false, templateID: String? = nil, locale: String? = nil
    ) {
        self.loginID = loginID
        self.email = email
        self.phone = phone
        self.redirectURL = redirectURL
        self.addToLoginIDs = addToLoginIDs
        self.onMergeUseExisting = onMergeUseExisting
        self.templateID = templateID
        self.locale = locale
    }
}

extension UpdateAddressRequest: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        self.init(
            loginID: try body.requiredText("loginId"), email: try body.text("email"), phone: try body.text("phone"),
            redirectURL: try body.text("redirectUrl", "redirectURL", "URI"),
            addToLoginIDs: try body.flag("addToLoginIDs", "addToLoginIds") ?? false,
            onMergeUseExisting: try body.flag("onMergeUseExisting") ?? false, templateID: try body.text("templateId"),
            locale: try body.text("locale"))
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = ["loginId": .string(loginID)]
        members.add("email", email)
        members.add("phone", phone)
        members.add("redirectUrl", redirectURL)
        members["addToLoginIDs"] = .bool(addToLoginIDs)
        members["onMergeUseExisting"] = .bool(onMergeUseExisting)
        members.add("templateId", templateID)
        members.add("locale", locale)
        return .object(members)
    }
}
