/// Names, picture and language.
struct SettingsProfilePage: SettingsPage {
    enum Problem: Sendable, CaseIterable {
        case tooLong, pictureInvalid
    }

    static let template = PageTemplate.profile
    static let section = SettingsSection.profile
    let form: PageForm
    let settingsUser: SettingsUser?
    let displayName: String
    let givenName: String
    let familyName: String
    let picture: String
    /// BCP 47; `nil`: the browser's language.
    let locale: String?
    /// Those to choose from.
    let languages: [Language]
    let problem: Problem?
    let wasSaved: Bool
    var signals: [PasskeySignal] = []

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ProfileStrings.self]
        let settings = strings[SettingsStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "settings": settings, "displayName": displayName,
            "givenName": givenName,
            "familyName": familyName, "picture": picture, "pictureProblem": problem == .pictureInvalid,
            "languages": languages.map {
                ["code": $0.code, "name": $0.name, "isChosen": $0.code == locale]
            },
        ]
        if let problem { values["problem"] = text.problem(problem) }
        if wasSaved, problem == nil { values["notice"] = settings.saved }
        return form.values(values)
    }
}
