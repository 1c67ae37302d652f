internal import Foundation
public import KeyturnBase
internal import KeyturnWire
public import Model
public import SignIn

/// Signs users in at providers of OpenID Connect and of OAuth 2.0, by the authorization code with PKCE.
public struct OpenIDProtocol: ConnectionProtocol {
    let issuer: String
    let http: any OutgoingHTTP
    let directory: ProviderDirectory
    let ambient: Ambient

    /// What the answer is judged by.
    private struct Kept: Codable {
        let verifier: String
        let nonce: String
    }

    /// - Parameters:
    ///   - issuer: this server's; the providers send users back below it.
    ///   - http: asks the providers.
    ///   - ambient: the time and random bytes.
    public init(issuer: String, http: any OutgoingHTTP, ambient: Ambient) {
        self.issuer = issuer
        self.http = http
        self.ambient = ambient
        directory = ProviderDirectory(http: http, ambient: ambient)
    }

    /// The redirect URI of a connection: one for each, so that an answer of one provider is never taken for another's.
    public static func redirectURI(of connection: String, below issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/federation/\(connection)/callback"
    }

    public func begin(_ start: ConnectionStart, at connection: Connection) async throws(ConnectionProblem)
        -> ConnectionDeparture
    {
        do throws(ConnectionFault) {
            return try await departure(start, connection)
        } catch {
            throw ConnectionProblem(error)
        }
    }

    public func finish(_ answer: [(name: String, value: String)], _ state: FederationState, at connection: Connection)
        async throws(ConnectionProblem) -> FederatedProfile
    {
        do throws(ConnectionFault) {
            return try await profile(answer, state, connection)
        } catch {
            throw ConnectionProblem(error)
        }
    }

    static func parts(_ connection: Connection) throws(ConnectionFault) -> (
        OpenIDConnectionSettings, ProviderPreset
    ) {
        guard case .openID(let settings) = connection.settings, let preset = ProviderPreset.of(settings) else {
            throw ConnectionFault(.misconfigured, "preset")
        }
        return (settings, preset)
    }

    private func departure(_ start: ConnectionStart, _ connection: Connection) async throws(ConnectionFault)
        -> ConnectionDeparture
    {
        let (settings, preset) = try Self.parts(connection)
        let (metadata, _) = try await directory.provider(connection, settings, preset)
        let kept = Kept(verifier: ambient.randomToken(byteCount: 32), nonce: ambient.randomToken(byteCount: 16))
        var form = FormParameters()
        form.append("response_type", "code")
        form.append("client_id", settings.clientID)
        form.append("redirect_uri", Self.redirectURI(of: connection.id, below: issuer))
        var scopes = preset.scopes + settings.scopes.filter { !preset.scopes.contains($0) }
        if settings.keepsTokens, let offline = preset.offlineScope, !scopes.contains(offline) { scopes.append(offline) }
        form.append("scope", scopes.joined(separator: " "))
        form.append("state", start.handle)
        if preset.sendsNonce { form.append("nonce", kept.nonce) }
        if preset.sendsChallenge {
            form.append("code_challenge", PKCE.challenge(for: kept.verifier))
            form.append("code_challenge_method", PKCE.method)
        }
        if let mode = preset.responseMode { form.append("response_mode", mode) }
        var parameters = preset.parameters
        if settings.keepsTokens { parameters.merge(preset.offlineParameters) { _, offline in offline } }
        if !settings.prompt.isEmpty { parameters["prompt"] = settings.prompt.joined(separator: " ") }
        if preset.takesHints {
            if start.isForced {
                parameters["prompt"] = "login"
                parameters["max_age"] = "0"
            } else if let maxAge = start.maxAge {
                parameters["max_age"] = String(maxAge)
            }
            if let hint = start.loginHint { parameters["login_hint"] = hint }
        }
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) { form.append(name, value) }
        // Blanks are %20: some providers read no other form.
        let query = form.encoded.replacing("+", with: "%20")
        let separator = metadata.authorizationEndpoint.contains("?") ? "&" : "?"
        guard let address = URIParts(metadata.authorizationEndpoint), ["https", "http"].contains(address.scheme),
            address.scheme == "https" || connection.allowsPrivateAddresses
                || address.host?.isLoopbackInBrowsers == true,
            let state = try? JSONEncoder().encode(kept)
        else { throw ConnectionFault(.misconfigured, "authorization_endpoint") }
        return ConnectionDeparture(
            way: .redirect(metadata.authorizationEndpoint + separator + query),
            protocolState: String(decoding: state, as: UTF8.self))
    }

    private func profile(
        _ answer: [(name: String, value: String)], _ state: FederationState, _ connection: Connection
    ) async throws(ConnectionFault) -> FederatedProfile {
        let (settings, preset) = try Self.parts(connection)
        guard let begun = try? JSONDecoder().decode(Kept.self, from: Data(state.protocolState.utf8)) else {
            throw ConnectionFault(.refused, "state")
        }
        let fields = try ProviderAnswer(answer)
        let (metadata, keys) = try await directory.provider(connection, settings, preset)
        try fields.checkIssuer(metadata)
        let code = try fields.code()
        let tokens = try await redeem(code, begun, connection, settings, preset, metadata)
        guard let accessToken = tokens["access_token"]?.stringValue, !accessToken.isEmpty else {
            throw ConnectionFault(.refused, "no_access_token")
        }
        let session = ProviderSession(
            http: http, connection: connection, settings: settings, accessToken: accessToken)
        let kept = settings.keepsTokens ? kept(tokens) : nil
        if let user = preset.user {
            return try await user(session).bounded().vouched(for: connection, settings, preset).with(kept)
        }
        guard preset.scopes.contains("openid"), let keys, let token = tokens["id_token"]?.stringValue else {
            throw ConnectionFault(.refused, "no_id_token")
        }
        let check = IDTokenCheck(
            settings: settings, preset: preset, metadata: metadata, keys: keys,
            nonce: preset.sendsNonce ? begun.nonce : nil, audiences: [settings.clientID])
        var claims = try await check.claims(of: token, accessToken: accessToken, at: ambient.now())
        if !UserInfoClaims.hasAddress(claims, settings), let endpoint = metadata.userinfoEndpoint {
            claims = try UserInfoClaims.merged(claims, try await session.document(endpoint))
        }
        return try ProfileClaims(claims: claims, settings: settings, preset: preset)
            .profile(names: fields.appleName).bounded().vouched(for: connection, settings, preset).with(kept)
    }

    private func redeem(
        _ code: String, _ kept: Kept, _ connection: Connection, _ settings: OpenIDConnectionSettings,
        _ preset: ProviderPreset, _ metadata: ProviderMetadata
    ) async throws(ConnectionFault) -> JSONValue {
        var form = FormParameters()
        form.append("grant_type", "authorization_code")
        form.append("code", code)
        form.append("redirect_uri", Self.redirectURI(of: connection.id, below: issuer))
        if preset.sendsChallenge { form.append("code_verifier", kept.verifier) }
        let headers = try authenticate(&form, settings, preset, metadata)
        return try await ProviderRequests(http: http, connection: connection).post(
            metadata.tokenEndpoint, form, headers: headers)
    }
}

extension ConnectionProblem {
    init(_ fault: ConnectionFault) {
        let kind: Kind =
            switch fault.kind {
            case .cancelled: .cancelled
            case .denied: .denied
            case .unavailable: .unavailable
            case .misconfigured: .misconfigured
            case .refused: .refused
            }
        self.init(kind, code: fault.code)
    }
}

extension FederatedProfile {
    fileprivate func with(_ tokens: ProviderTokens?) -> FederatedProfile {
        var profile = self
        profile.tokens = tokens
        return profile
    }
}
