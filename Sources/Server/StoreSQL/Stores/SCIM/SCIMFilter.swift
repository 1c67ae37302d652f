internal import KeyturnBase
internal import Model

/// A ``SCIMCondition`` as SQL with its parameters. In the statement, the resource is `r`.
struct SCIMFilter {
    private(set) var text = ""
    private(set) var values: Values = []
    private let words: any SQLFragments
    private let tenant: String

    init(_ query: SCIMQuery, _ words: any SQLFragments) {
        self.words = words
        tenant = query.tenantID
        text = "WHERE r.tenant_id = ? AND r.kind = ?"
        values = [query.tenantID, query.kind.rawValue]
        if query.after > 0 {
            text += " AND r.number > ?"
            values.append(query.after)
        }
        guard let condition = query.condition else { return }
        text += " AND "
        add(condition, kind: query.kind, element: nil)
    }

    /// - Parameter element: the table of the element that all values must belong to; `nil`: any.
    private mutating func add(_ condition: SCIMCondition, kind: SCIMRecord.Kind, element: String?) {
        switch condition {
        case .all(let parts): join(parts, " AND ", kind, element)
        case .any(let parts): join(parts, " OR ", kind, element)
        case .not(let part):
            text += "NOT ("
            add(part, kind: kind, element: element)
            text += ")"
        case .value(let path, let match, let wanted):
            addValue(path, match, wanted, element)
        case .element(let attribute, let part):
            text += "EXISTS (SELECT 1 FROM scim_value e WHERE e.number = r.number AND e.path = ? AND ("
            values.append(attribute)
            add(part, kind: kind, element: "e")
            text += "))"
        case .moment(let moment, let match, let time):
            let column = moment == .created ? "r.created_at" : "r.updated_at"
            compare(column, match, time.rawValue)
        case .id(let match, let wanted): compare("r.id", match, wanted)
        case .linked(let id):
            let (own, other) = Self.ends(kind)
            text += """
                r.number IN (SELECT m.\(own) FROM scim_member m, scim_resource x
                    WHERE x.number = m.\(other) AND x.id = ? AND x.tenant_id = ?)
                """
            values += [id, tenant]
        case .anyLinked:
            text += "EXISTS (SELECT 1 FROM scim_member m WHERE m.\(Self.ends(kind).own) = r.number)"
        }
    }

    /// The columns of `scim_member` with the resource itself and with the others.
    static func ends(_ kind: SCIMRecord.Kind) -> (own: String, other: String) {
        kind == .group ? ("group_number", "user_number") : ("user_number", "group_number")
    }

    private mutating func join(
        _ parts: [SCIMCondition], _ word: String, _ kind: SCIMRecord.Kind, _ element: String?
    ) {
        text += "("
        for (index, part) in parts.enumerated() {
            if index > 0 { text += word }
            add(part, kind: kind, element: element)
        }
        text += ")"
    }

    private mutating func addValue(
        _ path: String, _ match: SCIMCondition.Match, _ wanted: String, _ element: String?
    ) {
        if let element {
            text += "EXISTS (SELECT 1 FROM scim_value v WHERE v.number = \(element).number "
            text += "AND v.element = \(element).element AND v.path = ?"
        } else {
            // By the index of the texts: no row of another tenant is looked at.
            text += "r.number IN (SELECT v.number FROM scim_value v WHERE v.tenant_id = ? AND v.path = ?"
            values.append(tenant)
        }
        values.append(path)
        if match != .present {
            text += " AND "
            compare("v.value", match, wanted)
        }
        text += ")"
    }

    private mutating func compare(_ column: String, _ match: SCIMCondition.Match, _ wanted: any SQLValue) {
        switch match {
        case .equal: text += "\(column) = ?"
        case .greater: text += "\(column) > ?"
        case .greaterOrEqual: text += "\(column) >= ?"
        case .less: text += "\(column) < ?"
        case .lessOrEqual: text += "\(column) <= ?"
        case .contains: text += "\(words.position(of: "?", in: column)) > 0"
        case .startsWith: text += "\(words.position(of: "?", in: column)) = 1"
        case .endsWith:
            text += "(length(\(column)) >= length(?) AND substr(\(column), length(\(column)) - length(?) + 1) = ?)"
            values += [wanted, wanted]
        case .present:
            text += "\(column) IS NOT NULL"
            return
        }
        values.append(wanted)
    }
}
