internal import Model

/// What the settings say of refresh tokens that were copied.
struct CopiedTokenStrings: Sendable {
    let heading: String
    let lead: String
    let fact: @Sendable (_ kind: CopiedTokenSign.Kind, _ since: String) -> String

    static let english = CopiedTokenStrings(
        heading: "Possible copies of a session",
        lead: "Another device may have used a copy. If this was not you, sign out of the app and change your password.",
        fact: { kind, since in
            switch kind {
            case .ended: "signed out \(since), because an old token was used again"
            case .usedElsewhere(1): "an old token was used from another network, \(since)"
            case .usedElsewhere(let count): "old tokens were used from another network \(count) times, last \(since)"
            }
        })

    static let german = CopiedTokenStrings(
        heading: "Mögliche Kopien einer Sitzung",
        lead: """
            Vielleicht hat ein anderes Gerät eine Kopie benutzt. Wenn Sie das nicht waren, melden Sie die App ab und ändern \
            Sie Ihr Passwort.
            """,
        fact: { kind, since in
            switch kind {
            case .ended: "abgemeldet \(since), weil ein altes Token noch einmal benutzt wurde"
            case .usedElsewhere(1): "ein altes Token wurde aus einem anderen Netz benutzt, \(since)"
            case .usedElsewhere(let count):
                "alte Token wurden \(count)-mal aus einem anderen Netz benutzt, zuletzt \(since)"
            }
        })
}
