/// Shows the number that the user types on another device, and waits until they have.
///
/// It is the answer to a GET, which moves on once the sign-in is approved. With scripts, the page asks ``pollURI`` every few
/// seconds, which answers 204 while nothing has happened; without scripts, the page reloads itself, and has a button.
struct ApprovalPage: FormPage {
    static let template = PageTemplate.approval
    static let name = "approval"
    static let polls = true
    let form: PageForm
    /// Two digits; `nil`: the request is over.
    let number: String?
    let pollURI: String
    /// Where the user approves.
    let settingsURI: String

    var refreshSeconds: Int? { number == nil ? nil : 5 }

    func title(_ strings: Strings) -> String { strings[ApprovalStrings.self].heading }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ApprovalStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "cancel": strings.cancel,
            "otherWays": strings[CodeStrings.self].otherWays,
        ]
        if let number {
            values["lead"] = text.lead(settingsURI)
            values["waiting"] = ["number": number, "poll": pollURI]
        } else {
            values["problem"] = text.over
            values["again"] = text.again
        }
        return form.values(values)
    }
}
