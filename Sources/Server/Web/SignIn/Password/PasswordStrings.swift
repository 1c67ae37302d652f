internal import Texts

/// What the pages say on which a password is chosen, changed or reset.
struct PasswordStrings: PageTexts {
    static let group = "password"
    let texts: TextGroup

    var rulesTitle: String { texts["rulesTitle"] }
    func ruleLength(_ count: Int) -> String { texts["ruleLength", count: count] }
    var ruleLowercase: String { texts["ruleLowercase"] }
    var ruleUppercase: String { texts["ruleUppercase"] }
    var ruleNumber: String { texts["ruleNumber"] }
    var ruleSymbol: String { texts["ruleSymbol"] }
    var ruleMet: String { texts["ruleMet"] }
    var ruleUnmet: String { texts["ruleUnmet"] }
    var advice: String { texts["advice"] }
    var refusalTitle: String { texts["refusalTitle"] }
    func refusal(_ refusal: PasswordRefusal) -> String {
        switch refusal {
        case .tooShort: texts["refusal.tooShort"]
        case .tooLong: texts["refusal.tooLong"]
        case .noLowercase: texts["refusal.noLowercase"]
        case .noUppercase: texts["refusal.noUppercase"]
        case .noNumber: texts["refusal.noNumber"]
        case .noSymbol: texts["refusal.noSymbol"]
        case .breached: texts["refusal.breached"]
        case .likeName: texts["refusal.likeName"]
        case .reused: texts["refusal.reused"]
        }
    }
    var resetHeading: String { texts["resetHeading"] }
    var resetLead: String { texts["resetLead"] }
    var resetSubmit: String { texts["resetSubmit"] }
    var newHeading: String { texts["newHeading"] }
    func newLead(_ person: String) -> String { texts["newLead", ["person": person]] }
    var newLabel: String { texts["newLabel"] }
    var newSubmit: String { texts["newSubmit"] }
    var currentLabel: String { texts["currentLabel"] }
    var wrongCurrent: String { texts["wrongCurrent"] }
    var endOthers: String { texts["endOthers"] }
    var expiredHeading: String { texts["expiredHeading"] }
    var expiredLead: String { texts["expiredLead"] }
    var temporaryLead: String { texts["temporaryLead"] }
}
