internal import Hummingbird

/// What runs between a request and its handler: it makes the value that the handler takes, or throws.
///
/// Checks are put together from smaller ones, in the order in which their refusals are to be seen. The types of the values
/// have initialisers that their own files alone can call.
struct Check<Value: Sendable>: Sendable {
    /// What is demanded, in order.
    let demands: [Demand]
    let run: @Sendable (Request, WebContext) async throws -> Value

    /// - Parameters:
    ///   - demand: what `run` demands; `nil` for a step that only reads the request.
    ///   - run: throws ``Refused``, or an error that becomes an answer where the route stands.
    init(
        _ demand: Demand? = nil, run: @escaping @Sendable (Request, WebContext) async throws -> Value
    ) {
        self.init([demand].compactMap(\.self), run)
    }

    private init(
        _ demands: [Demand], _ run: @escaping @Sendable (Request, WebContext) async throws -> Value
    ) {
        self.demands = demands
        self.run = run
    }

    /// This check, and after it another one that may need what this one made.
    func then<Next>(
        _ demand: Demand? = nil, _ next: @escaping @Sendable (Value, Request, WebContext) async throws -> Next
    ) -> Check<Next> {
        Check<Next>(demands + [demand].compactMap(\.self)) { request, context in
            try await next(try await self.run(request, context), request, context)
        }
    }

    /// The same check for a route whose refusals have a form of their own.
    ///
    /// - Parameter answer: `nil` for an error that the route's own form says nothing about.
    func refusing(_ answer: @escaping @Sendable (any Error, Request, WebContext) -> Response?) -> Check {
        Check(demands) { request, context in
            do {
                return try await self.run(request, context)
            } catch let refused as Refused {
                throw refused
            } catch {
                guard let response = answer(error, request, context) else { throw error }
                throw Refused(response)
            }
        }
    }
}

/// A check did not pass, and this is the answer.
struct Refused: Error {
    let response: Response

    init(_ response: Response) {
        self.response = response
    }
}
