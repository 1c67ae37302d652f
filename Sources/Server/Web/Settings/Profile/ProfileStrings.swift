/// What the page of the profile says.
struct ProfileStrings: PageStrings {
    let title: String
    let displayName: String
    let givenName: String
    let familyName: String
    let picture: String
    let pictureHint: String
    let language: String
    let languageOfBrowser: String
    let problem: @Sendable (SettingsProfilePage.Problem) -> String
}

extension ProfileStrings {
    static let english = ProfileStrings(
        title: "Profile",
        displayName: "Display name",
        givenName: "First name",
        familyName: "Last name",
        picture: "Picture address",
        pictureHint: "It starts with https://.",
        language: "Language",
        languageOfBrowser: "Same as the browser",
        problem: { kind in
            switch kind {
            case .tooLong: "One of these is too long."
            case .pictureInvalid: "The picture address is not valid. It starts with https://."
            }
        })

    static let german = ProfileStrings(
        title: "Profil",
        displayName: "Anzeigename",
        givenName: "Vorname",
        familyName: "Nachname",
        picture: "Adresse eines Bildes",
        pictureHint: "Sie beginnt mit https://.",
        language: "Sprache",
        languageOfBrowser: "Wie im Browser",
        problem: { kind in
            switch kind {
            case .tooLong: "Eine der Angaben ist zu lang."
            case .pictureInvalid: "Die Adresse des Bildes stimmt nicht. Sie beginnt mit https://."
            }
        })
}
