/// Asks a user, who used an app without an account and then signed in to an account that exists, what becomes of what
/// they had without it.
struct PromotionPage: FormPage {
    static let template = PageTemplate.promotion
    static let name = "promotion"
    let form: PageForm
    let appName: String
    /// Of the account.
    let userName: String
    /// Since when the app was used without an account.
    let secondsAgo: Int
    /// How much is known of the user without the account: claims and attributes.
    let details: Int
    /// Roles and tenants of the user without the account.
    let memberships: Int

    func title(_ strings: Strings) -> String { strings[PromotionStrings.self].heading }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[PromotionStrings.self]
        var had = [text.since(strings.time.since(max(secondsAgo, 0)))]
        if details > 0 { had.append(text.details(details)) }
        if memberships > 0 { had.append(text.memberships(memberships)) }
        return form.values([
            "heading": title(strings), "lead": text.lead(userName, appName), "had": had,
            "hadLead": text.hadLead(appName),
            "note": text.note, "bring": text.bring, "leave": text.leave, "cancel": text.cancel,
        ])
    }
}
