internal import Texts

/// What the sign-up page says.
struct SignUpStrings: PageTexts {
    static let group = "signUp"
    let texts: TextGroup

    var heading: String { texts["heading"] }
    func lead(_ app: String) -> String { texts["lead", ["app": app]] }
    var name: String { texts["name"] }
    var email: String { texts["email"] }
    var phone: String { texts["phone"] }
    var emailOrPhone: String { texts["emailOrPhone"] }
    var phoneHint: String { texts["phoneHint"] }
    var password: String { texts["password"] }
    var agree: String { texts["agree"] }
    var submit: String { texts["submit"] }
    var haveAccount: String { texts["haveAccount"] }
    var signIn: String { texts["signIn"] }
    func problem(_ problem: SignUpPage.Problem) -> String {
        switch problem {
        case .identifierInvalid(.email): texts["problem.email"]
        case .identifierInvalid(.phone): texts["problem.phone"]
        case .identifierInvalid(.emailOrPhone): texts["problem.emailOrPhone"]
        case .tooManyAttempts: texts["problem.tooManyAttempts"]
        case .addressNotAdmitted: texts["problem.notAdmitted"]
        }
    }
    var closedHeading: String { texts["closed.heading"] }
    func closedLead(_ app: String) -> String { texts["closed.lead", ["app": app]] }
    var orWithoutPassword: String { texts["orWithoutPassword"] }
    func sendCode(_ kind: DeliveryReach.Kind) -> String {
        switch kind {
        case .email: texts["sendCode.email"]
        case .phone: texts["sendCode.phone"]
        case .emailOrPhone: texts["sendCode.emailOrPhone"]
        }
    }
    func sendLink(_ kind: DeliveryReach.Kind) -> String {
        switch kind {
        case .email: texts["sendLink.email"]
        case .phone: texts["sendLink.phone"]
        case .emailOrPhone: texts["sendLink.emailOrPhone"]
        }
    }
}
