internal import Authority
internal import HTTPTypes
internal import KeyturnWire
internal import Model
internal import SignIn

/// Why the request for a page was refused. The answer is a page with the reason.
struct PageProblem: Error {
    enum Kind: Sendable {
        /// The transaction is over, or was changed on its way.
        case expired
        /// The form is not from a page of this server.
        case crossSite
        /// The user has not the role that the page of the console asks for.
        case consoleRole
    }

    let kind: Kind
    let detail: String
    let status: HTTPResponse.Status
    /// The languages in which the app wants pages.
    var uiLocales: String?
    var colorScheme: String?

    static let expired = PageProblem(
        kind: .expired, detail: "The sign-in took too long or was changed on its way.", status: .badRequest)
    static let signOutExpired = PageProblem(
        kind: .expired, detail: "The sign-out took too long or was changed on its way.", status: .badRequest)
    static let crossSite = PageProblem(
        kind: .crossSite, detail: "The form did not come from a page that this server showed in this browser.",
        status: .forbidden)

    static func consoleRole(_ role: ConsoleRole) -> PageProblem {
        PageProblem(
            kind: .consoleRole, detail: "This page of the console asks for the role \(role.rawValue), or a higher one.",
            status: .forbidden)
    }

    /// What the rulebook says no to.
    static func denied(_ denial: Denial) -> PageProblem {
        let problem = MethodProblem(denial)
        return PageProblem(
            kind: .consoleRole, detail: problem.message ?? problem.description, status: .forbidden)
    }

    /// The refusal as a demand declares it.
    var refusal: Demand.Refusal { .page(status.code, detail) }
}
