/// Runs between a request and its handler: makes the value that the handler takes, or throws.
///
/// Checks are composed of smaller ones, in the order of their refusals. Only the file of a value's type can call its
/// initialiser.
struct Check<Value: Sendable>: Sendable {
    /// What is demanded, in order.
    let demands: [Demand]
    let run: @Sendable (Request, WebContext) async throws -> Value

    /// - Parameters:
    ///   - demand: what `run` demands; `nil` for a step that only reads the request.
    ///   - run: throws ``Refused``, or an error that the route turns into an answer.
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

    /// This check, then another one, which may use this one's value.
    func then<Next>(
        _ demand: Demand? = nil, _ next: @escaping @Sendable (Value, Request, WebContext) async throws -> Next
    ) -> Check<Next> {
        Check<Next>(demands + [demand].compactMap(\.self)) { request, context in
            try await next(try await self.run(request, context), request, context)
        }
    }

    /// This check for a route whose refusals have their own form.
    ///
    /// - Parameter answer: returns `nil` for an error that the route does not answer itself.
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

/// The check failed; this is the answer.
struct Refused: Error {
    let response: Response

    init(_ response: Response) {
        self.response = response
    }
}
