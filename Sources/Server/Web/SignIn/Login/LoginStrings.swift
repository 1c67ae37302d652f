internal import Texts

/// What the sign-in page says.
struct LoginStrings: PageTexts {
    static let group = "login"
    let texts: TextGroup

    var heading: String { texts["heading"] }
    func lead(_ app: String) -> String { texts["lead", ["app": app]] }
    var reauthenticateHeading: String { texts["reauthenticateHeading"] }
    func reauthenticateLead(_ app: String, _ person: String) -> String {
        texts["reauthenticateLead", ["person": person, "app": app]]
    }
    var submit: String { texts["submit"] }
    var wrongCredentials: String { texts["wrongCredentials"] }
    var or: String { texts["or"] }
    func sendCodeOrLink(_ kind: DeliveryReach.Kind) -> String {
        switch kind {
        case .email: texts["sendCodeOrLink.email"]
        case .phone: texts["sendCodeOrLink.phone"]
        case .emailOrPhone: texts["sendCodeOrLink.emailOrPhone"]
        }
    }
    func unreachable(_ kind: DeliveryReach.Kind) -> String {
        kind == .phone ? texts["unreachable.phone"] : texts["unreachable.email"]
    }
    var forgotPassword: String { texts["forgotPassword"] }
    var newHere: String { texts["newHere"] }
    var createAccount: String { texts["createAccount"] }
    var nameMissing: String { texts["nameMissing"] }
}
