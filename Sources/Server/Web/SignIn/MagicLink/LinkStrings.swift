internal import Texts

/// What the pages say about links in messages.
struct LinkStrings: PageTexts {
    static let group = "link"
    let texts: TextGroup

    func readyHeading(_ purpose: LinkPage.Purpose, _ app: String) -> String {
        switch purpose {
        case .signIn: texts["readyHeading.signIn", ["app": app]]
        case .signUp: texts["readyHeading.signUp", ["app": app]]
        case .passwordReset: texts["readyHeading.passwordReset"]
        case .newAddress: texts["readyHeading.newAddress"]
        }
    }
    func readyLead(_ purpose: LinkPage.Purpose) -> String {
        purpose == .newAddress ? texts["readyLead.newAddress"] : texts["readyLead.other"]
    }
    var numberLead: String { texts["numberLead"] }
    var begunOn: String { texts["begunOn"] }
    var begunWhen: String { texts["begunWhen"] }
    var begunFor: String { texts["begunFor"] }
    var account: String { texts["account"] }
    var newAddress: String { texts["newAddress"] }
    var here: String { texts["here"] }
    func elsewhere(_ purpose: LinkPage.Purpose) -> String {
        purpose == .signIn ? texts["elsewhere.signIn"] : texts["elsewhere.other"]
    }
    var codeElsewhere: String { texts["codeElsewhere"] }
    func confirm(_ purpose: LinkPage.Purpose) -> String {
        switch purpose {
        case .signIn: texts["confirm.signIn"]
        case .signUp: texts["confirm.signUp"]
        case .passwordReset: texts["confirm.passwordReset"]
        case .newAddress: texts["confirm.newAddress"]
        }
    }
    func confirmNumber(_ purpose: LinkPage.Purpose) -> String {
        purpose == .signIn ? texts["confirmNumber.signIn"] : texts["confirmNumber.other"]
    }
    var notMe: String { texts["notMe"] }
    var unknownHeading: String { texts["unknownHeading"] }
    var unknownAdvice: String { texts["unknownAdvice"] }
    var expiredHeading: String { texts["expiredHeading"] }
    var expiredAdvice: String { texts["expiredAdvice"] }
    var usedHeading: String { texts["usedHeading"] }
    var usedAdvice: String { texts["usedAdvice"] }
    var failedHeading: String { texts["failedHeading"] }
    var failedAdvice: String { texts["failedAdvice"] }
    var beginAgain: String { texts["beginAgain"] }
    var typeCode: String { texts["typeCode"] }
    func sentLead(_ destination: String) -> String { texts["sentLead", ["destination": destination]] }
    func sentNumberLead(_ destination: String) -> String { texts["sentNumberLead", ["destination": destination]] }
    var numberLabel: String { texts["numberLabel"] }
    var waiting: String { texts["waiting"] }
    var notArrived: String { texts["notArrived"] }
    var notArrivedAdvice: String { texts["notArrivedAdvice"] }
    var sentAgain: String { texts["sentAgain"] }
    var sentExpired: String { texts["sentExpired"] }
    var signIn: String { texts["signIn"] }
}
