/// The target of a page's form, and the fields that it carries.
struct PageForm: Sendable {
    /// The address on this server that takes it.
    let action: String
    /// The sealed transaction; `nil` where the session is enough.
    let transaction: String?
    let csrf: String
    /// The origins that the answer may redirect to, besides this server.
    var redirectOrigins: [String] = []

    /// The values for templates, with `others`.
    func values(_ others: [String: Any]) -> [String: Any] {
        var values = others
        values["action"] = action
        values["transaction"] = transaction
        values["csrf"] = csrf
        return values
    }
}
