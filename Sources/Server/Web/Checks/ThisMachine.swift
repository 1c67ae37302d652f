internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// A request from this machine, and not from a page of another site that a browser on this machine shows.
struct ThisMachine: Sendable {
    fileprivate init() {}
}

extension Demand {
    fileprivate static let refusal = "only the machine that the server runs on may do this, and no page of another site"
    fileprivate static let thisMachine = Demand(.thisMachine, .error(403, "invalid_request"))
    fileprivate static let thisMachineOnPage = Demand(.thisMachine, .page(403, refusal))
}

extension Checks {
    var thisMachine: Check<ThisMachine> { Check(.thisMachine, run: own) }

    /// A form of a page of this server, sent from this machine.
    ///
    /// - Parameter path: the form's own address, for which it was made.
    func thisMachineForm(_ path: String) -> Check<SameSiteForm> {
        Check(.thisMachineOnPage, run: own).then(.sameSite) { _, request, _ in
            try sameSite(try await request.formParameters(), request, transaction: path)
        }
    }

    /// A browser says in `Origin` whose page sends a request that is no plain visit (RFC 6454 §7.3), also if the page's
    /// name was made to resolve to this machine.
    @Sendable private func own(_ request: Request, _ context: WebContext) async throws -> ThisMachine {
        let sites = request.headers[values: .secFetchSite]
        let origins = request.headers[values: .origin]
        let own = URIParts(services.project.issuer)?.origin
        guard addresses.isLocal(request, context), sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }),
            origins.allSatisfy({ $0 == own })
        else { throw Unreadable(status: .forbidden, detail: Demand.refusal) }
        return ThisMachine()
    }
}
