public import KeyturnBase
public import KeyturnWire
public import Model
internal import OAuth

/// What an operator says about a client, before it is checked: on the command line, in the console, and by the management
/// interface. Everything else about clients is written in the configuration file.
public struct ClientDraft: Hashable, Sendable {
    public var id: String
    /// What pages call it.
    public var name: String?
    public var redirectURIs: [String]
    public var postLogoutRedirectURIs: [String]
    public var grantTypes: [String]
    /// `nil`: everything that the project offers.
    public var scope: String?
    public var authenticationMethod: ClientAuthenticationMethod?
    public var isFirstParty: Bool
    public var profile: ClientProfile
    /// What a client that is there keeps, known to this release or not.
    private var presentGrantTypes: Set<String> = []
    private var hasKeys = false

    /// A client that a user signs in to.
    public static let usualGrantTypes = [GrantType.authorizationCode.rawValue, GrantType.refreshToken.rawValue]

    /// How many addresses of each kind a client may have.
    public static let addressesMax = 64

    public init(
        id: String, name: String? = nil, redirectURIs: [String] = [], postLogoutRedirectURIs: [String] = [],
        grantTypes: [String] = ClientDraft.usualGrantTypes, scope: String? = nil,
        authenticationMethod: ClientAuthenticationMethod? = .clientSecretBasic, isFirstParty: Bool = false,
        profile: ClientProfile = .standard
    ) {
        self.id = id
        self.name = name
        self.redirectURIs = redirectURIs
        self.postLogoutRedirectURIs = postLogoutRedirectURIs
        self.grantTypes = grantTypes
        self.scope = scope
        self.authenticationMethod = authenticationMethod
        self.isFirstParty = isFirstParty
        self.profile = profile
    }

    /// What is registered of a client.
    public init(_ client: Client) {
        let metadata = client.metadata
        self.init(
            id: client.id, name: metadata.clientName, redirectURIs: metadata.redirectURIs ?? [],
            postLogoutRedirectURIs: metadata.postLogoutRedirectURIs ?? [],
            grantTypes: metadata.grantTypes ?? [GrantType.authorizationCode.rawValue], scope: metadata.scope,
            authenticationMethod: client.authenticationMethod, isFirstParty: client.isFirstParty,
            profile: client.profile)
        presentGrantTypes = Set(grantTypes)
        hasKeys = metadata.jwks != nil || metadata.jwksURI != nil
    }

    /// Whether it cannot keep a secret.
    public var isPublic: Bool { authenticationMethod == ClientAuthenticationMethod.none }

    /// The grant types to choose from: those of the server, and those that the client has.
    public var knownGrantTypes: [String] {
        let registered = TokenGrants.registered.map(\.rawValue)
        return registered + presentGrantTypes.subtracting(registered).sorted()
    }

    /// A new client.
    ///
    /// - Parameter secret: `nil`: it is public.
    public func client(_ secret: Secret?) -> Client {
        var metadata = ClientMetadata()
        apply(to: &metadata)
        metadata.tokenEndpointAuthMethod = authenticationMethod?.rawValue
        if isPublic { metadata.applicationType = "native" }
        return Client(
            id: id, metadata: metadata, secretDigests: secret.map { [SecretDigest(of: $0)] } ?? [],
            isFirstParty: isFirstParty, profile: profile)
    }

    /// Writes what can be changed later.
    func apply(to metadata: inout ClientMetadata) {
        metadata.clientName = name
        metadata.redirectURIs = redirectURIs
        metadata.postLogoutRedirectURIs = postLogoutRedirectURIs
        metadata.grantTypes = grantTypes
        metadata.scope = scope ?? (profile == .authgear ? ClientProfile.authgearScopes.joined(separator: " ") : nil)
    }
}

extension ClientDraft {
    /// Everything that is wrong. A client that could do nothing is refused: the authorization endpoint answers to
    /// registered addresses alone (RFC 6749 §3.1.2.2), and some grant types are for clients that authenticate.
    public var mistakes: [ClientMistake] {
        [identifierMistake, nameMistake, methodMistake].compactMap(\.self) + addressMistakes + grantMistakes
            + scopeMistakes + profileMistakes
    }

    private var identifierMistake: ClientMistake? {
        !id.isEmpty && id.utf8.count <= Limits.nameBytesMax && id.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            ? nil : .identifier
    }

    private var nameMistake: ClientMistake? {
        guard let name else { return nil }
        let hasControls = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return name.utf8.count <= Limits.nameBytesMax && !hasControls ? nil : .name
    }

    private var methodMistake: ClientMistake? {
        guard let authenticationMethod else { return .authenticationMethod }
        return authenticationMethod == .privateKeyJWT && !hasKeys ? .authenticationMethod : nil
    }

    private var addressMistakes: [ClientMistake] {
        var mistakes = redirectURIs.compactMap { uri in
            RedirectURI.flaw(in: uri).map { ClientMistake.redirectURI(uri, $0) }
        }
        if redirectURIs.count > Self.addressesMax { mistakes.append(.tooManyRedirectURIs) }
        if grantTypes.contains(GrantType.authorizationCode.rawValue), redirectURIs.isEmpty {
            mistakes.append(.redirectURIMissing)
        }
        mistakes += postLogoutRedirectURIs.compactMap { uri in
            RedirectURI.flaw(in: uri).map { ClientMistake.postLogoutRedirectURI(uri, $0) }
        }
        if postLogoutRedirectURIs.count > Self.addressesMax { mistakes.append(.tooManyPostLogoutRedirectURIs) }
        return mistakes
    }

    private var grantMistakes: [ClientMistake] {
        guard !grantTypes.isEmpty else { return [.grantTypeMissing] }
        let known = knownGrantTypes
        var mistakes = grantTypes.filter { !known.contains($0) }.map(ClientMistake.grantType)
        if isPublic {
            mistakes += grantTypes.filter(TokenGrants.needAuthentication).map(ClientMistake.needsAuthentication)
        }
        if !hasKeys, grantTypes.contains(GrantType.jwtBearer.rawValue) {
            mistakes.append(.needsKeys(GrantType.jwtBearer.rawValue))
        }
        return mistakes
    }

    private var scopeMistakes: [ClientMistake] {
        guard let scope else { return [] }
        guard let asked = Scope(scope) else { return [.scope] }
        guard profile == .authgear else { return [] }
        return ClientProfile.authgearScopes.filter { !asked.contains($0) }.prefix(1).map(
            ClientMistake.profileLacksScope)
    }

    private var profileMistakes: [ClientMistake] {
        guard profile == .authgear || profile == .tim else { return [] }
        var mistakes: [ClientMistake] = []
        if !isPublic || !isFirstParty { mistakes.append(.profileNeedsOwnPublicClient) }
        if !grantTypes.contains(GrantType.refreshToken.rawValue) { mistakes.append(.profileNeedsRefreshToken) }
        return mistakes
    }
}
