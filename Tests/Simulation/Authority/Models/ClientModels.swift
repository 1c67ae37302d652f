import Account
import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import SignIn

@testable import StoreValues

/// A client that registered itself, and one of the operator's, with two clicks of the victim.
enum ClientModels {
    private typealias Ask = ClientActs.Request

    static func claims(_ settings: AuthoritySettings = AuthoritySettings()) -> AuthorityModel {
        AuthorityModel(
            name: "clients: what they hear", settings: settings,
            start: { server in
                var story = Story(server)
                try await story.tellOfClients()
                return try await story.ended()
            },
            acts: [
                ClientActs.register(.mallory, scope: "openid email"),
                ClientActs.register(.mallory, scope: "openid", wantsMore: true),
                ask("openid"), ask("openid", claims: ["email", "name", "employee_number"]),
                ask("openid", claims: ["email", "phone_number"], prompt: "none"), ask("openid email", prompt: "none"),
                ask("openid keyturn:management"),
                ClientActs.authorize(.vera, Ask(client: "partner", scope: "openid profile offline_access")),
                ClientActs.authorize(
                    .vera, Ask(client: "partner", scope: "openid", claims: ["email", "phone_number"])),
                ClientActs.authorize(.vera, Ask(client: "partner", scope: "openid", prompt: "none")),
                ClientActs.authorize(.vera, Ask(client: "own", scope: "openid email")),
                ClientActs.authorize(
                    .vera, Ask(client: "tool", scope: "openid keyturn:management", redirectURI: "http://127.0.0.1/cb")),
                ClientActs.redeem(.vera), ClientActs.refresh(.vera), ClientActs.refresh(.vera, scope: "openid email"),
                ClientActs.configure("partner", as: "the claim employee_number") {
                    $0.userinfoClaims = ["employee_number"]
                    $0.idTokenClaims = ["employee_number"]
                },
                ClientActs.configure("partner", as: "no scope but openid") { $0.scope = "openid offline_access" },
                ClientActs.endAccess(.vera),
            ], depth: (4, 5))
    }

    private static func ask(_ scope: String, claims: [String] = [], prompt: String? = nil) -> AuthorityAct {
        ClientActs.authorize(.vera, Ask(client: "", scope: scope, claims: claims, prompt: prompt), isRegistered: true)
    }

    /// A client that is registered already.
    static func client(_ id: String, isFirstParty: Bool, scope: String?, redirectURI: String = ClientActs.callback)
        -> ClientRow
    {
        var metadata = ClientMetadata()
        metadata.clientName = id
        metadata.redirectURIs = [redirectURI]
        metadata.tokenEndpointAuthMethod = "none"
        metadata.grantTypes = ["authorization_code", "refresh_token"]
        metadata.scope = scope
        metadata.idTokenSignedResponseAlg = "EdDSA"
        return ClientRow(
            client: Client(id: id, metadata: metadata, secretDigests: [], isFirstParty: isFirstParty),
            updatedAt: AuthorityServer.beginning)
    }
}

extension Story {
    /// Clients of the operator's, and the victim in her browser; what is known of her is more than she says.
    mutating func tellOfClients() async throws {
        let vera = Person.vera.address
        set { state in
            let rows = [
                ClientModels.client("partner", isFirstParty: false, scope: nil),
                ClientModels.client("own", isFirstParty: true, scope: nil),
                ClientModels.client(
                    "tool", isFirstParty: true, scope: "openid keyturn:management", redirectURI: "http://127.0.0.1/cb"),
            ]
            for row in rows { state.stores.clients[row.client.id] = row }
        }
        try await tell(
            WireActs.sendCode(.vera, .signUpOrIn, to: vera), WireActs.enterCode(.vera, of: .vera, as: vera, in: nil),
            machine("knows more of vera") { scene, actor in
                let account = try scene.account(of: .vera)
                let body: [String: JSONValue] = [
                    "userId": .string(account.user.id.rawValue), "name": "Vera", "phone": "+15551234567",
                ]
                _ = try await scene.services.managedUsers.patch(MethodBody(body), by: actor)
                try scene.server.alter { $0.users[account.user.id]?.user.claims["employee_number"] = "4711" }
            },
            WireActs.sendCode(.vera, .signIn, to: vera), PageActs.signIn(.vera, byCodeIn: .vera))
        set { $0.holdings[.vera]?.clicks = 2 }
    }
}
