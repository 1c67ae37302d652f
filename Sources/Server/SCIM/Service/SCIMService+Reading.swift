internal import KeyturnBase
internal import Model

/// Reading one resource, and searching.
extension SCIMService {
    func read(_ call: SCIMCall) async throws(SCIMFailure) -> SCIMAnswer {
        let record = try await SCIMFailure.store { () async throws(StoreError) in
            try await resources.resource(call.id, call.kind, in: call.tenant)
        }
        guard let record else { throw .problem(.notFound) }
        if call.knows(record.version) {
            return SCIMAnswer(304, version: SCIMResourceView.version(record))
        }
        return try await shown(record, call, status: 200)
    }

    /// The answer with a resource, as the request wants it.
    func shown(_ record: SCIMRecord, _ call: SCIMCall, status: Int) async throws(SCIMFailure) -> SCIMAnswer {
        let view = try SCIMFailure.wrap { () throws(SCIMProblem) in
            let search = try SCIMSearch(query: call.request.query)
            return try SCIMResourceView(
                base: base, call.kind, attributes: search.attributes, excluded: search.excluded)
        }
        let links = try await links(of: [record], call.kind, call.tenant, view)
        return SCIMAnswer(
            status, view.json(record, links: links[record.id] ?? []),
            location: SCIMResourceView.location(record.id, call.kind, base: base),
            version: SCIMResourceView.version(record))
    }

    /// Members of groups, and groups of users, if the view shows them.
    private func links(of records: [SCIMRecord], _ kind: SCIMRecord.Kind, _ tenant: String, _ view: SCIMResourceView)
        async throws(SCIMFailure) -> [String: [SCIMLink]]
    {
        guard view.showsLinks, !records.isEmpty else { return [:] }
        let max = Limits.scimGroupMembersMax
        let links = try await SCIMFailure.store { () async throws(StoreError) in
            try await resources.links(of: records.map(\.id), kind, in: tenant, limit: max + 1)
        }
        guard links.values.reduce(0, { $0 + $1.count }) <= max else {
            throw .problem(
                SCIMProblem(
                    400, .tooMany, "The page has more than \(max) members: ask with excludedAttributes=members."))
        }
        return links
    }

    func search(_ call: SCIMCall, _ search: SCIMSearch) async throws(SCIMFailure) -> SCIMAnswer {
        var query = try SCIMFailure.wrap { () throws(SCIMProblem) in try self.query(call.kind, call.tenant, search) }
        let view = try SCIMFailure.wrap { () throws(SCIMProblem) in
            try SCIMResourceView(base: base, call.kind, attributes: search.attributes, excluded: search.excluded)
        }
        let total = try await count(query)
        if let cursor = search.cursor, !cursor.isEmpty {
            let position = try SCIMFailure.wrap { () throws(SCIMProblem) in
                try cursors.position(cursor, call.tenant, call.kind, search)
            }
            if search.sortBy == nil { query.after = position } else { query.offset = position }
        } else if search.cursor == nil {
            query.offset = search.first - 1
        }
        let isByCursor = search.cursor != nil
        let found = search.limit == 0 ? [] : try await page(query, isByCursor ? search.limit + 1 : search.limit)
        let records = Array(found.prefix(search.limit))
        let links = try await links(of: records, call.kind, call.tenant, view)
        var members: [String: JSONValue] = [
            "schemas": [.string(SCIMSchemas.listResponse)], "totalResults": .integer(Int64(total)),
            "itemsPerPage": .integer(Int64(records.count)),
            "Resources": .array(records.map { view.json($0, links: links[$0.id] ?? []) }),
        ]
        if !isByCursor {
            members["startIndex"] = .integer(search.first)
        } else if found.count > records.count, let last = records.last {
            let position = search.sortBy == nil ? last.number : query.offset + Int64(records.count)
            members["nextCursor"] = .string(cursors.make(position, call.tenant, call.kind, search))
        }
        return SCIMAnswer(200, .object(members))
    }

    /// Users and groups together: first the ones, then the others. A filter on an attribute that a kind does not have
    /// finds none of it.
    func searchAll(_ request: SCIMRequest, _ client: SCIMClient) async throws(SCIMFailure) -> SCIMAnswer {
        let search = try SCIMFailure.wrap { () throws(SCIMProblem) in try SCIMSearch(body: request.body) }
        guard search.cursor == nil else {
            throw .problem(SCIMProblem(400, .invalidCursor, "Search users or groups: only they have cursors."))
        }
        var (skip, room) = (search.first - 1, search.limit)
        var (total, shown): (Int, [JSONValue]) = (0, [])
        var refusal: SCIMProblem?
        var isUnderstood = false
        for kind in [SCIMRecord.Kind.user, .group] {
            var query: SCIMQuery
            do throws(SCIMProblem) {
                query = try self.query(kind, client.tenantID, search)
            } catch {
                refusal = error
                continue
            }
            isUnderstood = true
            let view = try SCIMFailure.wrap { () throws(SCIMProblem) in
                try SCIMResourceView(base: base, kind, attributes: search.attributes, excluded: search.excluded)
            }
            let count = try await count(query)
            total += count
            query.offset = min(skip, Int64(count))
            skip -= query.offset
            guard room > 0 else { continue }
            let records = try await page(query, room)
            room -= records.count
            let links = try await links(of: records, kind, client.tenantID, view)
            shown += records.map { view.json($0, links: links[$0.id] ?? []) }
        }
        if let refusal, !isUnderstood { throw .problem(refusal) }
        return SCIMAnswer(
            200,
            [
                "schemas": [.string(SCIMSchemas.listResponse)], "totalResults": .integer(Int64(total)),
                "startIndex": .integer(search.first), "itemsPerPage": .integer(Int64(shown.count)),
                "Resources": .array(shown),
            ])
    }

    private func query(_ kind: SCIMRecord.Kind, _ tenant: String, _ search: SCIMSearch)
        throws(SCIMProblem) -> SCIMQuery
    {
        var query = SCIMQuery(tenantID: tenant, kind: kind)
        if let filter = search.filter, !filter.isEmpty {
            query.condition = try SCIMFilterParser.filter(filter, kind).condition()
        }
        if let name = search.sortBy {
            guard let path = SCIMPath(name, kind) else {
                throw SCIMProblem(400, .invalidPath, "sortBy names no attribute of the schema.")
            }
            // The order of creation is the order of these.
            if path.key != "meta.created" && path.key != "id" { query.sortPath = path.key }
            query.isDescending = search.isDescending
        }
        return query
    }

    private func count(_ query: SCIMQuery) async throws(SCIMFailure) -> Int {
        try await SCIMFailure.store { () async throws(StoreError) in try await resources.count(query) }
    }

    private func page(_ query: SCIMQuery, _ limit: Int) async throws(SCIMFailure) -> [SCIMRecord] {
        var query = query
        query.limit = limit
        let asked = query
        return try await SCIMFailure.store { () async throws(StoreError) in try await resources.search(asked) }
    }
}
