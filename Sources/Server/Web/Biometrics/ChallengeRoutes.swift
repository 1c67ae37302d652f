internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// `/oauth2/challenge`: challenges that make the signed requests of devices fresh.
struct ChallengeRoutes: Sendable {
    let services: IdentityServices

    var routes: [Route] {
        [
            Route(
                .post, Routes.challenge, open: "a challenge is worth nothing by itself", sharing: .clients,
                handler: challenge)
        ]
    }

    /// `POST /oauth2/challenge`: any client may ask, and the server stores nothing.
    @Sendable func challenge(_ request: Request, _ context: WebContext) async throws -> Response {
        let body = try await request.jsonObject(max: Limits.challengeBodyBytesMax)
        guard let asked = body.flatMap({ ChallengeRequest(parsing: $0.serialized) }),
            let challenge = services.challenges.make(for: asked.purpose)
        else {
            return .refused(.invalid("purpose is one of: \(Self.purposes)"))
        }
        return .json(challenge.body)
    }

    private static let purposes = ChallengeCodec.purposes.map(\.rawValue).joined(separator: ", ")
}
