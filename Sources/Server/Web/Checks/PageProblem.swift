internal import HTTPTypes

/// Why the request for a page was refused; becomes a page that says so.
struct PageProblem: Error {
    enum Kind: Sendable {
        /// What was begun is over, or was changed on its way.
        case expired
        /// The form is not from a page of ours.
        case crossSite
    }

    let kind: Kind
    let detail: String
    let status: HTTPResponse.Status
    /// In which the app wants pages.
    var uiLocales: String?
    var colorScheme: String?

    static let expired = PageProblem(
        kind: .expired, detail: "The sign-in took too long or was changed on its way.", status: .badRequest)
    static let signOutExpired = PageProblem(
        kind: .expired, detail: "The sign-out took too long or was changed on its way.", status: .badRequest)
    static let crossSite = PageProblem(
        kind: .crossSite, detail: "The form did not come from a page that this server showed in this browser.",
        status: .forbidden)

    /// As a demand declares it.
    var refusal: Demand.Refusal { .page(status.code, detail) }
}
