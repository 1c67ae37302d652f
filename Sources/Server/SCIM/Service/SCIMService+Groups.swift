internal import KeyturnBase
internal import Model

/// Groups.
extension SCIMService {
    func createGroup(_ call: SCIMCall) async throws(SCIMFailure) -> SCIMAnswer {
        let body = call.request.body ?? .null
        let (content, members) = try SCIMFailure.wrap { () throws(SCIMProblem) in
            let attributes = try SCIMResourceReader.read(body, .group)
            return (try SCIMContent(attributes, .group, isActive: true), try Self.members(in: body) ?? [])
        }
        let outcome = try await SCIMFailure.store { () async throws(StoreError) in
            try await groups.createGroup(
                UserID.make(ambient).rawValue, by: try permission(call), content, members: members, at: ambient.now())
        }
        let record = try SCIMFailure.wrap { () throws(SCIMProblem) in try outcome.get() }
        self.record(
            .provisionedGroupCreated, call.client, record, changes: changes(from: nil, to: record, [.add(members)]))
        return try await shown(record, call, status: 201)
    }

    /// PUT and PATCH.
    func changeGroup(_ call: SCIMCall) async throws(SCIMFailure) -> SCIMAnswer {
        let body = call.request.body ?? .null
        let (edit, steps) = try SCIMFailure.wrap { () throws(SCIMProblem) in
            let edit = try SCIMEdit(call.request.method == "PATCH", body, .group)
            return (
                edit, edit.isPatch ? try edit.members() : [.replace(try Self.members(in: body) ?? [])]
            )
        }
        let before = try await SCIMFailure.store { () async throws(StoreError) in
            try await resources.resource(call.id, .group, in: call.tenant)
        }
        let outcome = try await SCIMFailure.store { () async throws(StoreError) in
            try await groups.changeGroup(call.id, by: try permission(call), at: ambient.now()) { record in
                guard call.allows(record.version) else { return .failure(.changed) }
                do throws(SCIMProblem) {
                    let attributes = try edit.attributes(of: record)
                    let content =
                        attributes == record.attributes ? nil : try SCIMContent(attributes, .group, isActive: true)
                    return .success(SCIMGroupChange(content: content, members: steps))
                } catch {
                    return .failure(error)
                }
            }
        }
        let record = try SCIMFailure.wrap { () throws(SCIMProblem) in try outcome.get() }
        self.record(
            .provisionedGroupChanged, call.client, record, changes: changes(from: before, to: record, steps))
        // Entra wants no body, which would name all members.
        if edit.isPatch, call.request.query["attributes"] == nil {
            return SCIMAnswer(
                204, location: SCIMResourceView.location(record.id, .group, base: base),
                version: SCIMResourceView.version(record))
        }
        return try await shown(record, call, status: 200)
    }

    /// What a request asked for: members by their identifiers, also those that were there, or were not.
    private func changes(
        from before: SCIMRecord?, to after: SCIMRecord, _ steps: [SCIMGroupChange.Members]
    ) -> AuditChanges? {
        let note = ChangeNote(ambient, roleName: directory.roleName)
        note.set(from: before.map { SCIMGroupState($0, []) }, to: SCIMGroupState(after, steps))
        return note.changes
    }

    private static func members(in body: JSONValue) throws(SCIMProblem) -> [String]? {
        guard let value = body.objectValue?.first(where: { $0.key.lowercased() == "members" })?.value else {
            return nil
        }
        return try SCIMPatch.memberIDs(value)
    }
}
