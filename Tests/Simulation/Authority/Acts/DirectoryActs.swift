import Identity
import KeyturnBase
import KeyturnWire
import Model
import SCIM

/// A tenant's directory, by its provisioning token.
enum DirectoryActs {
    private static func request(
        _ person: Person, _ tenant: String, _ name: String, keepsOut: Bool = true, of owner: String? = nil,
        done: @escaping @Sendable (inout Scene) -> Void = { _ in },
        _ make: @escaping @Sendable (Scene) async throws -> SCIMRequest
    ) -> AuthorityAct {
        AuthorityAct(
            name: "\(tenant)'s directory \(name)", person: person,
            traits: AuthorityAct.Traits(tenant: tenant, opensAccounts: true, keepsOut: keepsOut)
        ) { scene in
            let request = try await make(scene)
            // The token names the tenant, whatever the address says.
            let opened = scene.fault == .tokenOfAnyTenant ? owner ?? tenant : tenant
            let client = SCIMClient(tenantID: opened, tokenID: "token-of-\(tenant)", address: nil)
            let answer = try await scene.services.provisioning.answer(request, from: client)
            guard answer.status < 300 else {
                throw Refused("\(answer.status) \(answer.body?["detail"]?.stringValue ?? "")")
            }
            done(&scene)
        }
    }

    /// Makes a user.
    static func create(_ person: Person, in tenant: String, _ userName: String, email: String, subject: String)
        -> AuthorityAct
    {
        request(
            person, tenant, "makes \(userName)",
            done: { scene in
                guard let target = Person.reading(email) else { return }
                scene.deactivate(target, by: tenant, isOut: false)
            }
        ) { _ in
            let body: JSONValue = [
                "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": .string(userName),
                "externalId": .string(subject), "active": true,
                "emails": [["value": .string(email), "primary": true]],
            ]
            return SCIMRequest(method: "POST", path: ["Users"], body: body)
        }
    }

    /// Changes members of a user.
    static func patch(
        _ person: Person, in tenant: String, _ userName: String, _ path: String, _ value: JSONValue,
        ofTenant owner: String? = nil
    ) -> AuthorityAct {
        let shown = String(decoding: value.serialized, as: UTF8.self)
        let name = "sets \(path) of \(userName) to \(shown)"
        return request(
            person, tenant, name, of: owner,
            done: { scene in
                guard path == "active", let target = Person(rawValue: userName) else { return }
                scene.deactivate(target, by: tenant, isOut: value == false)
            }
        ) { scene in
            let body: JSONValue = [
                "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
                "Operations": [["op": "replace", "path": .string(path), "value": value]],
            ]
            return SCIMRequest(
                method: "PATCH", path: ["Users", try await scene.resource(userName, in: owner ?? tenant)], body: body)
        }
    }

    static func delete(_ person: Person, in tenant: String, _ userName: String) -> AuthorityAct {
        request(
            person, tenant, "removes \(userName)",
            done: { scene in
                guard let target = Person(rawValue: userName) else { return }
                scene.deactivate(target, by: tenant, isOut: false)
                scene.state.past.removed[target, default: []].insert(tenant)
            }
        ) { scene in
            SCIMRequest(method: "DELETE", path: ["Users", try await scene.resource(userName, in: tenant)])
        }
    }
}

extension Scene {
    fileprivate mutating func deactivate(_ target: Person, by tenant: String, isOut: Bool) {
        if isOut {
            state.past.deactivated[target, default: []].insert(tenant)
        } else {
            state.past.deactivated[target]?.remove(tenant)
            state.past.removed[target]?.remove(tenant)
        }
    }

    /// The identifier of a user of a directory.
    fileprivate func resource(_ userName: String, in tenant: String) async throws -> String {
        let client = SCIMClient(tenantID: tenant, tokenID: "reading", address: nil)
        let answer = try await services.provisioning.answer(
            SCIMRequest(method: "GET", path: ["Users"], query: ["filter": "userName eq \"\(userName)\""]), from: client)
        guard let id = answer.body?["Resources"]?.arrayValue?.first?["id"]?.stringValue else { throw NothingToDo() }
        return id
    }
}
