/// What the page says that deletes the account.
struct DeleteStrings: PageStrings {
    let title: String
    let summary: String
    let lead: String
    let confirm: String
    let submit: String
    let unconfirmed: String
}

extension DeleteStrings {
    static let english = DeleteStrings(
        title: "Delete account",
        summary: "Permanently, with everything that belongs to it.",
        lead:
            "Your profile, your ways to sign in and your sessions are deleted. Apps may keep the data that they have. This cannot be undone.",
        confirm: "Yes, delete my account permanently",
        submit: "Delete account",
        unconfirmed: "Tick the box if you are sure.")

    static let german = DeleteStrings(
        title: "Konto löschen",
        summary: "Endgültig, mit allem, was dazugehört.",
        lead:
            "Ihr Profil, Ihre Anmeldewege und Ihre Sitzungen werden gelöscht. Apps behalten vielleicht Daten. Das lässt sich nicht rückgängig machen.",
        confirm: "Ja, mein Konto endgültig löschen",
        submit: "Konto löschen",
        unconfirmed: "Setzen Sie das Häkchen, wenn Sie sicher sind.")
}
