internal import Texts

/// What the choice of a verification method says.
struct MethodsStrings: PageTexts {
    static let group = "methods"
    let texts: TextGroup

    func heading(_ purpose: MethodsPage.Purpose) -> String {
        switch purpose {
        case .signIn: texts["heading.signIn"]
        case .secondFactor, .passkey: texts["heading.secondFactor"]
        }
    }
    func lead(_ purpose: MethodsPage.Purpose, _ app: String) -> String {
        switch purpose {
        case .signIn: texts["lead.signIn", ["app": app]]
        case .secondFactor: texts["lead.secondFactor"]
        case .passkey: texts["lead.passkey", ["app": app]]
        }
    }
    func name(_ method: VerificationMethod) -> String {
        switch method {
        case .passkey: texts["name.passkey"]
        case .password: texts["name.password"]
        case .email: texts["name.email"]
        case .codeOrLink: texts["name.codeOrLink"]
        case .sms: texts["name.sms"]
        case .whatsapp: texts["name.whatsapp"]
        case .voice: texts["name.voice"]
        case .numberedLink: texts["name.numberedLink"]
        case .numberedTextLink: texts["name.numberedTextLink"]
        case .authenticator: texts["name.authenticator"]
        case .recoveryCode: texts["name.recoveryCode"]
        case .otherDevice: texts["name.otherDevice"]
        }
    }
    func sentence(_ method: VerificationMethod, _ destination: String?) -> String {
        func sent(_ key: String) -> String {
            destination.map { texts["sentence.\(key).to", ["destination": $0]] } ?? texts["sentence.\(key).bare"]
        }
        return switch method {
        case .passkey: texts["sentence.passkey"]
        case .password: texts["sentence.password"]
        case .email, .sms, .whatsapp: sent("email")
        case .codeOrLink: sent("codeOrLink")
        case .voice: sent("voice")
        case .numberedLink, .numberedTextLink: sent("numberedLink")
        case .authenticator: texts["sentence.authenticator"]
        case .recoveryCode: texts["sentence.recoveryCode"]
        case .otherDevice: texts["sentence.otherDevice"]
        }
    }
}
