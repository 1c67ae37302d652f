internal import Authority
internal import HTTPTypes
internal import Identity
internal import KeyturnWire
internal import Model
internal import SignIn

/// The console for operators: a folder for each section.
///
/// A handler calls what the management interface calls; it has no rules of its own. It runs away from the event loop: a
/// search through all users or events must not hold up the sign-ins of others.
struct ConsoleRoutes: Sendable {
    let frame: ConsoleMiddleware
    let metrics: ExposedMetrics
    let protocols: ConnectionProtocols
    /// The languages that messages are in.
    let languages: [Language]
    /// The channels by which messages can be sent.
    let channels: Set<DeliveryMethod>
    /// Shows what messages say; `nil`: it cannot be shown.
    let previews: (any MessagePreviews)?

    var services: IdentityServices { frame.services }

    var routes: [Route] { ConsoleSection.all.flatMap { $0.routes(self) } }

    /// A page of a section.
    ///
    /// - Parameters:
    ///   - path: by default the section's.
    ///   - act: what the page shows, or lets an operator do: its role is the page's.
    func page(
        _ section: ConsoleSection, at path: String? = nil, for act: Act = .readProject,
        _ get: @escaping @Sendable (ConsoleRequest) async throws -> Response
    ) -> Route {
        Route(.get, path ?? section.path, frame.page(of: section, for: act), isPage: true) { opened in
            try await awayFromEventLoop { try await get(opened) }
        }
    }

    /// A form of a section.
    ///
    /// - Parameters:
    ///   - path: by default the section's.
    ///   - act: what the form does. Of several acts, the one that demands least: the rules ask again for each.
    func form(
        _ section: ConsoleSection, at path: String? = nil, for act: Act,
        _ post: @escaping @Sendable (ConsoleForm) async throws -> Response
    ) -> Route {
        Route(.post, path ?? section.path, frame.form(of: section, for: act), isPage: true) { form in
            try await awayFromEventLoop {
                do {
                    return try await frame.noting(form.request) { try await post(form) }
                } catch let denial as Denial {
                    throw frame.refusal(denial, form.request)
                }
            }
        }
    }
}
