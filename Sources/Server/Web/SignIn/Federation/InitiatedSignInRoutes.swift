internal import Foundation
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// `/federation/{name}/initiate`: the `initiate_login_uri` of a connection. Its provider, or anyone, sends a user who wants
/// to sign in (OpenID Connect Core §4): a sign-in begins as any other, with a state of its own, and nothing of the request
/// is believed.
struct InitiatedSignInRoutes: Sendable {
    let signIn: SignInRoutes

    static let path = "/federation/{name}/initiate"
    private static let why = "it begins a sign-in, and shows and changes nothing"

    private var services: IdentityServices { signIn.services }
    private var federation: MethodFederation {
        MethodFederation(services.federation, core: services.methods.codes.core)
    }

    var routes: [Route] {
        [
            Route(.get, Self.path, open: Self.why, isPage: true) { request, _ in
                try initiate(request, try request.queryParameters())
            },
            Route(.post, Self.path, open: Self.why, isPage: true) { request, _ in
                try initiate(request, try await request.postedForm(max: Limits.providerAnswerBytesMax).fields)
            },
        ]
    }

    private func initiate(_ request: Request, _ fields: FormParameters) throws -> Response {
        guard let id = request.names(in: Self.path).first, let connection = signIn.gate.connection(id),
            let issuer = signIn.gate.protocols.of(connection)?.issuer(of: connection),
            try fields.one("iss") == issuer
        else { throw Unreadable(status: .badRequest, detail: "iss is not the provider of this connection") }
        let hint = try fields.one("login_hint").map { String($0.prefix(Identifier.bytesMax)) }
        let asked: MethodFederation.Asked
        do throws(MethodProblem) {
            asked = try federation.asked(
                connection.tenantID == nil ? .social : .sso,
                redirectURL: try Self.target(fields) ?? connection.defaultRedirect, options: .none, presented: nil,
                loginHint: hint)
        } catch {
            throw Unreadable(status: .badRequest, detail: "target_link_uri is not an approved address")
        }
        // The departure has the limits and the browser's mark of every sign-in.
        let ticket = federation.ticket(asked, at: connection, isForced: false)
        return .seeOther("\(DescopeFederationRoutes.departurePath)?ticket=\(ticket)")
    }

    private static func target(_ fields: FormParameters) throws(MethodProblem) -> String? {
        do {
            return try fields.one("target_link_uri")
        } catch {
            throw .invalidArguments
        }
    }
}
