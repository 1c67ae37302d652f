internal import KeyturnBase
internal import Model

/// The conditions of an ``AuditQuery`` as SQL, with their parameters.
struct AuditFilter {
    private(set) var values: Values = []
    private var conditions: [String] = []
    private let words: any SQLFragments

    /// `WHERE …`, or empty.
    var condition: String { conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))" }

    init(_ query: AuditQuery, _ words: any SQLFragments) {
        self.words = words
        any("kind", query.kinds.map(\.rawValue))
        if !query.excludedKinds.isEmpty {
            add("kind NOT IN (\(Self.marks(query.excludedKinds)))", query.excludedKinds.map(\.rawValue))
        }
        any("user_id", query.users.map(\.rawValue))
        any("client_id", query.clients)
        any("actor", query.actors)
        any("address", query.addresses)
        addUsers(query)
        addMethods(query.methods)
        if let from = query.from { add("at >= ?", [from.rawValue]) }
        if let to = query.to { add("at <= ?", [to.rawValue]) }
        if let after = query.after { add("number > ?", [after]) }
        if let before = query.before { add("number < ?", [before]) }
        if let text = query.text { addText(text) }
    }

    /// Conditions on the present state of the event's user.
    private mutating func addUsers(_ query: AuditQuery) {
        if !query.loginIDs.isEmpty {
            let spelled = query.loginIDs.flatMap(\.spellings)
            let pairs = spelled.map { _ in "(?, ?)" }.joined(separator: ", ")
            add(
                "user_id IN (SELECT user_id FROM identifier WHERE (kind, value) IN (VALUES \(pairs)))",
                spelled.flatMap { [$0.kind, $0.value] })
        }
        guard !query.tenants.isEmpty else { return }
        let belongs = "user_id IN (SELECT user_id FROM membership WHERE tenant_id IN (\(Self.marks(query.tenants))))"
        let none = "NOT EXISTS (SELECT 1 FROM membership m WHERE m.user_id = audit_event.user_id)"
        add(query.includesNoTenant ? "(\(belongs) OR \(none))" : belongs, query.tenants)
    }

    /// A reason of several words names several methods.
    private mutating func addMethods(_ methods: [String]) {
        guard !methods.isEmpty else { return }
        any("kind", [AuditEvent.Kind.signedIn.rawValue])
        let found = "\(words.position(of: "' ' || ? || ' '", in: "' ' || coalesce(reason, '') || ' '")) > 0"
        add("(\(methods.map { _ in found }.joined(separator: " OR ")))", methods)
    }

    private mutating func addText(_ text: String) {
        let columns = ["kind", "reason", "address", "target", "user_id", "client_id", "actor"]
        let joined = columns.map { "coalesce(\($0), '')" }.joined(separator: " || ' ' || ")
        add("\(words.position(of: "?", in: joined)) > 0", [text])
    }

    private mutating func any(_ column: String, _ texts: [String]) {
        guard !texts.isEmpty else { return }
        add("\(column) IN (\(Self.marks(texts)))", texts)
    }

    private mutating func add(_ condition: String, _ values: Values) {
        conditions.append(condition)
        self.values += values
    }

    private static func marks(_ values: [some Any]) -> String {
        values.map { _ in "?" }.joined(separator: ", ")
    }
}
