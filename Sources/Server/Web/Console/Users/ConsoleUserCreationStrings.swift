internal import Texts

/// What the form that makes a user says.
struct ConsoleUserCreationStrings: PageTexts {
    static let group = "consoleUserCreation"
    let texts: TextGroup

    var lead: String { texts["lead"] }
    var loginID: String { texts["loginID"] }
    var loginIDHint: String { texts["loginIDHint"] }
    var invite: String { texts["invite"] }
    var inviteHint: String { texts["inviteHint"] }
}
