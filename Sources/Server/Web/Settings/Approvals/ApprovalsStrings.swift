/// What the settings say about sign-ins on other devices.
struct ApprovalsStrings: PageStrings {
    let title: String
    let lead: String
    let none: String
    let asks: @Sendable (_ client: String) -> String
    let asksSession: @Sendable (_ client: String) -> String
    let deviceLead: String
    let messageLead: String
    let scopesLead: String
    let asked: @Sendable (_ since: String, _ network: String?) -> String
    let numberLabel: String
    let numberHint: String
    let allow: String
    let deny: String
    let notMe: String
    let notice: @Sendable (SettingsApprovalsPage.Notice) -> String
    let problem: @Sendable (SettingsApprovalsPage.Problem) -> String
    let count: @Sendable (_ count: Int) -> String
}

extension ApprovalsStrings {
    static let english = ApprovalsStrings(
        title: "Approvals",
        lead: "Sign-ins on other devices that wait for you. Allow only what you began yourself.",
        none: "Nothing is waiting for you.",
        asks: { "\($0) asks to sign you in" },
        asksSession: { "Sign in to \($0) on another device?" },
        deviceLead: "Device",
        messageLead: "The other device must show",
        scopesLead: "It would be able to",
        asked: { "Asked \($0)" + ($1.map { " from \($0)" } ?? "") + "." },
        numberLabel: "Number on the other device",
        numberHint: "Two digits. A wrong number refuses the sign-in.",
        allow: "Allow",
        deny: "Refuse",
        notMe: "This was not me",
        notice: { notice in
            switch notice {
            case .allowed: "The sign-in is allowed. The other device continues within seconds."
            case .denied: "The sign-in is refused."
            case .blocked: "The sign-in is refused. You cannot be asked like this again for an hour."
            }
        },
        problem: { problem in
            switch problem {
            case .noNumber: "Type the two digits that the other device shows."
            case .wrongNumber: "The number was wrong, so the sign-in is refused. Begin again on the other device."
            case .tooLate: "This request has expired or was already decided."
            case .chained:
                "This device was itself signed in by an approval. Sign in here in another way before you approve."
            }
        },
        count: { count in
            switch count {
            case 0: "Nothing is waiting"
            case 1: "1 sign-in is waiting"
            default: "\(count) sign-ins are waiting"
            }
        })

    static let german = ApprovalsStrings(
        title: "Freigaben",
        lead: "Anmeldungen auf anderen Geräten, die auf Sie warten. Lassen Sie nur zu, was Sie selbst begonnen haben.",
        none: "Nichts wartet auf Sie.",
        asks: { "\($0) möchte Sie anmelden" },
        asksSession: { "Auf einem anderen Gerät bei \($0) anmelden?" },
        deviceLead: "Gerät",
        messageLead: "Das andere Gerät muss zeigen",
        scopesLead: "Es könnte dann",
        asked: { "Angefragt \($0)" + ($1.map { " von \($0)" } ?? "") + "." },
        numberLabel: "Zahl auf dem anderen Gerät",
        numberHint: "Zwei Ziffern. Eine falsche Zahl lehnt die Anmeldung ab.",
        allow: "Zulassen",
        deny: "Ablehnen",
        notMe: "Das war ich nicht",
        notice: { notice in
            switch notice {
            case .allowed: "Die Anmeldung ist zugelassen. Auf dem anderen Gerät geht es in wenigen Sekunden weiter."
            case .denied: "Die Anmeldung ist abgelehnt."
            case .blocked: "Die Anmeldung ist abgelehnt. So können Sie eine Stunde lang nicht mehr gefragt werden."
            }
        },
        problem: { problem in
            switch problem {
            case .noNumber: "Geben Sie die zwei Ziffern ein, die das andere Gerät zeigt."
            case .wrongNumber:
                "Die Zahl war falsch, deshalb ist die Anmeldung abgelehnt. Beginnen Sie auf dem anderen Gerät neu."
            case .tooLate: "Diese Anfrage ist abgelaufen oder wurde schon entschieden."
            case .chained:
                "Dieses Gerät wurde selbst durch eine Freigabe angemeldet. Melden Sie sich hier erst auf einem anderen Weg an."
            }
        },
        count: { count in
            switch count {
            case 0: "Nichts wartet"
            case 1: "1 Anmeldung wartet"
            default: "\(count) Anmeldungen warten"
            }
        })
}
