public import KeyturnBase
public import KeyturnWire

/// What users may do, and what they prove themselves with.
extension ManagedUsers {
    /// Gives a user these roles in place of all others.
    ///
    /// - Parameters:
    ///   - loginID: A name that the user signs in with.
    ///   - roleNames: The names of the roles.
    ///   - tenantID: In that tenant; `nil`: without one.
    public func setRoles(
        _ loginID: String, _ roleNames: [String], tenantID: String? = nil
    ) async throws(AuthError) -> UserDetails {
        try await roles("/v1/mgmt/user/update/role/set", loginID, roleNames, tenantID)
    }

    /// Gives a user more roles.
    public func addRoles(
        _ loginID: String, _ roleNames: [String], tenantID: String? = nil
    ) async throws(AuthError) -> UserDetails {
        try await roles("/v2/mgmt/user/update/role/add", loginID, roleNames, tenantID)
    }

    /// Takes roles from a user.
    public func removeRoles(
        _ loginID: String, _ roleNames: [String], tenantID: String? = nil
    ) async throws(AuthError) -> UserDetails {
        try await roles("/v1/mgmt/user/update/role/remove", loginID, roleNames, tenantID)
    }

    /// Makes a user a member of a tenant.
    public func addTenant(_ loginID: String, _ tenantID: String) async throws(AuthError) -> UserDetails {
        try await user(
            "/v1/mgmt/user/update/tenant/add", ["loginId": .string(loginID), "tenantId": .string(tenantID)])
    }

    /// Makes a user a member no longer.
    public func removeTenant(_ loginID: String, _ tenantID: String) async throws(AuthError) -> UserDetails {
        try await user(
            "/v1/mgmt/user/update/tenant/remove", ["loginId": .string(loginID), "tenantId": .string(tenantID)])
    }

    /// Gives a user a password that must be changed before it signs in.
    public func setTemporaryPassword(_ loginID: String, _ password: Secret) async throws(AuthError) {
        try await set(password, of: loginID, isActive: false)
    }

    /// Gives a user a password.
    public func setActivePassword(_ loginID: String, _ password: Secret) async throws(AuthError) {
        try await set(password, of: loginID, isActive: true)
    }

    /// Makes a user change their password before it signs in again.
    public func expirePassword(_ loginID: String) async throws(AuthError) {
        try await calls.post("/v1/mgmt/user/password/expire", ["loginId": .string(loginID)])
    }

    /// Takes a user's passkeys away.
    public func deletePasskeys(_ loginID: String) async throws(AuthError) {
        try await calls.post("/v1/mgmt/user/passkeys/delete", ["loginId": .string(loginID)])
    }

    /// Takes a user's authenticator away.
    public func deleteTOTP(_ loginID: String) async throws(AuthError) {
        try await calls.post("/v1/mgmt/user/totp/delete", ["loginId": .string(loginID)])
    }

    /// Ends every session of a user.
    public func logout(_ user: UserReference) async throws(AuthError) {
        try await calls.post("/v1/mgmt/user/logout", [user.name: .string(user.value)])
    }

    /// A token that signs in its holder at ``MagicLinkMethod/verify(token:)``, for messages of the backend's own.
    ///
    /// - Parameters:
    ///   - loginID: A name that the user signs in with.
    ///   - customClaims: Further claims of the token, by name.
    ///   - timeoutSeconds: How long it is good for; `nil`: as the project says.
    ///   - isSignUp: Makes the user if there is none.
    public func embeddedLink(
        _ loginID: String, customClaims: [String: JSONValue] = [:], timeoutSeconds: Int64? = nil, isSignUp: Bool = false
    ) async throws(AuthError) -> Secret {
        var members: [String: JSONValue] = ["loginId": .string(loginID), "customClaims": .object(customClaims)]
        members.put("timeout", timeoutSeconds)
        let verb = isSignUp ? "signup" : "signin"
        return Secret(try await calls.post("/v1/mgmt/user/\(verb)/embeddedlink", members).text("token"))
    }

    private func set(_ password: Secret, of loginID: String, isActive: Bool) async throws(AuthError) {
        let path = "/v1/mgmt/user/password/set/\(isActive ? "active" : "temporary")"
        let members: [String: JSONValue] = [
            "loginId": .string(loginID), "password": .string(password.exposed()), "setActive": .bool(isActive),
        ]
        try await calls.post(path, members)
    }

    private func roles(
        _ path: String, _ loginID: String, _ roleNames: [String], _ tenantID: String?
    ) async throws(AuthError) -> UserDetails {
        var members: [String: JSONValue] = ["loginId": .string(loginID), "roleNames": .names(roleNames)]
        members.put("tenantId", tenantID)
        return try await user(path, members)
    }
}

/// Codes and links of users made for tests, given out instead of being sent. Throws as ``ManagedUsers`` does.
public struct ManagedTests: Sendable {
    let calls: ManagementCalls

    /// The code that a test user will be asked for.
    public func generateOTP(
        _ loginID: String, with method: DeliveryMethod, options: [SignInOption] = []
    ) async throws(AuthError) -> Secret {
        let members = request(loginID, options).merging(["deliveryMethod": .string(method.rawValue)]) { $1 }
        return Secret(try await calls.post("/v1/mgmt/tests/generate/otp", members).text("code"))
    }

    /// The link that a test user would be sent; its token is the parameter `t`.
    public func generateMagicLink(
        _ loginID: String, with method: DeliveryMethod, redirectURL: String? = nil, options: [SignInOption] = []
    ) async throws(AuthError) -> Secret {
        var members = request(loginID, options).merging(["deliveryMethod": .string(method.rawValue)]) { $1 }
        members.put("URI", redirectURL)
        return Secret(try await calls.post("/v1/mgmt/tests/generate/magiclink", members).text("link"))
    }

    /// The right one of the links that a test user would be sent, and what to wait with.
    public func generateEnchantedLink(
        _ loginID: String, redirectURL: String? = nil, options: [SignInOption] = []
    ) async throws(AuthError) -> (link: Secret, pendingRef: Secret) {
        var members = request(loginID, options)
        members.put("URI", redirectURL)
        let reply = try await calls.post("/v1/mgmt/tests/generate/enchantedlink", members)
        return (Secret(try reply.text("link")), Secret(try reply.text("pendingRef")))
    }

    private func request(_ loginID: String, _ options: [SignInOption]) -> [String: JSONValue] {
        ["loginId": .string(loginID), "loginOptions": LoginOptions(options).json]
    }
}
