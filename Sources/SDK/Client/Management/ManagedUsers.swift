public import KeyturnBase
internal import KeyturnWire

/// A project's users. Every method throws `server.refused` with the server's code (such as `E112102` for a user who is
/// not there), `transport.unavailable`, `protocol.violation`, or `configuration.invalid`.
public struct ManagedUsers: Sendable {
    let calls: ManagementCalls

    /// Makes a user.
    public func create(_ loginID: String, _ draft: UserDraft = UserDraft()) async throws(AuthError) -> UserDetails {
        try await user("/v1/mgmt/user/create", draft.members(loginID))
    }

    /// Makes a user who is told.
    public func invite(
        _ loginID: String, _ draft: UserDraft = UserDraft(), invitation: Invitation = Invitation()
    ) async throws(AuthError) -> UserDetails {
        var members = draft.members(loginID)
        invitation.add(to: &members)
        return try await user("/v1/mgmt/user/create", members)
    }

    /// Makes a user for tests, whose codes and links ``ManagedTests`` gives out.
    public func createTestUser(
        _ loginID: String, _ draft: UserDraft = UserDraft()
    ) async throws(AuthError) -> UserDetails {
        var members = draft.members(loginID)
        members["test"] = true
        return try await user("/v1/mgmt/user/create/test", members)
    }

    /// Makes many users at once.
    ///
    /// - Parameters:
    ///   - users: The users, and how they sign in.
    ///   - invitation: How they are told; `nil`: they are not.
    /// - Returns: Those who were made, and how many were not.
    public func createBatch(
        _ users: [BatchUser], invitation: Invitation? = nil
    ) async throws(AuthError) -> (created: [UserDetails], failures: Int) {
        var members: [String: JSONValue] = ["users": .array(users.map(\.json))]
        invitation?.add(to: &members)
        let reply = try await calls.post("/v1/mgmt/user/create/batch", members)
        let created = try reply.list("createdUsers", of: UserAnswer.self).map(UserDetails.init)
        return (created, reply.json["failedUsers"]?.arrayValue?.count ?? 0)
    }

    /// Replaces everything about a user: what the draft does not say is gone.
    public func update(_ loginID: String, _ draft: UserDraft) async throws(AuthError) -> UserDetails {
        try await user("/v1/mgmt/user/update", draft.members(loginID))
    }

    /// Changes what the draft says, and nothing else.
    public func patch(_ loginID: String, _ draft: UserDraft) async throws(AuthError) -> UserDetails {
        let members = draft.members(loginID, ssoApps: "ssoAppIds")
        return UserDetails(try await calls.patch("/v1/mgmt/user/patch", members).message("user", as: UserAnswer.self))
    }

    /// Deletes a user.
    public func delete(_ user: UserReference) async throws(AuthError) {
        try await calls.post("/v1/mgmt/user/delete", [user.name: .string(user.value)])
    }

    /// Deletes every user that was made for tests.
    public func deleteTestUsers() async throws(AuthError) {
        try await calls.delete("/v1/mgmt/user/test/delete/all")
    }

    /// One user.
    public func load(_ user: UserReference) async throws(AuthError) -> UserDetails {
        var query = FormParameters()
        query.append(user.name, user.value)
        return UserDetails(try await calls.get("/v1/mgmt/user", query: query).message("user", as: UserAnswer.self))
    }

    /// Users by what is known about them.
    ///
    /// - Parameters:
    ///   - search: Which users.
    ///   - testUsersOnly: Among those made for tests; otherwise among the others.
    public func search(
        _ search: UserSearch = UserSearch(), testUsersOnly: Bool = false
    ) async throws(AuthError) -> [UserDetails] {
        var members = search.members
        if testUsersOnly {
            members["testUsersOnly"] = true
            members["withTestUser"] = true
        }
        let path = testUsersOnly ? "/v2/mgmt/user/search/test" : "/v2/mgmt/user/search"
        return try await calls.post(path, members).list("users", of: UserAnswer.self).map(UserDetails.init)
    }

    /// Says whether a user may sign in.
    public func setStatus(_ loginID: String, _ status: UserDetails.Status) async throws(AuthError) -> UserDetails {
        try await update("status", loginID, ["status": .string(status.wire.rawValue)])
    }

    /// Gives a user another address, or none.
    ///
    /// - Parameters:
    ///   - loginID: A name that the user signs in with.
    ///   - email: The email address.
    ///   - verified: Whether it counts as shown to be the user's.
    ///   - failOnConflict: Refuses an address that is another user's, rather than taking it from them.
    public func setEmail(
        _ loginID: String, _ email: String?, verified: Bool, failOnConflict: Bool = true
    ) async throws(AuthError) -> UserDetails {
        try await update(
            "email", loginID,
            [
                "email": .string(email ?? ""), "verified": .bool(verified), "failOnConflict": .bool(failOnConflict),
            ])
    }

    /// Gives a user another telephone number, or none.
    ///
    /// - Parameters:
    ///   - loginID: A name that the user signs in with.
    ///   - phone: The telephone number.
    ///   - verified: Whether it counts as shown to be the user's.
    ///   - failOnConflict: Refuses a number that is another user's, rather than taking it from them.
    public func setPhone(
        _ loginID: String, _ phone: String?, verified: Bool, failOnConflict: Bool = true
    ) async throws(AuthError) -> UserDetails {
        try await update(
            "phone", loginID,
            [
                "phone": .string(phone ?? ""), "verified": .bool(verified), "failOnConflict": .bool(failOnConflict),
            ])
    }

    /// Names a user.
    public func setName(_ loginID: String, _ displayName: String) async throws(AuthError) -> UserDetails {
        try await update("name", loginID, ["displayName": .string(displayName)])
    }

    /// Gives a user another identifier in place of this.
    public func setLoginID(_ loginID: String, _ newLoginID: String) async throws(AuthError) -> UserDetails {
        try await update("loginid", loginID, ["newLoginId": .string(newLoginID)])
    }

    /// Sets one attribute of the project's own.
    public func setAttribute(
        _ loginID: String, _ key: String, _ value: JSONValue
    ) async throws(AuthError) -> UserDetails {
        try await update("customAttribute", loginID, ["attributeKey": .string(key), "attributeValue": value])
    }

    private func update(
        _ what: String, _ loginID: String, _ members: [String: JSONValue]
    ) async throws(AuthError) -> UserDetails {
        try await user("/v1/mgmt/user/update/\(what)", members.merging(["loginId": .string(loginID)]) { $1 })
    }

    func user(_ path: String, _ members: [String: JSONValue]) async throws(AuthError) -> UserDetails {
        UserDetails(try await calls.post(path, members).message("user", as: UserAnswer.self))
    }
}

/// A user, by one of the two names that they have.
public enum UserReference: Hashable, Sendable {
    /// One of the user's login IDs.
    case loginID(String)
    /// The identifier that the service gave the user.
    case userID(String)

    var name: String {
        switch self {
        case .loginID: "loginId"
        case .userID: "userId"
        }
    }

    var value: String {
        switch self {
        case .loginID(let value), .userID(let value): value
        }
    }
}
