import Account
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import OAuth
import SignIn

/// Clients: registration, requests, what the person allows, and what they hear.
enum ClientActs {
    /// One request of a client.
    struct Request: Sendable {
        var client: String
        var scope: String
        /// Claims by name (OpenID Connect Core §5.5), in the ID token and at UserInfo.
        var claims: [String] = []
        var prompt: String?
        var redirectURI = ClientActs.callback

        var shown: String {
            scope + (claims.isEmpty ? "" : " and the claims \(claims.joined(separator: " "))")
                + (prompt.map { ", prompt=\($0)" } ?? "")
        }
    }

    static let callback = "https://client.example/callback"
    /// Of the client that registers itself: no other one's.
    static let strangersCallback = "https://stranger.example/callback"
    private static let verifier = "a-verifier-of-forty-three-characters-or-more-1"

    /// A client registers itself (RFC 7591). Its identifier is the name of the act's person and a number.
    ///
    /// - Parameter wantsMore: whether it says of itself what only the operator says.
    static func register(_ person: Person, scope: String, wantsMore: Bool = false) -> AuthorityAct {
        AuthorityAct(
            name: "registers a client for \(scope)\(wantsMore ? ", with the operator's words" : "")", person: person
        ) { scene in
            guard let registrar = scene.services.registrar,
                let permit = registrar.permit(nil, from: scene.network)
            else { throw Refused("no registration") }
            var metadata = ClientMetadata()
            metadata.redirectURIs = [strangersCallback]
            metadata.tokenEndpointAuthMethod = "none"
            metadata.grantTypes = ["authorization_code", "refresh_token"]
            metadata.scope = scope
            metadata.idTokenSignedResponseAlg = "EdDSA"
            if wantsMore {
                metadata.idTokenClaims = ["employee_number"]
                metadata.userinfoClaims = ["employee_number", "email"]
                metadata.unverifiedContacts = true
            }
            guard case .entry(let entry) = try await registrar.register(metadata, by: permit, from: scene.network)
            else { throw Refused("full") }
            scene.state.past.registered.append(entry.client.id)
        }
    }

    /// The person follows a link to the authorization endpoint, in a browser that is signed in, and says yes to what a
    /// page shows (`AuthorizeRoutes`).
    ///
    /// - Parameter client: `nil`: the client that registered itself.
    static func authorize(_ person: Person, _ request: Request, isRegistered: Bool = false) -> AuthorityAct {
        AuthorityAct(
            name: "\(isRegistered ? "the client that registered itself" : request.client) asks for \(request.shown)",
            person: person,
            isPossible: {
                $0.holdings[person]?.cookies.isEmpty == false && (!isRegistered || !$0.past.registered.isEmpty)
            }
        ) { scene in
            var request = request
            if isRegistered {
                (request.client, request.redirectURI) = (scene.state.past.registered.last ?? "", strangersCallback)
            }
            let services = scene.services
            guard case .transaction(var transaction) = try await services.authorization.start(form(request)) else {
                throw Refused("the request")
            }
            guard let cookie = scene.holdings.cookies.last,
                let session = try await services.signIn.session(of: Secret(cookie.cookie))
            else { throw Refused("login_required") }
            var step = try await services.authorization.next(transaction, session: session)
            let answer: AuthorizationAnswer
            switch step {
            case .consent(_, let asked, _):
                try scene.click()
                transaction.shownClaims = asked.claims
                step = try await services.authorization.next(transaction, session: session)
                guard case .consent(_, let needed, _) = step, needed.claims.isSubset(of: transaction.shownClaims ?? [])
                else { throw Refused("the page again") }
                scene.state.past.agreed["\(request.client)/\(person.rawValue)", default: []].formUnion(
                    asked.claims.union(StandardClaims.claims(forScopes: asked.scope)))
                answer = try await services.authorization.allow(transaction, session: session.0)
            case .confirmation:
                try scene.click()
                answer = try await services.authorization.confirm(transaction, session: session.0)
            case .answer(let silent): answer = silent
            default: throw Refused("a sign-in")
            }
            guard case .code(let code) = answer.response.outcome else { throw Refused("\(answer.response.outcome)") }
            scene.holdings.codes.append(
                HeldCode(
                    client: request.client, code: code, redirectURI: request.redirectURI, session: session.0.id))
        }
    }

    private static func form(_ request: Request) -> FormParameters {
        var authorization = AuthorizationRequest(clientID: request.client)
        authorization.redirectURI = request.redirectURI
        authorization.responseType = "code"
        authorization.scope = request.scope
        authorization.prompt = request.prompt
        authorization.codeChallenge = PKCE.challenge(for: verifier)
        authorization.codeChallengeMethod = PKCE.method
        if !request.claims.isEmpty {
            let names = JSONValue.object(Dictionary(uniqueKeysWithValues: request.claims.map { ($0, .null) }))
            authorization.claims = String(
                decoding: JSONValue.object(["userinfo": names, "id_token": names]).serialized, as: UTF8.self)
        }
        return authorization.parameters
    }

    /// The client redeems the newest code, and asks UserInfo.
    static func redeem(_ person: Person) -> AuthorityAct {
        AuthorityAct(
            name: "the client redeems the code, and asks UserInfo", person: person, timesMax: 3,
            isPossible: { $0.holdings[person]?.codes.isEmpty == false }
        ) { scene in
            guard let held = scene.holdings.codes.popLast() else { throw NothingToDo() }
            var form = FormParameters(["grant_type": "authorization_code", "code": held.code])
            form.append("redirect_uri", held.redirectURI)
            form.append("code_verifier", verifier)
            try await scene.keepTokens(try await scene.ask(form, as: held.client), of: held.client, from: held.session)
        }
    }

    /// The client renews its newest tokens.
    ///
    /// - Parameter scope: `nil`: as before.
    static func refresh(_ person: Person, scope: String? = nil) -> AuthorityAct {
        AuthorityAct(
            name: "the client refreshes\(scope.map { " with the scope \($0)" } ?? "")", person: person, timesMax: 2,
            isPossible: { $0.holdings[person]?.tokens.contains { $0.refreshToken != nil } == true }
        ) { scene in
            guard let held = scene.holdings.tokens.last(where: { $0.refreshToken != nil }) else { throw NothingToDo() }
            var form = FormParameters(["grant_type": "refresh_token", "refresh_token": held.refreshToken ?? ""])
            form.append("scope", scope)
            let session = scene.state.past.clientGrants[held.grant]?.session
            try await scene.keepTokens(try await scene.ask(form, as: held.client), of: held.client, from: session)
        }
    }

    /// The operator changes what a client may have, in the configuration.
    static func configure(
        _ client: String, as name: String, _ change: @escaping @Sendable (inout ClientMetadata) -> Void
    )
        -> AuthorityAct
    {
        AuthorityAct(name: "the configuration gives \(client) \(name)", person: .olga) { scene in
            _ = try await scene.services.stores.clients.change(client, at: scene.state.now) { client in
                change(&client.metadata)
            }
            try await scene.services.clients.reload()
        }
    }

    /// The person ends an app's access in the settings, and with it what the app was allowed.
    static func endAccess(_ person: Person) -> AuthorityAct {
        PageActs.settings(person, "ends the newest app's access", isRecentOnly: false) { scene, settings, owner in
            guard let held = scene.holdings.tokens.last else { throw NothingToDo() }
            guard try await settings.end(held.grant, by: owner) else { throw Refused("over already") }
            scene.state.past.endedGrants.insert(held.grant)
            let isLast = !scene.holdings.tokens.contains { $0.client == held.client && $0.grant != held.grant }
            if isLast { scene.state.past.agreed["\(held.client)/\(scene.person.rawValue)"] = nil }
        }
    }
}

extension Scene {
    /// The person clicks on what a page shows.
    mutating func click() throws {
        guard holdings.clicks > 0 else { throw Refused("no click") }
        holdings.clicks -= 1
    }

    /// The token endpoint's answer to a client that authenticated.
    func ask(_ form: FormParameters, as id: String) async throws -> TokenResponse {
        guard let client = services.clients.client(id) else { throw Refused("no client") }
        return try await services.tokens.answer(form, client: client, from: network)
    }

    /// Keeps tokens, and lets the judge hear what they and UserInfo say.
    mutating func keepTokens(_ response: TokenResponse, of id: String, from session: SessionID?) async throws {
        let services = server.services
        guard let client = services.clients.client(id) else { throw Refused("no client") }
        guard let (token, live) = try await services.inspector.personal(Secret(response.accessToken)) else {
            tried("a new access token of \(id)", false, true)
            return
        }
        let grant = live.grant
        holdings.tokens.removeAll { $0.grant == grant.id && $0.issuedAt == token.issuedAt }
        // The one before was exchanged for this one.
        for index in holdings.tokens.indices where holdings.tokens[index].grant == grant.id {
            holdings.tokens[index].refreshToken = nil
        }
        holdings.tokens.append(
            HeldToken(
                client: id, grant: grant.id, accessToken: response.accessToken, refreshToken: response.refreshToken,
                idToken: response.idToken, issuedAt: token.issuedAt))
        state.past.clientGrants[grant.id] = Past.ClientGrant(
            client: id, session: session, user: live.user.id, isOffline: grant.scope.contains(Scope.offlineAccess))
        let allowed = allowed(client, live)
        if token.scope.contains(Scope.openID) {
            let told = try await ClaimRelease(stores: services.stores).userInfo(live, to: client, by: token)
            heard.append(Heard(user: live.user.id, client: "\(id) at UserInfo", claims: told, allowed: allowed))
        }
        if let text = response.idToken, let claims = Self.claims(of: text) {
            heard.append(Heard(user: live.user.id, client: "\(id) in the ID token", claims: claims, allowed: allowed))
        }
    }

    /// What a client may hear: what the person saw and agreed to; of one's own clients, what the operator wrote.
    private func allowed(_ client: Client, _ live: LiveGrant) -> Set<String> {
        guard client.isFirstParty else {
            return state.past.agreed["\(client.id)/\(person.rawValue)"] ?? []
        }
        return StandardClaims.claims(forScopes: live.grant.scope).union(client.claimsToRequest)
    }

    private static func claims(of token: String) -> [String: JSONValue]? {
        let parts = token.split(separator: ".")
        guard parts.count == 3, let bytes = Base64URL.decode(parts[1]) else { return nil }
        return try? JSONValue(parsing: bytes).objectValue
    }
}
