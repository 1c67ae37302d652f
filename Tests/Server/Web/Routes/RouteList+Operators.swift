import Authority
import Foundation
import Model

@testable import Web

extension RouteList {
    /// The rows of the management interface that operators may call with their own token, with the lowest role. `recent`:
    /// the sign-in is one of the last minutes.
    private static let operatorRows = """
        POST /v1/mgmt/audit/search: viewer
        GET /v1/mgmt/client: viewer
        GET /v1/mgmt/client/all: viewer
        POST /v1/mgmt/client/create: operator, recent
        POST /v1/mgmt/client/delete: operator, recent
        PATCH /v1/mgmt/client/patch: operator, recent
        POST /v1/mgmt/client/rotate-secret: operator, recent
        GET /v1/mgmt/message/dead: viewer
        GET /v1/mgmt/message/preview: viewer
        POST /v1/mgmt/message/retry: support
        POST /v1/mgmt/message/test: support
        GET /v1/mgmt/message/waiting: viewer
        GET /v1/mgmt/operator/all: viewer
        POST /v1/mgmt/operator/update: owner, recent
        GET /v1/mgmt/password/settings: viewer
        GET /v1/mgmt/permission/all: viewer
        POST /v1/mgmt/permission/create: operator, recent
        GET /v1/mgmt/role/all: viewer
        POST /v1/mgmt/role/create: operator, recent
        POST /v1/mgmt/role/delete: operator, recent
        POST /v1/mgmt/role/search: viewer
        POST /v1/mgmt/scim/token/create: operator, recent
        POST /v1/mgmt/scim/token/revoke: operator, recent
        POST /v1/mgmt/scim/token/search: viewer
        GET /v1/mgmt/signing-key/all: viewer
        POST /v1/mgmt/signing-key/drop: operator, recent
        POST /v1/mgmt/signing-key/rotate: operator, recent
        GET /v1/mgmt/tenant: viewer
        GET /v1/mgmt/tenant/all: viewer
        POST /v1/mgmt/tenant/create: operator, recent
        POST /v1/mgmt/tenant/delete: operator, recent
        POST /v1/mgmt/tenant/search: viewer
        GET /v1/mgmt/user: viewer
        POST /v1/mgmt/user/create: operator, recent
        POST /v1/mgmt/user/delete: operator, recent
        POST /v1/mgmt/user/invite: support, recent
        POST /v1/mgmt/user/logout: support
        POST /v1/mgmt/user/merge: operator, recent
        POST /v1/mgmt/user/password/reset: support, recent
        POST /v1/mgmt/user/password/set/active: operator, recent
        POST /v1/mgmt/user/secondfactor/delete: support, recent
        GET /v1/mgmt/user/sessions: viewer
        POST /v1/mgmt/user/sessions/end: support
        POST /v1/mgmt/user/update/role/add: operator, recent
        POST /v1/mgmt/user/update/role/remove: operator, recent
        POST /v1/mgmt/user/update/status: support
        POST /v1/mgmt/user/update/tenant/add: operator, recent
        POST /v1/mgmt/user/update/tenant/remove: operator, recent
        POST /v2/mgmt/user/search: viewer
        """

    static let operators: [String: (role: ConsoleRole, isRecent: Bool)] = {
        var rows: [String: (role: ConsoleRole, isRecent: Bool)] = [:]
        for line in operatorRows.split(separator: "\n") {
            let parts = line.split(separator: ": ").map(String.init)
            let words = parts[1].components(separatedBy: ", ")
            rows[parts[0]] = (ConsoleRole(rawValue: words[0]) ?? .owner, words.contains("recent"))
        }
        return rows
    }()
}
