internal import KeyturnBase
internal import KeyturnWire

/// The session that DescopeKit keeps: one item for each project.
enum DescopeKitItem {
    static func place(_ projectID: String) -> LegacySessionItem {
        LegacySessionItem(service: "com.descope.DescopeKit", account: projectID)
    }

    /// Both tokens must be there. What is said about the user may be missing, or of another form.
    static func read(_ data: [UInt8]) -> Result<LegacyTokens, AuthError> {
        guard let json = LegacyDecoding.object(data), let session = LegacyDecoding.token(json["sessionJwt"]),
            let refresh = LegacyDecoding.token(json["refreshJwt"])
        else { return .failure(LegacyDecoding.damaged) }
        return .success(
            LegacyTokens(
                accessToken: session, refreshToken: refresh, end: .inToken,
                userClaims: json["user"].flatMap { claims($0) } ?? [:]))
    }

    /// The user in the words of the service's answers, as a sign-in would have stored them; `nil` without an identifier.
    private static func claims(_ user: JSONValue) -> [String: JSONValue]? {
        guard let id = user["userId"]?.stringValue, !id.isEmpty else { return nil }
        func text(_ name: String) -> String { user[name]?.stringValue ?? "" }
        func flag(_ name: String, in json: JSONValue? = nil) -> Bool { (json ?? user)[name]?.boolValue ?? false }
        // Earlier releases stored no status. A user with a session may sign in.
        var answer = UserAnswer(
            userID: id, loginIDs: user["loginIds"]?.stringArrayValue ?? [],
            status: .init(rawValue: user["status"]?.stringValue ?? UserAnswer.Status.enabled.rawValue),
            createdTime: LegacyDecoding.date(user["createdAt"]) ?? UnixTime(rawValue: 0))
        answer.email = text("email")
        answer.verifiedEmail = flag("isVerifiedEmail")
        answer.phone = text("phone")
        answer.verifiedPhone = flag("isVerifiedPhone")
        answer.name = text("name")
        answer.givenName = text("givenName")
        answer.middleName = text("middleName")
        answer.familyName = text("familyName")
        answer.picture = text("picture")
        let methods = user["authentication"] ?? [:]
        answer.webauthn = flag("passkey", in: methods)
        answer.password = flag("password", in: methods)
        answer.totp = flag("totp", in: methods)
        for provider in methods["oauth"]?.stringArrayValue ?? [] { answer.oauth[provider] = true }
        answer.saml = flag("sso", in: methods)
        answer.scim = flag("scim", in: methods)
        answer.roleNames = user["authorization"]?["roles"]?.stringArrayValue ?? []
        answer.ssoAppIDs = user["authorization"]?["ssoAppIds"]?.stringArrayValue ?? []
        // A text with JSON in it.
        answer.customAttributes = LegacyDecoding.object(Array(text("customAttributes").utf8)) ?? [:]
        var claims = answer.json.objectValue ?? [:]
        claims["sub"] = .string(id)
        return claims
    }
}
