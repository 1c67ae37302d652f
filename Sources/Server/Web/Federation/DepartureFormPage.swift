/// On the way to a provider that takes its messages as forms: the browser sends this one by itself.
struct DepartureFormPage: Page {
    static let template = PageTemplate.departureForm
    static let name = "departure-form"
    let provider: String
    let action: String
    let fields: [(name: String, value: String)]

    /// The form goes there, and nowhere else.
    var redirectOrigins: [String] { [action] }

    func title(_ strings: Strings) -> String { strings[FederationStrings.self].departing(provider) }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[FederationStrings.self]
        return [
            "heading": title(strings), "lead": text.departingLead, "action": action,
            "fields": fields.map { ["name": $0.name, "value": $0.value] }, "submit": text.continueWith(provider),
        ]
    }
}
