public import Model

/// What is wrong with what an operator says about a client. The console and the command line have words of their own.
public enum ClientMistake: Hashable, Sendable {
    /// It is empty, too long, or has characters that requests cannot have (RFC 6749 Appendix A.1).
    case identifier
    case identifierTaken
    /// It could be the address of a service, which tokens name.
    case identifierIsAddress
    case name
    case redirectURI(String, RedirectURI.Flaw)
    /// Answers go to registered addresses alone (RFC 6749 §3.1.2.2).
    case redirectURIMissing
    case tooManyRedirectURIs
    case postLogoutRedirectURI(String, RedirectURI.Flaw)
    case tooManyPostLogoutRedirectURIs
    case grantTypeMissing
    /// The server does not know the grant type.
    case grantType(String)
    /// The grant type is for clients that authenticate.
    case needsAuthentication(String)
    /// The grant type is for clients with public keys.
    case needsKeys(String)
    case scope
    /// The method needs public keys, or is unknown.
    case authenticationMethod
    /// The profile is for public clients of the operator's own.
    case profileNeedsOwnPublicClient
    case profileNeedsRefreshToken
    /// Apps of the profile ask for this scope.
    case profileLacksScope(String)

    /// The member that it is about, as RFC 7591 calls it.
    public var member: String {
        switch self {
        case .identifier, .identifierTaken, .identifierIsAddress: "client_id"
        case .name: "client_name"
        case .redirectURI, .redirectURIMissing, .tooManyRedirectURIs: "redirect_uris"
        case .postLogoutRedirectURI, .tooManyPostLogoutRedirectURIs: "post_logout_redirect_uris"
        case .grantTypeMissing, .grantType, .needsAuthentication, .needsKeys, .profileNeedsRefreshToken: "grant_types"
        case .scope, .profileLacksScope: "scope"
        case .authenticationMethod: "token_endpoint_auth_method"
        case .profileNeedsOwnPublicClient: "profile"
        }
    }

    /// One line for developers: what is wrong, and what to do.
    public var sentence: String { "\(member): \(detail)" }

    private var detail: String {
        switch self {
        case .identifier:
            "it is empty, too long, or not printable ASCII. Use at most \(Limits.nameBytesMax) letters, digits and signs."
        case .identifierTaken:
            "there is a client of this identifier already. Choose another one, or remove that client."
        case .identifierIsAddress:
            "it is an address, and tokens for the service there would count as the client's. Choose a name without a scheme."
        case .name: "it is longer than \(Limits.nameBytesMax) bytes, or has control characters. Choose a shorter one."
        case .redirectURI(_, let flaw), .postLogoutRedirectURI(_, let flaw):
            "an address cannot be registered: \(flaw)."
        case .redirectURIMissing:
            "the grant type authorization_code needs an address. Add one, or remove the grant type."
        case .tooManyRedirectURIs, .tooManyPostLogoutRedirectURIs:
            "a client has at most \(ClientDraft.addressesMax). Register another client."
        case .grantTypeMissing: "the client could do nothing. Add a grant type."
        case .grantType: "this server does not know every one of them. Remove those that discovery does not list."
        case .needsAuthentication(let name):
            "\(name) is for clients that can prove who they are. Remove it, or register a confidential client."
        case .needsKeys(let name):
            "\(name) needs the client's public keys. Write the client in the configuration file, with jwks or jwks_uri."
        case .scope: "it holds a character that scopes cannot have. Separate plain names by spaces."
        case .authenticationMethod: "choose one of: none, client_secret_basic, client_secret_post."
        case .profileNeedsOwnPublicClient: "it is for public clients of your own."
        case .profileNeedsRefreshToken: "the client's profile needs refresh_token. Add it."
        case .profileLacksScope(let name): "it lacks \(name), which apps of the client's profile ask for. Add it."
        }
    }
}

/// Why a client is not saved.
public struct ClientRefusal: Error, Hashable, Sendable {
    /// At least one.
    public let mistakes: [ClientMistake]

    init(_ mistakes: [ClientMistake]) {
        self.mistakes = mistakes
    }
}
