internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import SignIn

/// `/v1/auth/magiclink/…`: links that sign in the user who confirms.
struct MagicLinkRoutes: Sendable {
    let frame: DescopeMiddleware

    private var links: MagicLinks { frame.services.methods.magicLinks }

    var routes: [Route] {
        frame.messageRoutes("magiclink") { ask in try await links.send(ask).json }
            + frame.updateRoutes("magiclink") { update in try await links.send(update).json } + [
                // Only a POST uses a link up (there is no GET): mail scanners do not post.
                frame.route(.post, "/v1/auth/magiclink/verify") { request in
                    let token = try VerifyTokenRequest(request.body).token
                    let shown = try await frame.checks.sessionIfGood(request.bearer)
                    let proof = try await links.verify(token, in: shown, from: request.address)
                    return try await frame.open(proof, request, shown: shown)
                }
            ]
    }
}

/// `/v1/auth/enchantedlink/…`: three links, and a session for the client that waits.
struct EnchantedLinkRoutes: Sendable {
    let frame: DescopeMiddleware

    private var links: EnchantedLinks { frame.services.methods.enchantedLinks }

    var routes: [Route] {
        frame.messageRoutes("enchantedlink", by: [.email, .sms]) { ask in try await links.send(ask).json }
            + frame.updateRoutes("enchantedlink", phones: [.sms]) { update in try await links.send(update).json } + [
                frame.route(.post, "/v1/auth/enchantedlink/verify") { request in
                    try await links.verify(VerifyTokenRequest(request.body).token, from: request.address)
                    return [:]
                },
                frame.route(.post, "/v1/auth/enchantedlink/pending-session") { request in
                    let shown = try await frame.checks.sessionIfGood(request.bearer)
                    let proof = try await links.collect(PendingSessionRequest(request.body).pendingRef)
                    return try await frame.open(proof, request, shown: shown)
                },
            ]
    }
}
