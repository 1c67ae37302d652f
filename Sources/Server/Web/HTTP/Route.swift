internal import HTTPTypes

/// One route: method and path, the check before its handler, and the handler.
///
/// A handler takes the value that its check makes, and only checks make such values: a route whose check is missing
/// does not compile. Routes without a check say why.
struct Route: Sendable {
    /// What scripts of other sites may do with the answer.
    enum Sharing: Sendable {
        /// Pages and forms: nothing.
        case none
        /// Pages of registered clients may read it.
        case clients
        /// Pages of relying parties may read it.
        case sites
        /// Public documents.
        case anybody
    }

    /// In a path: any one name, which the handler reads (``Request/names(in:)``).
    static let anyName = "/{name}"

    let method: HTTPRequest.Method
    /// The path, with ``anyName`` in place of each name.
    let path: String
    /// What its check demands, in order; empty for a route that is open.
    let demands: [Demand]
    /// Why nothing is checked; `nil` where something is.
    let openReason: String?
    let sharing: Sharing
    /// Whether a user sees the answer: then errors are pages.
    let isPage: Bool
    let handler: @Sendable (Request, WebContext) async throws -> Response

    /// A route without a check.
    ///
    /// - Parameter reason: why nothing is checked.
    init(
        _ method: HTTPRequest.Method, _ path: String, open reason: String, sharing: Sharing = .none,
        isPage: Bool = false, handler: @escaping @Sendable (Request, WebContext) async throws -> Response
    ) {
        self.method = method
        self.path = path
        demands = []
        openReason = reason
        self.sharing = sharing
        self.isPage = isPage
        self.handler = handler
    }

    /// A route whose handler runs once its check has made what it takes.
    init<Value>(
        _ method: HTTPRequest.Method, _ path: String, _ check: Check<Value>, sharing: Sharing = .none,
        isPage: Bool = false, handler: @escaping @Sendable (Value, Request, WebContext) async throws -> Response
    ) {
        self.method = method
        self.path = path
        demands = check.demands
        openReason = nil
        self.sharing = sharing
        self.isPage = isPage
        self.handler = { request, context in
            try await handler(try await check.run(request, context), request, context)
        }
    }

    /// A route whose handler needs only the value that the check made.
    init<Value>(
        _ method: HTTPRequest.Method, _ path: String, _ check: Check<Value>, sharing: Sharing = .none,
        isPage: Bool = false, handler: @escaping @Sendable (Value) async throws -> Response
    ) {
        self.init(method, path, check, sharing: sharing, isPage: isPage) { value, _, _ in try await handler(value) }
    }
}
