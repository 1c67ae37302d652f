/// The page with which the owner of an account says that a sign-in was not theirs.
struct DisputePage: Page {
    enum State: Sendable {
        case live(token: String, signedInAt: String)
        case done
        /// The link is over, or was never made.
        case gone
    }

    static let template = PageTemplate.dispute
    static let name = "dispute"
    /// `nil` where nothing can be sent.
    let form: PageForm?
    let state: State
    let projectName: String

    func title(_ strings: Strings) -> String {
        let text = strings[DisputeStrings.self]
        switch state {
        case .live: return text.heading
        case .done: return text.doneHeading
        case .gone: return text.goneHeading
        }
    }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[DisputeStrings.self]
        var values: [String: Any] = ["heading": title(strings), "text": text]
        switch state {
        case .live(let token, let time):
            values["lead"] = text.lead(projectName)
            values["live"] = ["token": token, "facts": [["name": text.when, "value": time]]]
        case .done:
            values["lead"] = text.doneLead
            values["done"] = true
            values["way"] = ["uri": Routes.settingsPassword, "label": text.reset]
        case .gone:
            values["lead"] = text.goneLead
            values["way"] = ["uri": Routes.settings, "label": strings.onward(nil)]
        }
        return form?.values(values) ?? values
    }
}
