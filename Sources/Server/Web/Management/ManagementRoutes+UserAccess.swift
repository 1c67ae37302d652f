internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Sessions of users, and the messages that get users in again.
extension ManagementRoutes {
    private var access: ManagedUserAccess { services.managedUserAccess }

    var userAccessRoutes: [Route] {
        [
            frame.route(.get, "/v1/mgmt/user/sessions", for: .readUsers) { request in
                let account = try await services.managedUsers.find(
                    userID: request.parameter("userId"), loginID: request.parameter("loginId"))
                return json(try await access.sessions(of: account.user.id))
            },
            frame.route(.post, "/v1/mgmt/user/sessions/end", for: .endSessions, run: endSession),
            frame.route(.post, "/v1/mgmt/user/secondfactor/delete", for: .removeAuthenticator) { request in
                let account = try await services.managedUsers.find(request.body)
                try await access.removeSecondFactor(of: account, by: request.actor)
                return [:]
            },
            frame.route(.post, "/v1/mgmt/user/password/reset", for: .expirePassword) { request in
                let account = try await services.managedUsers.find(request.body)
                try await access.sendPasswordReset(
                    to: account, isExpiring: try request.body.flag("expire") ?? false, by: request.actor,
                    from: request.address)
                return [:]
            },
            frame.route(.post, "/v1/mgmt/user/invite", for: .expirePassword) { request in
                let account = try await services.managedUsers.find(request.body)
                try await access.sendInvitation(to: account, by: request.actor)
                return [:]
            },
            frame.route(.post, "/v1/mgmt/user/merge", for: .mergeAccounts) { request in
                let account = try await services.managedUsers.find(request.body)
                let other = try await services.managedUsers.find(
                    userID: request.body.text("otherUserId"), loginID: request.body.text("otherLoginId"))
                return user(try await access.merge(other, into: account, by: request.actor))
            },
        ]
    }

    /// Ends one browser session (`sessionId`), one sign-in to an app (`grantId`), or removes the biometric key of one
    /// device (`keyId`).
    private func endSession(_ request: ManagementRequest) async throws -> JSONValue {
        let account = try await services.managedUsers.find(request.body)
        let isEnded: Bool
        if let id = try request.body.text("sessionId") {
            isEnded = try await access.end(SessionID(rawValue: id), of: account, by: request.actor)
        } else if let id = try request.body.text("grantId") {
            guard let grant = GrantID(text: id) else { throw MethodProblem.invalidArguments }
            isEnded = try await access.end(grant, of: account, by: request.actor)
        } else {
            let id = try request.body.requiredText("keyId")
            isEnded = try await access.removeBiometricKey(id, of: account, by: request.actor)
        }
        return ["ended": .bool(isEnded)]
    }

    private func json(_ signedIn: AccountSettings.SignedIn) -> JSONValue {
        [
            "sessions": .array(signedIn.others.map(json)), "apps": .array(signedIn.apps.map(json)),
            "biometricKeys": .array(signedIn.keys.map(json)),
        ]
    }

    private func json(_ open: OpenSession) -> JSONValue {
        let origin = open.session.origin
        return [
            "sessionId": .string(open.session.id.rawValue), "device": .string(origin.device ?? ""),
            "remoteAddress": .string(origin.address ?? ""), "country": .string(origin.country ?? ""),
            "createdTime": .integer(open.session.createdAt.rawValue), "usedTime": .integer(open.usedAt.rawValue),
            "expireTime": .integer(open.session.expiresAt.rawValue),
        ]
    }

    private func json(_ app: AccountSettings.SignedInApp) -> JSONValue {
        [
            "grantId": .string(app.grant.id.text), "clientId": .string(app.grant.clientID),
            "clientName": .string(app.name ?? services.project.name), "device": .string(app.origin.device ?? ""),
            "remoteAddress": .string(app.origin.address ?? ""),
            "sessionId": .string(app.grant.sessionID?.rawValue ?? ""),
            "createdTime": .integer(app.grant.createdAt.rawValue), "usedTime": .integer(app.usedAt.rawValue),
            "expireTime": .integer(min(app.grant.idleExpiresAt, app.grant.absoluteExpiresAt).rawValue),
        ]
    }

    private func json(_ key: AccountSettings.BiometricKey) -> JSONValue {
        [
            "keyId": .string(key.key.id), "clientId": .string(key.key.clientID), "device": .string(key.key.device),
            "createdTime": .integer(key.key.createdAt.rawValue),
            "usedTime": .integer(key.key.usedAt?.rawValue ?? 0),
        ]
    }
}
