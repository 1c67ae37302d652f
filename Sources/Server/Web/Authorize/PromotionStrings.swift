/// What the page says that is shown when a user without an account signs in to one that exists.
struct PromotionStrings: PageStrings {
    let heading: String
    let lead: @Sendable (_ person: String, _ app: String) -> String
    let hadLead: @Sendable (_ app: String) -> String
    let since: @Sendable (_ since: String) -> String
    let details: @Sendable (_ count: Int) -> String
    let memberships: @Sendable (_ count: Int) -> String
    let bring: String
    let bringNote: String
    let leave: String
    let leaveNote: String
    let cancel: String
    let cancelNote: String
}

extension PromotionStrings {
    static let english = PromotionStrings(
        heading: "You already have an account",
        lead: { "You signed in as \($0). Until now you used \($1) without an account on this device." },
        hadLead: { "What \($0) knows of you without an account" },
        since: { "First used \($0)" },
        details: { $0 == 1 ? "1 detail of your profile" : "\($0) details of your profile" },
        memberships: { $0 == 1 ? "1 role or organisation" : "\($0) roles and organisations" },
        bring: "Add it to my account",
        bringNote: "Where both have the same detail, your account’s stays.",
        leave: "Delete it and use my account",
        leaveNote: "This cannot be undone.",
        cancel: "Cancel",
        cancelNote: "If you cancel, you go on without an account and nothing changes.")

    static let german = PromotionStrings(
        heading: "Sie haben schon ein Konto",
        lead: { "Sie sind angemeldet als \($0). Bisher haben Sie \($1) auf diesem Gerät ohne Konto benutzt." },
        hadLead: { "Was \($0) ohne Konto von Ihnen weiß" },
        since: { "Zuerst benutzt \($0)" },
        details: { $0 == 1 ? "1 Angabe im Profil" : "\($0) Angaben im Profil" },
        memberships: { $0 == 1 ? "1 Rolle oder Organisation" : "\($0) Rollen und Organisationen" },
        bring: "Zu meinem Konto hinzufügen",
        bringNote: "Wo beide dieselbe Angabe haben, bleibt die des Kontos.",
        leave: "Löschen und mein Konto benutzen",
        leaveNote: "Das lässt sich nicht rückgängig machen.",
        cancel: "Abbrechen",
        cancelNote: "Wenn Sie abbrechen, geht es ohne Konto weiter, und nichts ändert sich.")
}
