internal import Texts

/// What the page of the profile says.
struct ProfileStrings: PageTexts {
    static let group = "profile"
    let texts: TextGroup

    var title: String { texts["title"] }
    var displayName: String { texts["displayName"] }
    var givenName: String { texts["givenName"] }
    var familyName: String { texts["familyName"] }
    var picture: String { texts["picture"] }
    var pictureHint: String { texts["pictureHint"] }
    var language: String { texts["language"] }
    var languageOfBrowser: String { texts["languageOfBrowser"] }
    func problem(_ kind: SettingsProfilePage.Problem) -> String {
        switch kind {
        case .tooLong: texts["problem.tooLong"]
        case .pictureInvalid: texts["problem.pictureInvalid"]
        }
    }
}
