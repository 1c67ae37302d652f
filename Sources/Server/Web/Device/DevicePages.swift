internal import HTTPTypes
internal import Model

/// The field for the code that a device shows.
struct DeviceEntryPage: FormPage {
    enum Problem: Sendable {
        case malformed
        case unknown
        case expired
        case tooMany(retryAfterSeconds: Int)

        var status: HTTPResponse.Status {
            if case .tooMany = self { return .tooManyRequests }
            return .unprocessableContent
        }
    }

    static let template = PageTemplate.device
    static let name = "device"
    let form: PageForm
    /// The code that was typed before, or that the address carries.
    let typed: String?
    let problem: Problem?

    func title(_ strings: Strings) -> String { strings[DeviceStrings.self].entryHeading }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[DeviceStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "lead": text.entryLead, "label": text.codeLabel, "hint": text.codeHint,
            "submit": text.entrySubmit, "typed": typed ?? "", "isWrong": problem != nil,
        ]
        switch problem {
        case .malformed: values["problem"] = text.malformed
        case .unknown: values["problem"] = text.unknown
        case .expired: values["problem"] = text.expired
        case .tooMany(let seconds): values["problem"] = strings.tooManyAttempts(strings.time.duration(seconds))
        case nil: break
        }
        return form.values(values)
    }
}

/// Asks the user whether a device may sign in to the account.
struct DeviceQuestionPage: FormPage {
    /// The network that the device's request came from.
    enum Origin: Sendable, CaseIterable {
        /// The user's own network.
        case here
        case elsewhere
        case unknown
    }

    static let template = PageTemplate.deviceQuestion
    static let name = "device"
    let form: PageForm
    let clientName: String
    let userName: String
    /// The user code as the device shows it.
    let userCode: String
    let scopes: [String]
    /// Claims that the app would hear by name, beside those of its scopes.
    var claims: Set<String> = []
    /// The services that the app's tokens would be for.
    var resources: [NamedResource] = []
    /// Whether the client registered itself, and the operator has not checked it.
    var isUnverified = false
    let secondsAgo: Int
    let origin: Origin
    let policyURI: String?
    let tosURI: String?

    func title(_ strings: Strings) -> String { strings[DeviceStrings.self].questionHeading(clientName) }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[DeviceStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "lead": text.questionLead(userName), "codeLead": text.codeLead,
            "userCode": userCode, "warning": text.warning, "scopesLead": text.scopesLead,
            "scopes": scopes.map(strings.scope) + strings.claims(claims) + resources.map(strings.resource),
            "claims": claims.sorted().joined(separator: " "),
            "asked": text.asked(strings.time.since(secondsAgo), origin == .here),
            "allow": text.allow, "deny": strings.deny,
            "other": text.otherAccount, "policy": strings.policy, "terms": strings.terms,
            "hasLinks": policyURI != nil || tosURI != nil,
        ]
        if origin == .elsewhere { values["elsewhere"] = text.elsewhere }
        if isUnverified { values["unverified"] = strings.unverified }
        if let policyURI, policyURI.hasPrefix("https://") { values["policyURI"] = policyURI }
        if let tosURI, tosURI.hasPrefix("https://") { values["tosURI"] = tosURI }
        return form.values(values)
    }
}

/// The outcome for a device.
struct DeviceDonePage: Page {
    enum Kind: String, Sendable, CaseIterable {
        case allowed, denied, expired
        /// The request had been decided before.
        case tooLate = "too_late"
    }

    static let template = PageTemplate.done
    static let name = "device-done"
    let outcome: Kind

    func title(_ strings: Strings) -> String { strings[DeviceStrings.self].doneHeading(outcome) }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[DeviceStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "lead": text.doneLead(outcome), "isGood": outcome == .allowed,
        ]
        values["way"] =
            switch outcome {
            case .expired, .tooLate:
                ["uri": Routes.device, "label": text.anotherCode, "style": "primary"]
            case .allowed, .denied:
                ["uri": Routes.settingsSessions, "label": strings.onward(nil), "style": "way"]
            }
        return values
    }
}
