internal import Texts

/// What the error page says.
struct ErrorStrings: PageTexts {
    static let group = "error"
    let texts: TextGroup

    func heading(_ kind: ErrorPage.Kind) -> String {
        switch kind {
        case .badRequest: texts["heading.badRequest"]
        case .unknownClient: texts["heading.unknownClient"]
        case .redirectMismatch: texts["heading.redirectMismatch"]
        case .expired: texts["heading.expired"]
        case .cookiesBlocked: texts["heading.cookiesBlocked"]
        case .tooLarge: texts["heading.tooLarge"]
        case .notFound: texts["heading.notFound"]
        case .serverTrouble: texts["heading.serverTrouble"]
        case .methodNotAllowed: texts["heading.methodNotAllowed"]
        case .otherAccount: texts["heading.otherAccount"]
        case .roleMissing: texts["heading.roleMissing"]
        }
    }
    func advice(_ kind: ErrorPage.Kind) -> String {
        switch kind {
        case .badRequest: texts["advice.badRequest"]
        case .unknownClient: texts["advice.unknownClient"]
        case .redirectMismatch: texts["advice.redirectMismatch"]
        case .expired: texts["advice.expired"]
        case .cookiesBlocked: texts["advice.cookiesBlocked"]
        case .tooLarge: texts["advice.tooLarge"]
        case .notFound: texts["advice.notFound"]
        case .serverTrouble: texts["advice.serverTrouble"]
        case .methodNotAllowed: texts["advice.methodNotAllowed"]
        case .otherAccount: texts["advice.otherAccount"]
        case .roleMissing: texts["advice.roleMissing"]
        }
    }
    var details: String { texts["details"] }
    var status: String { texts["status"] }
    var detail: String { texts["detail"] }
    var reference: String { texts["reference"] }
}
