struct FormPostPage: Page {
    static let template = PageTemplate.formPost
    static let name = "form-post"
    /// The client's redirect address.
    let action: String
    let fields: [(name: String, value: String)]

    var redirectOrigins: [String] { [action] }

    func title(_ strings: Strings) -> String { strings[FormPostStrings.self].heading }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[FormPostStrings.self]
        return [
            "heading": text.heading, "lead": text.lead, "action": action,
            "fields": fields.map { ["name": $0.name, "value": $0.value] }, "submit": text.submit,
        ]
    }
}
