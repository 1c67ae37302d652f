@testable import Web

/// What a user without an account is asked, who signs in to one that exists.
extension Gallery {
    var promotions: [Specimen] {
        func page(details: Int, memberships: Int) -> PromotionPage {
            PromotionPage(
                form: PageForm(action: "/promotion", transaction: untrusted("sealed"), csrf: untrusted("mark")),
                appName: untrusted("Harbour Tickets"), userName: untrusted("Maria da Silva"), secondsAgo: 600_000,
                details: details, memberships: memberships)
        }
        return [
            ("promotion", page(details: 3, memberships: 1)), ("promotion-empty", page(details: 0, memberships: 0)),
        ]
    }
}
