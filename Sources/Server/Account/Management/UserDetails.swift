internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// The details of a user in a management call. `nil`: not in the body.
struct UserDetails: Sendable {
    let loginID: String?
    let additionalLoginIDs: [String]?
    /// By claim name.
    let claims: [String: String]
    let email: String?
    let phone: String?
    let isEmailVerified: Bool?
    let isPhoneVerified: Bool?
    let attributes: [String: JSONValue]?
    let roleNames: [String]?
    let tenants: [(id: String, roleNames: [String])]?
    let status: User.Status?
    let isTest: Bool

    private static let names = [
        ("displayName", "name"), ("name", "name"), ("givenName", "given_name"), ("middleName", "middle_name"),
        ("familyName", "family_name"), ("picture", "picture"),
    ]

    init(_ body: MethodBody) throws(MethodProblem) {
        loginID = try body.text("loginId")
        additionalLoginIDs = Self.says(body, "additionalLoginIds") ? try body.texts("additionalLoginIds") : nil
        var claims: [String: String] = [:]
        for (member, claim) in Self.names {
            guard let text = try body.text(member) else { continue }
            guard text.utf8.count <= Limits.descriptionBytesMax else {
                throw .invalidArguments.saying("The \(member) field is too long")
            }
            claims[claim] = text
        }
        self.claims = claims
        email = try Self.address(body, "email", .email)
        phone = try Self.address(body, "phone", .phone)
        isEmailVerified = try body.flag("verifiedEmail")
        isPhoneVerified = try body.flag("verifiedPhone")
        attributes = Self.says(body, "customAttributes") ? try body.object("customAttributes") : nil
        roleNames = Self.says(body, "roleNames") ? try body.texts("roleNames") : nil
        if Self.says(body, "userTenants") {
            var tenants: [(String, [String])] = []
            for tenant in try body.bodies("userTenants") {
                tenants.append((try tenant.requiredText("tenantId"), try tenant.texts("roleNames")))
            }
            self.tenants = tenants
        } else {
            tenants = nil
        }
        status = try body.text("status").map(Self.status)
        isTest = try body.flag("test") ?? false
    }

    /// Parses the API's word for a status.
    static func status(_ word: String) throws(MethodProblem) -> User.Status {
        guard let status = User.Status(wireName: word) else {
            throw .invalidArguments.saying("A status is enabled, disabled, invited or expired")
        }
        return status
    }

    /// Sets the given details and clears the others; other claims stay.
    func replace(in account: inout Account) {
        for (_, claim) in Self.names { account.user.claims[claim] = claims[claim].map(JSONValue.string) }
        account.user.attributes = attributes ?? [:]
        if let status { account.user.status = status }
        // A login ID that is an address can receive messages.
        let names = account.identifiers.keys
        let byKind = { (kind: Identifier.Kind) in names.filter { $0.kind == kind }.map(\.value).min() }
        let (email, phone) = (email ?? byKind(.email), phone ?? byKind(.phone))
        setAddress(.email, email, isEmailVerified, known: account.email, wasVerified: account.isEmailVerified, &account)
        setAddress(.phone, phone, isPhoneVerified, known: account.phone, wasVerified: account.isPhoneVerified, &account)
    }

    /// Sets only the given details.
    func patch(_ account: inout Account) {
        for (claim, text) in claims { account.user.claims[claim] = .string(text) }
        if let attributes { account.user.attributes.merge(attributes) { _, new in new } }
        if let status { account.user.status = status }
        if email != nil || isEmailVerified != nil {
            setAddress(
                .email, email ?? account.email, isEmailVerified, known: account.email,
                wasVerified: account.isEmailVerified, &account)
        }
        if phone != nil || isPhoneVerified != nil {
            setAddress(
                .phone, phone ?? account.phone, isPhoneVerified, known: account.phone,
                wasVerified: account.isPhoneVerified, &account)
        }
    }

    /// A changed address is no longer verified, unless the call says that it is.
    private func setAddress(
        _ kind: Identifier.Kind, _ address: String?, _ isVerified: Bool?, known: String?, wasVerified: Bool,
        _ account: inout Account
    ) {
        account.set(kind, address, isVerified: isVerified ?? (address == known && wasVerified))
    }

    private static func says(_ body: MethodBody, _ name: String) -> Bool {
        body.names(name) && body.members[name] != .null
    }

    private static func address(_ body: MethodBody, _ name: String, _ kind: Identifier.Kind) throws(MethodProblem)
        -> String?
    {
        guard let text = try body.text(name) else { return nil }
        guard let identifier = Identifier(loginID: text), identifier.kind == kind else {
            throw .invalidArguments.saying("The \(name) field is no such address")
        }
        try identifier.requireNoFlaw(name)
        return identifier.value
    }
}
