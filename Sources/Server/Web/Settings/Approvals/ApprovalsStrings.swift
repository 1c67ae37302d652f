internal import Texts

/// What the settings say about sign-ins on other devices.
struct ApprovalsStrings: PageTexts {
    static let group = "approvals"
    let texts: TextGroup

    var title: String { texts["title"] }
    var lead: String { texts["lead"] }
    var none: String { texts["none"] }
    func asks(_ client: String) -> String { texts["asks", ["client": client]] }
    func asksSession(_ client: String) -> String { texts["asksSession", ["client": client]] }
    var deviceLead: String { texts["deviceLead"] }
    var messageLead: String { texts["messageLead"] }
    var scopesLead: String { texts["scopesLead"] }
    func asked(_ since: String, _ network: String?) -> String {
        network.map { texts["asked.from", ["since": since, "network": $0]] } ?? texts["asked.since", ["since": since]]
    }
    var numberLabel: String { texts["numberLabel"] }
    var numberHint: String { texts["numberHint"] }
    var allow: String { texts["allow"] }
    var deny: String { texts["deny"] }
    var notMe: String { texts["notMe"] }
    func notice(_ notice: SettingsApprovalsPage.Notice) -> String {
        switch notice {
        case .allowed: texts["notice.allowed"]
        case .denied: texts["notice.denied"]
        case .blocked: texts["notice.blocked"]
        }
    }
    func problem(_ problem: SettingsApprovalsPage.Problem) -> String {
        switch problem {
        case .noNumber: texts["problem.noNumber"]
        case .wrongNumber: texts["problem.wrongNumber"]
        case .tooLate: texts["problem.tooLate"]
        }
    }
    func count(_ count: Int) -> String { texts["count", count: count] }
}
