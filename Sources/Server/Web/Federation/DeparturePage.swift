/// On the way to a provider after a form: browsers do not let the answer to a form redirect to any other site, so this
/// page leads there.
struct DeparturePage: Page {
    static let template = PageTemplate.departure
    static let name = "departure"
    let provider: String
    let uri: String

    func title(_ strings: Strings) -> String { strings[FederationStrings.self].departing(provider) }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[FederationStrings.self]
        return [
            "heading": title(strings), "lead": text.departingLead, "uri": uri, "onward": text.continueWith(provider),
        ]
    }
}
