internal import KeyturnBase
internal import Model

/// Searches of users.
extension SQLUserStore {
    func search(_ query: UserQuery) async throws(StoreError) -> [Account] {
        let words = database.dialect.fragments
        let filter = UserFilter(query, words)
        // The newest first: in the order of an index, be there ever so many of one moment.
        let last = query.sort == [UserQuery.Sort(.createdTime, isDescending: true)] ? "u.rowid DESC" : "u.rowid"
        let order = (query.sort.map { UserFilter.order($0, words) } + [last]).joined(separator: ", ")
        let sql = "\(Self.account(words)) \(filter.condition) ORDER BY \(order) LIMIT ? OFFSET ?"
        let values = filter.values + [query.limit, query.limit * query.page]
        return try await database.read { db in try db.search(sql, values).map(Self.account) }
    }

    func count(_ query: UserQuery) async throws(StoreError) -> Int {
        let filter = UserFilter(query, database.dialect.fragments)
        var (counted, values) = ("FROM \"user\" u \(filter.condition)", filter.values)
        if let max = query.countMax {
            counted = "FROM (SELECT 1 AS one \(counted) LIMIT ?) c"
            values.append(max)
        }
        let (sql, parameters) = ("SELECT count(*) AS count \(counted)", values)
        return try await database.read { db in try db.search(sql, parameters).first?["count"] ?? 0 }
    }
}

/// The conditions of a ``UserQuery`` as SQL, with their parameters. In the statement, the user is `u`.
struct UserFilter {
    private(set) var values: Values = []
    private var conditions: [String] = []
    private let words: any SQLFragments

    /// `WHERE …`, or empty.
    var condition: String { conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))" }

    init(_ query: UserQuery, _ words: any SQLFragments) {
        self.words = words
        switch query.testUsers {
        case .without: add("u.is_test = 0")
        case .with: break
        case .only: add("u.is_test = 1")
        }
        if !query.users.isEmpty { add("u.id IN (\(Self.marks(query.users)))", query.users.map(\.rawValue)) }
        if !query.statuses.isEmpty {
            add("u.status IN (\(Self.marks(query.statuses)))", query.statuses.map(\.rawValue))
        }
        addMemberships(query)
        for identifiers in query.identifiers {
            let spelled = identifiers.flatMap(\.spellings)
            let pairs = spelled.map { _ in "(?, ?)" }.joined(separator: ", ")
            add(
                "u.id IN (SELECT user_id FROM identifier WHERE \(pairs.isEmpty ? "1 = 0" : "(kind, value) IN (VALUES \(pairs))"))",
                spelled.flatMap { [$0.kind, $0.value] })
        }
        if let text = query.text { add(text: text) }
        for (name, value) in query.attributes.sorted(by: { $0.key < $1.key }) {
            add(
                """
                EXISTS (SELECT 1 FROM \(words.jsonMembers("u.attributes", as: "a"))
                    WHERE a.key = ? AND \(words.jsonMember(of: "a", equals: "?")))
                """,
                [name, words.jsonValue(value)])
        }
        if let time = query.createdFrom { add("u.created_at >= ?", [time.rawValue]) }
        if let time = query.createdBefore { add("u.created_at < ?", [time.rawValue]) }
        if let time = query.updatedFrom { add("u.updated_at >= ?", [time.rawValue]) }
        if let time = query.updatedBefore { add("u.updated_at < ?", [time.rawValue]) }
    }

    /// The login IDs are searched once, and not again for each user: that is several times as fast. A name is read only
    /// where the claims have the text anywhere, which is quicker than reading JSON.
    private mutating func add(text: String) {
        let name = words.lowercase("coalesce(\(words.jsonText("u.claims", "name")), '')")
        let spellings = Self.spellings(text)
        // In JSON, these two are written otherwise.
        let isPlain = !text.contains("\"") && !text.contains("\\")
        let inName = spellings.map { _ in
            let isThere = "\(words.position(of: "?", in: name)) > 0"
            guard isPlain else { return isThere }
            return "(\(words.position(of: "?", in: words.lowercase("u.claims"))) > 0 AND \(isThere))"
        }
        add(
            """
            (u.id IN (SELECT user_id FROM identifier WHERE \(words.position(of: "?", in: "value")) > 0)
                OR \(inName.joined(separator: " OR ")))
            """, [text] + spellings.flatMap { isPlain ? [$0, $0] : [$0] })
    }

    /// A text as names may have it: databases make only ASCII letters small, so the first letters of words may be large
    /// others.
    private static func spellings(_ text: String) -> [String] {
        var isFirst = true
        var spelled = ""
        for character in text {
            spelled += isFirst && !character.isASCII ? character.uppercased() : String(character)
            isFirst = character == " " || character == "-"
        }
        return spelled == text ? [text] : [text, spelled]
    }

    private mutating func addMemberships(_ query: UserQuery) {
        if !query.tenants.isEmpty {
            add(
                "u.id IN (SELECT user_id FROM membership WHERE tenant_id IN (\(Self.marks(query.tenants))))",
                query.tenants)
        }
        if !query.roles.isEmpty {
            let marks = Self.marks(query.roles)
            add(
                """
                (EXISTS (SELECT 1 FROM \(words.jsonElements("u.roles", as: "r")) WHERE r.value IN (\(marks))) OR EXISTS (
                    SELECT 1 FROM membership m, \(words.jsonElements("m.roles", as: "r"))
                    WHERE m.user_id = u.id AND r.value IN (\(marks))))
                """, query.roles + query.roles)
        }
        guard !query.tenantRoles.isEmpty else { return }
        let each = query.tenantRoles.map { wanted in
            """
            (m.tenant_id = ? AND ? <= (
                SELECT count(DISTINCT r.value) FROM \(words.jsonElements("m.roles", as: "r"))
                WHERE r.value IN (\(Self.marks(wanted.roles)))))
            """
        }
        add(
            "u.id IN (SELECT m.user_id FROM membership m WHERE \(each.joined(separator: " OR ")))",
            query.tenantRoles.flatMap { wanted -> Values in
                let least = wanted.needsAll ? Set(wanted.roles).count : 1
                return [wanted.tenant, max(1, least)] + wanted.roles
            })
    }

    private mutating func add(_ condition: String, _ values: Values = []) {
        conditions.append(condition)
        self.values += values
    }

    /// One term of `ORDER BY`. Users without a value come last.
    static func order(_ sort: UserQuery.Sort, _ words: any SQLFragments) -> String {
        func claim(_ name: String) -> String { words.lowercase(words.jsonText("u.claims", name)) }
        let column =
            switch sort.key {
            case .createdTime: "u.created_at"
            case .modifiedTime: "u.updated_at"
            case .name: claim("name")
            case .givenName: claim("given_name")
            case .familyName: claim("family_name")
            case .email: claim("email")
            case .phone: claim("phone_number")
            case .status: "u.status"
            case .userId: "u.id"
            case .loginId: "(SELECT min(value) FROM identifier WHERE user_id = u.id)"
            }
        return "\(column) \(sort.isDescending ? "DESC" : "ASC") NULLS LAST"
    }

    /// What stands between the parentheses of `IN`. Nothing is in an empty list.
    private static func marks(_ values: [some Any]) -> String {
        values.isEmpty ? "NULL" : values.map { _ in "?" }.joined(separator: ", ")
    }
}
