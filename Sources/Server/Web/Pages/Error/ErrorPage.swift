struct ErrorPage: Page {
    enum Kind: Sendable, CaseIterable {
        case badRequest, unknownClient, redirectMismatch, expired, cookiesBlocked, tooLarge, notFound, serverTrouble
        case methodNotAllowed
        /// Another user is signed in in this browser.
        case otherAccount
        /// The user has not the role in the console that the page asks for.
        case roleMissing
    }

    static let template = PageTemplate.error
    static let name = "error"
    let status: Int
    let kind: Kind
    /// A text for developers, in English.
    let detail: String
    /// The identifier under which the request was logged.
    let reference: String

    func title(_ strings: Strings) -> String { strings[ErrorStrings.self].heading(kind) }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ErrorStrings.self]
        return [
            "heading": title(strings), "advice": text.advice(kind), "status": String(status), "detail": detail,
            "reference": reference, "detailsTitle": text.details, "statusTitle": text.status,
            "detailTitle": text.detail, "referenceTitle": text.reference,
            // Developers of the app need the detail of its errors at once; other readers need the advice.
            "isOpen": [.badRequest, .unknownClient, .redirectMismatch, .methodNotAllowed].contains(kind),
        ]
    }
}
