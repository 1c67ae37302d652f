internal import Texts

/// What the page for a one-time code says.
struct CodeStrings: PageTexts {
    static let group = "code"
    let texts: TextGroup

    func heading(_ channel: CodeChannel) -> String {
        switch channel {
        case .email: texts["heading.email"]
        case .sms: texts["heading.sms"]
        case .whatsapp: texts["heading.whatsapp"]
        case .voice: texts["heading.voice"]
        case .authenticator: texts["heading.authenticator"]
        }
    }
    func lead(_ channel: CodeChannel, _ destination: String) -> String {
        switch channel {
        case .email, .sms, .whatsapp: texts["lead.email", ["destination": destination]]
        case .voice: texts["lead.voice", ["destination": destination]]
        case .authenticator: texts["lead.authenticator"]
        }
    }
    func codeOrLinkLead(_ destination: String) -> String { texts["codeOrLinkLead", ["destination": destination]] }
    var label: String { texts["label"] }
    var submit: String { texts["submit"] }
    var wrong: String { texts["wrong"] }
    var used: String { texts["used"] }
    var expired: String { texts["expired"] }
    func tooManyCodes(_ duration: String) -> String { texts["tooManyCodes", ["duration": duration]] }
    var otherWays: String { texts["otherWays"] }
    var sendAgain: String { texts["sendAgain"] }
    func sendAgainAfter(_ duration: String) -> String { texts["sendAgainAfter", ["duration": duration]] }
    /// Followed by minutes and seconds that count down.
    var sendAgainIn: String { texts["sendAgainIn"] }
    var sentAgain: String { texts["sentAgain"] }
}
