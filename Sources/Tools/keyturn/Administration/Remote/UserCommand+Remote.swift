internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// A user as the management interface describes them, in the words of these commands.
struct RemoteUser: Sendable {
    private let answer: UserAnswer

    /// - Throws: ``CommandFailure`` if the answer is of another form.
    init(_ json: JSONValue?) throws {
        guard let json, let body = try? MethodBody(json), let answer = try? UserAnswer(body) else {
            throw CommandFailure.failed("the server's answer has no user in it.")
        }
        self.answer = answer
    }

    private var status: String {
        answer.status == .enabled ? User.Status.active.rawValue : answer.status.rawValue
    }

    var row: [String] {
        [
            answer.userID, answer.isAnonymous ? "\(status), anonymous" : status, Report.text(answer.createdTime),
            answer.loginIDs.sorted().joined(separator: ", "),
        ]
    }

    var sub: String { answer.userID }
    var identifiers: [Identifier] { answer.loginIDs.compactMap(Identifier.init(loginID:)) }
    var roles: [String] { answer.roleNames }
    var attributes: [String: JSONValue] { answer.customAttributes }
    var tenants: [(id: String, roles: [String])] { answer.userTenants.map { ($0.tenantID, $0.roleNames) } }

    /// What the interface tells of the claims.
    var claims: [String: JSONValue] {
        let texts = [
            ("name", answer.name), ("given_name", answer.givenName), ("middle_name", answer.middleName),
            ("family_name", answer.familyName), ("picture", answer.picture), ("email", answer.email),
            ("phone_number", answer.phone),
        ]
        var claims: [String: JSONValue] = [:]
        for (name, text) in texts where !text.isEmpty { claims[name] = .string(text) }
        if !answer.email.isEmpty { claims["email_verified"] = .bool(answer.verifiedEmail) }
        if !answer.phone.isEmpty { claims["phone_number_verified"] = .bool(answer.verifiedPhone) }
        return claims
    }

    /// As ``UserCommand/json(_:_:)``, without what the interface does not tell.
    var json: JSONValue {
        [
            "sub": .string(sub), "status": .string(status), "claims": .object(claims),
            "attributes": .object(attributes), "identifiers": .array(answer.loginIDs.sorted().map(identifier)),
            "has_password": .bool(answer.password), "test": .bool(answer.isTest),
            "anonymous": .bool(answer.isAnonymous), "roles": .array(roles.map(JSONValue.string)),
            "tenants": .array(
                tenants.map { ["id": .string($0.id), "roles": .array($0.roles.map(JSONValue.string))] }),
            "created_at": .integer(answer.createdTime.rawValue),
        ]
    }

    private func identifier(_ value: String) -> JSONValue {
        let kind = Identifier(loginID: value)?.kind ?? .username
        let isVerified =
            kind == .username || value == answer.email && answer.verifiedEmail
            || value == answer.phone && answer.verifiedPhone
        return ["kind": .string(kind.rawValue), "value": .string(value), "verified": .bool(isVerified)]
    }
}

extension RemoteServer {
    /// The user of a login ID, or of an identifier.
    func user(_ name: String) async throws -> RemoteUser {
        try RemoteUser(try await get("/v1/mgmt/user", ["loginId": name])["user"])
    }

    /// The server's rules for passwords. The interface itself takes any password: imports need that.
    fileprivate func passwordPolicy() async throws -> PasswordPolicy {
        let settings = try await get("/v1/mgmt/password/settings")
        let demands = { settings[$0] == true }
        return PasswordPolicy(
            minLength: Int(settings["minLength"]?.integerValue ?? 8), requiresLowercase: demands("lowercase"),
            requiresUppercase: demands("uppercase"), requiresNumber: demands("number"),
            requiresNonAlphanumeric: demands("nonAlphanumeric"))
    }

    /// A login ID of a user, for calls that take nothing else.
    fileprivate func change(_ field: String, _ name: String, _ members: [String: JSONValue]) async throws -> RemoteUser
    {
        try RemoteUser(
            try await post("/v1/mgmt/user/update/\(field)", members.merging(["loginId": .string(name)]) { $1 })["user"])
    }
}

extension UserCommand.List {
    func run(on server: RemoteServer) async throws {
        var members: [String: JSONValue] = [
            "limit": .integer(Int64(limit)), "page": .integer(Int64(page - 1)), "withTestUser": true,
        ]
        members["text"] = text.map { .string($0.lowercased()) }
        members["tenantIds"] = tenant.map { [.string($0)] }
        members["roleNames"] = role.map { [.string($0)] }
        members["statuses"] = status.map { [.string($0 == .active ? "enabled" : $0.rawValue)] }
        let users = try await server.post("/v2/mgmt/user/search", members).list("users").map { try RemoteUser($0) }
        guard !options.json else { return Report.json(.array(users.map(\.json))) }
        show(users.map(\.row))
    }
}

extension UserCommand.Show {
    func run(on server: RemoteServer) async throws {
        let user = try await server.user(user)
        guard !options.json else { return Report.json(user.json) }
        Report.table(UserCommand.header, [user.row])
        Report.members(user.claims)
        Report.members(user.attributes, prefix: "attributes.")
        if !user.roles.isEmpty { print("  roles: \(user.roles.joined(separator: ", "))") }
        for tenant in user.tenants {
            print("  tenant \(tenant.id): \(tenant.roles.isEmpty ? "no role" : tenant.roles.joined(separator: ", "))")
        }
    }
}

extension UserCommand.Create {
    func run(on server: RemoteServer) async throws {
        let identifiers = try identifiers()
        var members: [String: JSONValue] = [
            "loginId": .string(identifiers[0].value),
            "additionalLoginIds": .array(identifiers.dropFirst().map { .string($0.value) }),
        ]
        for identifier in identifiers {
            switch identifier.kind {
            case .email:
                members["email"] = .string(identifier.value)
                members["verifiedEmail"] = .bool(verified)
            case .phone:
                members["phone"] = .string(identifier.value)
                members["verifiedPhone"] = .bool(verified)
            case .username: break
            }
        }
        members["displayName"] = name.map(JSONValue.string)
        if !noPassword {
            let password = try PasswordPrompt.read(confirm: true)
            try PasswordPrompt.check(password, try await server.passwordPolicy(), identifiers)
            members["password"] = .string(password.exposed())
        }
        let user = try RemoteUser(try await server.post("/v1/mgmt/user/create", members)["user"])
        if options.json { Report.json(user.json) } else { print("created \(user.sub)") }
    }
}

extension UserCommand.Password {
    func run(on server: RemoteServer) async throws {
        let password = try PasswordPrompt.read(confirm: true)
        let identifiers = try await server.user(user).identifiers
        try PasswordPrompt.check(password, try await server.passwordPolicy(), identifiers)
        try await server.post(
            "/v1/mgmt/user/password/set/active", ["loginId": .string(user), "password": .string(password.exposed())])
        print("the password is changed; every session has ended")
    }
}

extension UserCommand.Disable {
    func run(on server: RemoteServer) async throws {
        _ = try await server.change("status", user, ["status": "disabled"])
        print("disabled; every session has ended")
    }
}

extension UserCommand.Enable {
    func run(on server: RemoteServer) async throws {
        _ = try await server.change("status", user, ["status": "enabled"])
        print("enabled")
    }
}

extension UserCommand.EndSessions {
    func run(on server: RemoteServer) async throws {
        let answer = try await server.post("/v1/mgmt/user/logout", ["loginId": .string(user)])
        let ended = answer["ended"]?.integerValue ?? 0
        if options.json { Report.json(["ended": .integer(ended)]) } else { print("ended \(ended)") }
    }
}

extension UserCommand.Delete {
    func run(on server: RemoteServer) async throws {
        try await server.post("/v1/mgmt/user/delete", ["userId": .string(try await server.user(user).sub)])
        print("deleted")
    }
}

extension UserCommand.Assign {
    func run(on server: RemoteServer) async throws {
        var changed: RemoteUser?
        if membership.tenant != nil { changed = try await server.change("tenant/add", user, membership.members) }
        if membership.role != nil { changed = try await server.change("role/add", user, membership.members) }
        UserCommand.showMembership(changed, options)
    }
}

extension UserCommand.Unassign {
    func run(on server: RemoteServer) async throws {
        let field = membership.role == nil ? "tenant/remove" : "role/remove"
        UserCommand.showMembership(try await server.change(field, user, membership.members), options)
    }
}

extension UserCommand {
    fileprivate static func showMembership(_ changed: RemoteUser?, _ options: AdministrationOptions) {
        guard options.json, let changed else { return print("done; apps see it at the next renewal") }
        Report.json(changed.json)
    }
}

extension UserCommand.MembershipOptions {
    fileprivate var members: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        members["tenantId"] = tenant.map(JSONValue.string)
        members["roleNames"] = role.map { [.string($0)] }
        return members
    }
}
