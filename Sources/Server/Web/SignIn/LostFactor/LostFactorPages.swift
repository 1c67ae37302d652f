/// A second factor is lost: explains its removal, and asks for the other factor that it needs.
struct LostFactorPage: FormPage {
    enum State: Sendable {
        /// A code can be sent to one of these masked addresses.
        case code([(method: VerificationMethod, destination: String)], Problem?)
        case password(Problem?)
        /// The user has no other factor that is accepted.
        case unavailable
        /// A recovery was cancelled, or too many were begun.
        case later(seconds: Int)
    }

    enum Problem: Sendable {
        case wrongPassword
        case tooManyAttempts(retryAfterSeconds: Int)
        case busy
    }

    static let template = PageTemplate.lost
    static let name = "lost-factor"
    let form: PageForm
    let state: State
    /// The seconds from the beginning to the removal.
    let delaySeconds: Int
    /// The project that can help otherwise.
    let projectName: String
    /// The name that password managers read.
    let userName: String

    func title(_ strings: Strings) -> String {
        let text = strings[LostFactorStrings.self]
        if case .later = state { return text.laterHeading }
        return text.heading
    }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[LostFactorStrings.self]
        let delay = strings.time.duration(delaySeconds)
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "cancel": strings.cancel, "steps": text.steps(delay),
            "isPossible": true, "lead": text.lead(delay),
        ]
        switch state {
        case .code(let addresses, let problem):
            let methods = strings[MethodsStrings.self]
            values["ways"] = [
                "options": addresses.enumerated().map { index, way in
                    [
                        "value": String(index), "name": methods.name(way.method),
                        "sentence": methods.sentence(way.method, way.destination),
                    ]
                }
            ]
            values["problem"] = problem.map { say($0, strings) }
        case .password(let problem):
            values["password"] = [
                "userName": userName, "label": strings.passwordLabel, "show": strings.show, "hide": strings.hide,
                "submit": strings[CodeStrings.self].submit, "isWrong": problem != nil,
            ]
            values["problem"] = problem.map { say($0, strings) }
        case .unavailable:
            values["isPossible"] = false
            values["lead"] = text.unavailable(projectName)
            values["note"] = text.unavailableNote
        case .later(let seconds):
            values["isPossible"] = false
            values["lead"] = text.later(strings.time.duration(seconds))
            values["note"] = text.laterNote(projectName)
        }
        return form.values(values)
    }

    private func say(_ problem: Problem, _ strings: Strings) -> String {
        switch problem {
        case .wrongPassword: strings[LostFactorStrings.self].wrongPassword
        case .tooManyAttempts(let seconds): strings.tooManyAttempts(strings.time.duration(seconds))
        case .busy: strings.busy
        }
    }
}

/// Both factors are verified: the recovery waits, or can be finished.
struct LostFactorStepPage: FormPage {
    enum State: Sendable {
        /// - Parameters:
        ///   - from: the time from which it can be finished, in words.
        ///   - until: the time until which it can be finished.
        case waiting(seconds: Int, from: String, until: String)
        case removal
    }

    static let template = PageTemplate.lostStep
    static let name = "lost-factor-step"
    let form: PageForm
    let state: State

    func title(_ strings: Strings) -> String {
        let text = strings[LostFactorStrings.self]
        if case .removal = state { return text.removalHeading }
        return text.waitingHeading
    }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[LostFactorStrings.self]
        var values: [String: Any] = ["heading": title(strings), "text": text]
        switch state {
        case .waiting(let seconds, let from, let until):
            values["lead"] = text.waitingLead(strings.time.duration(seconds))
            values["facts"] = [["name": text.from, "value": from], ["name": text.until, "value": until]]
            values["points"] = text.waitingPoints
            (values["back"], values["backStyle"]) = (text.backToSignIn, "primary")
        case .removal:
            values["lead"] = text.removalLead
            values["facts"] = [[String: String]]()
            values["points"] = text.removalPoints
            (values["back"], values["backStyle"]) = (text.keep, "secondary")
            values["isRemoval"] = true
        }
        values["hasFacts"] = (values["facts"] as? [[String: String]])?.isEmpty == false
        return form.values(values)
    }
}

/// The page of the link about a recovery. Opening it cancels nothing: mail scanners open every link.
struct RecoveryCancelPage: FormPage {
    enum State: Sendable {
        case live(token: String, secondsAgo: Int, from: String)
        /// The recovery has ended, or never existed.
        case gone
    }

    static let template = PageTemplate.recoveryCancel
    static let name = "recovery-cancel"
    let form: PageForm
    let state: State
    let projectName: String

    func title(_ strings: Strings) -> String {
        let text = strings[LostFactorStrings.self]
        if case .live = state { return text.cancelHeading }
        return text.goneHeading
    }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[LostFactorStrings.self]
        var values: [String: Any] = ["heading": title(strings), "text": text]
        switch state {
        case .live(let token, let seconds, let from):
            values["lead"] = text.cancelLead(projectName)
            values["live"] = [
                "token": token,
                "facts": [
                    ["name": text.begun, "value": strings.time.since(seconds)], ["name": text.from, "value": from],
                ],
            ]
        case .gone:
            values["lead"] = text.goneLead
            values["way"] = ["uri": Routes.settings, "label": strings.onward(nil)]
        }
        return form.values(values)
    }
}
