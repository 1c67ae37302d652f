internal import KeyturnBase
internal import Model

/// Reads of provisioned resources.
struct ValueSCIMResourceStore: SCIMResourceStore {
    let database: ValueDatabase

    func resource(_ id: String, _ kind: SCIMRecord.Kind, in tenant: String) throws(StoreError) -> SCIMRecord? {
        try database.read { $0.resource(id, kind, in: tenant)?.record }
    }

    func search(_ query: SCIMQuery) throws(StoreError) -> [SCIMRecord] {
        try database.read { world in
            let sorted = query.ordered(world.resources(of: query).sorted { $0.number < $1.number })
            return sorted.dropFirst(Int(query.offset)).prefix(query.limit).map(\.record)
        }
    }

    func count(_ query: SCIMQuery) throws(StoreError) -> Int {
        try database.read { $0.resources(of: query).count }
    }

    func links(of ids: [String], _ kind: SCIMRecord.Kind, in tenant: String, limit: Int) throws(StoreError)
        -> [String: [SCIMLink]]
    {
        try database.read { world in
            let own = ids.compactMap { world.resource($0, kind, in: tenant) }
            let pairs = own.flatMap { row in world.linked(to: row).map { (own: row.id, other: $0) } }
            var result: [String: [SCIMLink]] = [:]
            for (own, other) in pairs.sorted(by: { $0.other.number < $1.other.number }).prefix(limit) {
                let display = other.content.values.first { $0.path == "display" && $0.element == 0 }?.text
                result[own, default: []].append(SCIMLink(id: other.id, display: display))
            }
            return result
        }
    }
}

extension SCIMQuery {
    /// - Parameter rows: in the order of creation.
    fileprivate func ordered(_ rows: [ResourceRow]) -> [ResourceRow] {
        guard let sortPath else { return isDescending ? rows.reversed() : rows }
        if sortPath == "meta.lastmodified" {
            return rows.stablySorted { isDescending ? $1.updatedAt < $0.updatedAt : $0.updatedAt < $1.updatedAt }
        }
        func text(_ row: ResourceRow) -> String? {
            row.content.values.filter { $0.path == sortPath }.map(\.text).min()
        }
        return rows.stablySorted { one, other in
            guard let left = text(one) else { return false }
            guard let right = text(other) else { return true }
            return isDescending ? right < left : left < right
        }
    }
}

extension [ResourceRow] {
    fileprivate func stablySorted(_ precedes: (ResourceRow, ResourceRow) -> Bool) -> [ResourceRow] {
        let sorted = enumerated().sorted { one, other in
            if precedes(one.element, other.element) { return true }
            return one.offset < other.offset && !precedes(other.element, one.element)
        }
        return sorted.map(\.element)
    }
}

extension StoreWorld {
    fileprivate func resources(of query: SCIMQuery) -> [ResourceRow] {
        resources.values.filter { row in
            row.tenantID == query.tenantID && row.kind == query.kind && row.number > query.after
                && (query.condition.map { meets($0, row, element: nil) } ?? true)
        }
    }

    /// A group's users, or a user's groups.
    fileprivate func linked(to row: ResourceRow) -> [ResourceRow] {
        switch row.kind {
        case .group: users(ofGroup: row.number)
        case .user: members.filter { $0.user == row.number }.compactMap { resources[$0.group] }
        }
    }

    /// - Parameter element: to which all values must belong; `nil`: to any.
    private func meets(_ condition: SCIMCondition, _ row: ResourceRow, element: Int?) -> Bool {
        switch condition {
        case .all(let parts): parts.allSatisfy { meets($0, row, element: element) }
        case .any(let parts): parts.contains { meets($0, row, element: element) }
        case .not(let part): !meets(part, row, element: element)
        case .value(let path, let match, let wanted):
            row.content.values.contains { value in
                value.path == path && (element == nil || value.element == element)
                    && match.accepts(value.text, wanted)
            }
        case .element(let attribute, let part):
            row.content.values.contains { $0.path == attribute && meets(part, row, element: $0.element) }
        case .moment(let moment, let match, let time):
            match.accepts(moment == .created ? row.createdAt : row.updatedAt, time)
        case .id(let match, let wanted): match.accepts(row.id, wanted)
        case .linked(let id): linked(to: row).contains { $0.id == id && $0.tenantID == row.tenantID }
        case .anyLinked: !linked(to: row).isEmpty
        }
    }
}

extension SCIMCondition.Match {
    fileprivate func accepts(_ text: String, _ wanted: String) -> Bool {
        switch self {
        case .contains: text.contains(wanted)
        case .startsWith: text.hasPrefix(wanted)
        case .endsWith: text.hasSuffix(wanted)
        default: compares(text, wanted)
        }
    }

    fileprivate func accepts(_ time: UnixTime, _ wanted: UnixTime) -> Bool { compares(time, wanted) }

    private func compares<Value: Comparable>(_ value: Value, _ wanted: Value) -> Bool {
        switch self {
        case .equal: value == wanted
        case .greater: value > wanted
        case .greaterOrEqual: value >= wanted
        case .less: value < wanted
        case .lessOrEqual: value <= wanted
        case .present: true
        case .contains, .startsWith, .endsWith: false
        }
    }
}
