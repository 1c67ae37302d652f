public import KeyturnBase
internal import KeyturnWire

/// Tokens of users. Throws as ``ManagedUsers`` does.
public struct ManagedTokens: Sendable {
    let calls: ManagementCalls

    /// The same token with more claims, and with the user's roles of this moment.
    ///
    /// - Parameters:
    ///   - jwt: The session token.
    ///   - customClaims: Further claims of the token, by name.
    ///   - refreshSeconds: For how long the new one is good; `nil`: as the project says.
    public func update(
        _ jwt: Secret, customClaims: [String: JSONValue], refreshSeconds: Int64? = nil
    ) async throws(AuthError) -> Secret {
        var members: [String: JSONValue] = [
            "jwt": .string(jwt.exposed()), "customClaims": .object(customClaims),
        ]
        members.put("refreshDuration", refreshSeconds)
        return Secret(try await calls.post("/v1/mgmt/jwt/update", members).text("jwt"))
    }

    /// A refresh token of one user for another, who helps them.
    ///
    /// - Parameters:
    ///   - impersonatorID: Who asks; the token names them.
    ///   - loginID: Whom it is for.
    ///   - validateConsent: Only if the user has agreed.
    ///   - customClaims: Further claims of the token, by name.
    ///   - selectedTenant: The tenant that the session is for; `nil`: none.
    public func impersonate(
        impersonatorID: String, loginID: String, validateConsent: Bool = true,
        customClaims: [String: JSONValue] = [:], selectedTenant: String? = nil
    ) async throws(AuthError) -> Secret {
        var members: [String: JSONValue] = [
            "loginId": .string(loginID), "impersonatorId": .string(impersonatorID),
            "validateConsent": .bool(validateConsent),
        ]
        if !customClaims.isEmpty { members["customClaims"] = .object(customClaims) }
        members.put("selectedTenant", selectedTenant)
        return Secret(try await calls.post("/v1/mgmt/impersonate", members).text("jwt"))
    }
}
