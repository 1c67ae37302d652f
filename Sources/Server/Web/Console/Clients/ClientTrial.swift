internal import Account
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// Requests with which an operator tries a client, ready to paste.
struct ClientTrial: Sendable {
    /// An authorization request, and how its code is redeemed.
    struct SignIn: Sendable {
        let address: String
        let redemption: String
    }

    /// `nil`: it has no address for answers, or must send its requests otherwise.
    let signIn: SignIn?
    /// How it gets a token for itself; `nil`: it cannot.
    let ownToken: String?

    init(_ client: Client, issuer: String, ambient: Ambient) {
        let credentials = Self.credentials(client)
        ownToken =
            client.allows(.clientCredentials) && client.hasSharedSecret
            ? Self.command(
                "\(issuer)\(Routes.token)", [("grant_type", GrantType.clientCredentials.rawValue)], credentials)
            : nil
        guard client.allows(.authorizationCode), let target = client.metadata.redirectURIs?.first,
            !client.requiresPushedRequests, !client.requiresSignedRequests
        else {
            signIn = nil
            return
        }
        let proof = PKCE(ambient: ambient)
        var query = FormParameters()
        for (name, value) in [
            ("response_type", "code"), ("client_id", client.id), ("redirect_uri", target),
            ("scope", client.scope?.text ?? Scope.openID), ("state", ambient.randomToken(byteCount: 8)),
            ("code_challenge", proof.codeChallenge), ("code_challenge_method", PKCE.method),
        ] { query.append(name, value) }
        let fields = [
            ("grant_type", GrantType.authorizationCode.rawValue), ("code", "CODE"), ("redirect_uri", target),
            ("code_verifier", proof.codeVerifier.exposed()),
        ]
        signIn = SignIn(
            address: "\(issuer)\(Routes.authorize)?\(query.encoded)",
            redemption: Self.command("\(issuer)\(Routes.token)", fields, credentials))
    }

    /// The arguments of curl by which the client authenticates.
    private static func credentials(_ client: Client) -> [String] {
        switch client.authenticationMethod {
        case .clientSecretBasic?:
            ["-u \(quoted("\(FormParameters.percentEncode(client.id)):SECRET"))"]
        case .clientSecretPost?:
            ["--data-urlencode \(quoted("client_id=\(client.id)"))", "-d \(quoted("client_secret=SECRET"))"]
        default: ["--data-urlencode \(quoted("client_id=\(client.id)"))"]
        }
    }

    private static func command(_ address: String, _ fields: [(String, String)], _ credentials: [String]) -> String {
        (["curl \(quoted(address))"] + credentials
            + fields.map { "--data-urlencode \(quoted("\($0.0)=\($0.1)"))" }).joined(separator: " \\\n  ")
    }

    /// One word for a shell, whatever is in it.
    private static func quoted(_ text: String) -> String {
        "'\(text.replacing("'", with: "'\\''"))'"
    }
}
