internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

extension ManagementRoutes {
    private var users: ManagedUsers { services.managedUsers }

    /// Whole users.
    var userRoutes: [Route] {
        [
            frame.route(.post, "/v1/mgmt/user/create", for: .createAccount) {
                user(try await users.create($0.body, isTest: false, by: $0.actor))
            },
            frame.route(.post, "/v1/mgmt/user/create/test") {
                user(try await users.create($0.body, isTest: true, by: $0.actor))
            },
            frame.route(.post, "/v1/mgmt/user/create/batch", run: createBatch),
            frame.route(.post, "/v1/mgmt/user/update") { user(try await users.update($0.body, by: $0.actor)) },
            frame.route(.patch, "/v1/mgmt/user/patch") { user(try await users.patch($0.body, by: $0.actor)) },
            frame.route(.post, "/v1/mgmt/user/delete", for: .deleteAccount) { request in
                try await users.delete(request.body, by: request.actor)
                return [:]
            },
            frame.route(.delete, "/v1/mgmt/user/test/delete/all") { request in
                try await users.deleteTestUsers(by: request.actor)
                return [:]
            },
            frame.route(.get, "/v1/mgmt/user", for: .readUsers) { request in
                let (userID, loginID) = (request.parameter("userId"), request.parameter("loginId"))
                return user(try await users.find(userID: userID, loginID: loginID))
            },
            frame.route(.post, "/v2/mgmt/user/search", for: .readUsers) {
                list(try await users.search($0.body, onlyTestUsers: false))
            },
            frame.route(.post, "/v2/mgmt/user/search/test") {
                list(try await users.search($0.body, onlyTestUsers: true))
            },
            frame.route(.post, "/v1/mgmt/user/logout", for: .endSessions) { request in
                ["ended": .integer(Int64(try await users.logout(request.body, by: request.actor)))]
            },
            frame.route(.post, "/v1/mgmt/user/history", takesList: true, run: history),
        ]
    }

    /// Single fields of a user.
    var userFieldRoutes: [Route] {
        [
            // It can let a user in again, too, which the call itself asks more for.
            change("status", for: .changeStatus) { try await users.setStatus($0, by: $1) },
            change("email") { try await users.setAddress(.email, $0, by: $1) },
            change("phone") { try await users.setAddress(.phone, $0, by: $1) },
            change("name") { try await users.setNames($0, by: $1) },
            change("picture") { try await users.setPicture($0, by: $1) },
            change("loginid") { try await users.setLoginID($0, by: $1) },
            change("customAttribute") { try await users.setAttribute($0, by: $1) },
            change("role/set") { try await users.changeRoles($0, .set, by: $1) },
            change("role/add", for: .changeMemberships) { try await users.changeRoles($0, .add, by: $1) },
            change("role/add", version: "v2") { try await users.changeRoles($0, .add, by: $1) },
            change("role/remove", for: .changeMemberships) {
                try await users.changeRoles($0, .remove, by: $1)
            },
            change("tenant/add", for: .changeMemberships) { try await users.join($0, by: $1) },
            change("tenant/remove", for: .changeMemberships) { try await users.leave($0, by: $1) },
        ]
    }

    private func change(
        _ field: String, version: String = "v1", for act: Act? = nil,
        _ run: @escaping @Sendable (MethodBody, _ actor: Actor) async throws -> Account
    ) -> Route {
        frame.route(.post, "/\(version)/mgmt/user/update/\(field)", for: act) {
            user(try await run($0.body, $0.actor))
        }
    }

    /// Each user separately: one that cannot be made does not stop the others.
    private func createBatch(_ request: ManagementRequest) async throws -> JSONValue {
        let bodies = try request.body.bodies("users")
        guard bodies.count <= Limits.usersOfBatchMax else {
            throw MethodProblem.invalidArguments.saying("A batch has at most \(Limits.usersOfBatchMax) users")
        }
        var created: [JSONValue] = []
        var failed: [JSONValue] = []
        for body in bodies {
            var members = body.members
            for name in ["invite", "inviteUrl", "sendMail", "sendSMS"] where members[name] == nil {
                members[name] = request.body.members[name]
            }
            do {
                let account = try await users.create(MethodBody(members), isTest: false, by: request.actor)
                created.append(UserAnswer(account, services.directory).json)
            } catch let problem as MethodProblem {
                let shown = body.members.filter { !["password", "hashedPassword", "seed"].contains($0.key) }
                failed.append([
                    "failure": .string(problem.message ?? problem.description), "user": .object(shown),
                ])
            }
        }
        return ["createdUsers": .array(created), "failedUsers": .array(failed), "additionalErrors": [:]]
    }

    private func history(_ request: ManagementRequest) async throws -> JSONValue {
        let ids =
            try request.elements.isEmpty
            ? request.body.texts("userIds") : request.elements.compactMap(\.stringValue)
        guard ids.count <= Limits.usersOfPageMax else { throw MethodProblem.invalidArguments }
        return .array(try await services.loginHistory(of: ids.map(UserID.init(rawValue:))).map(\.json))
    }

    func user(_ account: Account) -> JSONValue {
        ["user": UserAnswer(account, services.directory).json]
    }

    private func list(_ found: (users: [Account], total: Int)) -> JSONValue {
        [
            "users": .array(found.users.map { UserAnswer($0, services.directory).json }),
            "total": .integer(Int64(found.total)),
        ]
    }
}
