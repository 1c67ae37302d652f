/// What the page says that is shown when a user without an account signs in to one that exists.
struct PromotionStrings: PageStrings {
    let heading: String
    let lead: @Sendable (_ person: String, _ app: String) -> String
    let hadLead: @Sendable (_ app: String) -> String
    let since: @Sendable (_ since: String) -> String
    let details: @Sendable (_ count: Int) -> String
    let memberships: @Sendable (_ count: Int) -> String
    let note: String
    let bring: String
    let leave: String
    let cancel: String
}

extension PromotionStrings {
    static let english = PromotionStrings(
        heading: "You already have an account",
        lead: { "You signed in as \($0). Until now you used \($1) without an account on this device." },
        hadLead: { "What \($0) knows of you without an account" },
        since: { "First used: \($0)" },
        details: { $0 == 1 ? "1 detail of your profile" : "\($0) details of your profile" },
        memberships: { $0 == 1 ? "1 role or organisation" : "\($0) roles and organisations" },
        note:
            "You can add it to your account: where both have the same detail, your account’s stays. Deleting it cannot be undone. If you cancel, nothing changes, and you go on without an account.",
        bring: "Add it to my account",
        leave: "Delete it and use my account",
        cancel: "Cancel")

    static let german = PromotionStrings(
        heading: "Sie haben schon ein Konto",
        lead: { "Sie sind angemeldet als \($0). Bisher haben Sie \($1) auf diesem Gerät ohne Konto benutzt." },
        hadLead: { "Was \($0) ohne Konto von Ihnen weiß" },
        since: { "Zuerst benutzt: \($0)" },
        details: { $0 == 1 ? "1 Angabe im Profil" : "\($0) Angaben im Profil" },
        memberships: { $0 == 1 ? "1 Rolle oder Organisation" : "\($0) Rollen und Organisationen" },
        note:
            "Sie können es Ihrem Konto hinzufügen: Wo beide dieselbe Angabe haben, bleibt die des Kontos. Löschen lässt sich nicht rückgängig machen. Wenn Sie abbrechen, ändert sich nichts, und es geht ohne Konto weiter.",
        bring: "Zu meinem Konto hinzufügen",
        leave: "Löschen und Konto benutzen",
        cancel: "Abbrechen")
}
