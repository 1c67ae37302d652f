internal import KeyturnBase
internal import KeyturnWire
internal import Model

extension ClientCommand.Create {
    func run(on server: RemoteServer) async throws {
        try check()
        var members: [String: JSONValue] = [
            "client_id": .string(clientID), "redirect_uris": .array(redirectURIs.map(JSONValue.string)),
            "post_logout_redirect_uris": .array(postLogoutRedirectURIs.map(JSONValue.string)),
            "token_endpoint_auth_method": .string(isPublic ? "none" : "client_secret_basic"),
            "first_party": .bool(firstParty),
        ]
        if !grantTypes.isEmpty { members["grant_types"] = .array(grantTypes.map(JSONValue.string)) }
        members["client_name"] = name.map(JSONValue.string)
        members["scope"] = scope.map(JSONValue.string)
        members["profile"] = profile.map(JSONValue.string)
        let client = try await server.post("/v1/mgmt/client/create", members)
        guard !options.json else { return Report.json(client) }
        print("registered \(clientID)")
        let secret = client.text("client_secret")
        if !secret.isEmpty { print("client_secret: \(secret)\nKeep it: it is not shown again.") }
    }
}

extension ClientCommand.List {
    func run(on server: RemoteServer) async throws {
        let clients = try await server.get("/v1/mgmt/client/all").list("clients")
        guard !options.json else { return Report.json(.array(clients)) }
        show(
            clients.map { client in
                let grants = client["grant_types"]?.stringArrayValue ?? [GrantType.authorizationCode.rawValue]
                let method = client["token_endpoint_auth_method"]?.stringValue ?? "unknown"
                let id = client.text("client_id")
                return [id, method, grants.joined(separator: " "), client["client_name"]?.stringValue ?? id]
            })
    }
}

extension ClientCommand.Show {
    func run(on server: RemoteServer) async throws {
        var members = try await server.get("/v1/mgmt/client", ["id": clientID]).objectValue ?? [:]
        members["live_grants"] = nil
        show(.object(members))
    }
}

extension ClientCommand.RotateSecret {
    func run(on server: RemoteServer) async throws {
        show(
            try await server.post(
                "/v1/mgmt/client/rotate-secret", ["client_id": .string(clientID), "keep_old": .bool(keepOld)]
            ).text("client_secret"))
    }
}

extension ClientCommand.Remove {
    func run(on server: RemoteServer) async throws {
        try await server.post("/v1/mgmt/client/delete", ["client_id": .string(clientID)])
        print("removed")
    }
}

extension KeyCommand.List {
    func run(on server: RemoteServer) async throws {
        let keys = try await server.get("/v1/mgmt/signing-key/all").list("keys")
        guard !options.json else { return Report.json(.array(keys)) }
        show(
            keys.map { key in
                [key.text("kid"), key.text("alg"), key.text("state")]
                    + ["activates_at", "retires_at", "removed_at"].map { key.time($0).map(Report.text) ?? "-" }
            })
    }
}

extension KeyCommand.Rotate {
    func run(on server: RemoteServer) async throws {
        let key = try await server.post("/v1/mgmt/signing-key/rotate", ["alg": .string(algorithm)])["key"]
        guard let key, let from = key.time("activates_at") else { return print("a newer key is on its way already") }
        print("published \(key.text("kid")); it signs from \(Report.text(from))")
    }
}

extension KeyCommand.Drop {
    func run(on server: RemoteServer) async throws {
        let key = try await server.post("/v1/mgmt/signing-key/drop", ["kid": .string(keyID)])["key"]
        let next = key?.text("kid") ?? ""
        print("dropped \(keyID)" + (next.isEmpty ? "" : "; \(next) signs now"))
    }
}

extension MessageCommand.Test {
    func run(on server: RemoteServer) async throws {
        var members: [String: JSONValue] = ["to": .string(to), "channel": .string(channel)]
        members["locale"] = locale.map(JSONValue.string)
        let id = try await server.post("/v1/mgmt/message/test", members).text("id")
        guard !options.json else { return Report.json(["id": .string(id)]) }
        print("queued \(id); the server sends it")
    }
}

extension MessageCommand.Dead {
    func run(on server: RemoteServer) async throws {
        let letters = try await server.get("/v1/mgmt/message/dead").list("messages").prefix(limit)
        guard !options.json else { return Report.json(.array(Array(letters))) }
        show(
            letters.map { letter in
                [
                    letter.text("id"), letter.text("kind"), letter.text("channel"),
                    "\(letter["attempts"]?.integerValue ?? 0)", letter.time("at").map(Report.text) ?? "-",
                    letter.text("reason"),
                ]
            })
    }
}

extension SCIMTokenCommand.Create {
    func run(on server: RemoteServer) async throws {
        var members: [String: JSONValue] = ["tenantId": .string(tenant), "name": .string(name)]
        members["days"] = days.map(JSONValue.integer)
        let made = try await server.post("/v1/mgmt/scim/token/create", members)
        let secret = made.text("cleartext")
        if made["hasProvenDomain"] == false { SCIMTokenCommand.warn(of: tenant) }
        guard !options.json else { return Report.json(SCIMTokenCommand.json(made["token"] ?? [:], secret)) }
        print("Token (shown once): \(secret)")
    }
}

extension SCIMTokenCommand.List {
    func run(on server: RemoteServer) async throws {
        let tokens = try await server.post("/v1/mgmt/scim/token/search", ["tenantId": .string(tenant)]).list("tokens")
        guard !options.json else { return Report.json(.array(tokens.map { SCIMTokenCommand.json($0) })) }
        show(
            tokens.map { token in
                [
                    token.text("id"), token.text("name"), token.time("createdTime").map(Report.text) ?? "-",
                    token.time("usedTime").map(Report.text) ?? "never",
                    token.time("expireTime").map(Report.text) ?? "-",
                ]
            })
    }
}

extension SCIMTokenCommand.Revoke {
    func run(on server: RemoteServer) async throws {
        try await server.post("/v1/mgmt/scim/token/revoke", ["tenantId": .string(tenant), "id": .string(id)])
        if options.json { Report.json(["revoked": .string(id)]) } else { print("revoked") }
    }
}

extension SCIMTokenCommand {
    /// The interface's token, as `scim token list` prints it.
    fileprivate static func json(_ token: JSONValue, _ secret: String? = nil) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": token["id"] ?? "", "tenant": token["tenantId"] ?? "", "name": token["name"] ?? "",
            "created_at": token["createdTime"] ?? 0,
        ]
        members["expires_at"] = token.time("expireTime").map { .integer($0.rawValue) }
        members["used_at"] = token.time("usedTime").map { .integer($0.rawValue) }
        members["token"] = secret.map(JSONValue.string)
        return .object(members)
    }
}

extension AuditShowCommand {
    func run(on server: RemoteServer) async throws {
        guard !follow, conditions.client == nil else {
            throw CommandFailure.refused("--follow and --client read the database; the console at /admin has both.")
        }
        let now = Ambient.live.now()
        var members: [String: JSONValue] = [
            "limit": .integer(Int64(limit)), "actions": .array(conditions.action.map(JSONValue.string)),
        ]
        if let user = conditions.user {
            // A user who is gone is still found by the identifier.
            let id = (try? await server.user(user).sub) ?? user
            members["userIds"] = [.string(id)]
        }
        members["from"] = conditions.since.map { .integer($0.first(at: now).rawValue * 1_000) }
        members["to"] = conditions.until.map { .integer($0.last(at: now).rawValue * 1_000) }
        let found = try await server.post("/v1/mgmt/audit/search", members).list("audits")
        let records = found.map(AuditRecord.init(remote:))
        show(Array(records.reversed()), AuditTable(records))
    }
}

extension AuditRecord {
    /// A record as the management interface tells it.
    fileprivate init(remote json: JSONValue) {
        let data = json["data"] ?? [:]
        let user = json.text("userId")
        let address = json.text("remoteAddress")
        let changes = AuditChanges.list(data["changes"])
        self.init(
            number: data["number"]?.integerValue ?? 0,
            event: AuditEvent(
                AuditEvent.Kind(rawValue: json.text("action")),
                at: UnixTime(rawValue: (json["occurred"]?.integerValue ?? 0) / 1_000),
                userID: user.isEmpty ? nil : UserID(rawValue: user), clientID: data["clientId"]?.stringValue,
                address: address.isEmpty ? nil : address, reason: data["reason"]?.stringValue,
                actor: data["actor"]?.stringValue, target: data["target"]?.stringValue,
                changes: changes.isEmpty ? nil : AuditChanges(changes, salt: [])),
            loginIDs: json["externalIds"]?.stringArrayValue ?? [], tenants: json["tenants"]?.stringArrayValue ?? [])
    }
}
