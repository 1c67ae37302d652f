internal import Foundation
public import KeyturnBase
public import KeyturnWire
public import Model

/// A client as JSON, by the names of RFC 7591 and of the configuration file.
public enum ClientDocument {
    /// Everything but its digests.
    ///
    /// - Parameter secret: shown when it was just made.
    public static func json(_ client: Client, secret: Secret? = nil) throws -> JSONValue {
        var members = try metadata(client)
        members["client_id"] = .string(client.id)
        members["first_party"] = .bool(client.isFirstParty)
        if client.profile != .standard { members["profile"] = .string(client.profile.rawValue) }
        if let seconds = client.assertionSeconds { members["assertion_seconds"] = .integer(seconds) }
        members["from_configuration"] = .bool(client.isFromConfiguration)
        if let secret { members["client_secret"] = .string(secret.exposed()) }
        return .object(members)
    }

    /// What it registered.
    public static func metadata(_ client: Client) throws -> [String: JSONValue] {
        try JSONValue(parsing: JSONEncoder().encode(client.metadata)).objectValue ?? [:]
    }

    /// Changes what a body names, and leaves the rest.
    ///
    /// - Throws: ``MethodProblem`` for a member of a wrong type.
    public static func read(_ body: MethodBody, into draft: inout ClientDraft) throws(MethodProblem) {
        for name in ofFile where body.names(name) {
            throw .invalidArguments.saying("\(name) is written in the configuration file alone")
        }
        guard try body.text("subject_type") ?? "public" == "public" else {
            throw .invalidArguments.saying("There are no pairwise subjects here: subject_type is public")
        }
        if body.names("client_name") { draft.name = try body.text("client_name") }
        if body.names("redirect_uris") { draft.redirectURIs = try body.texts("redirect_uris") }
        if body.names("post_logout_redirect_uris") {
            draft.postLogoutRedirectURIs = try body.texts("post_logout_redirect_uris")
        }
        if body.names("grant_types") { draft.grantTypes = try body.texts("grant_types") }
        if body.names("scope") { draft.scope = try body.text("scope") }
    }

    /// What a client hears about users beyond its scopes.
    private static let ofFile = ["id_token_claims", "userinfo_claims", "unverified_contacts"]

    /// A new client.
    ///
    /// - Throws: ``MethodProblem`` for a member of a wrong type.
    public static func draft(_ body: MethodBody) throws(MethodProblem) -> ClientDraft {
        var draft = ClientDraft(id: try body.text("client_id") ?? "")
        try read(body, into: &draft)
        if let method = try body.text("token_endpoint_auth_method") {
            draft.authenticationMethod = ClientAuthenticationMethod(rawValue: method)
        }
        draft.isFirstParty = try body.flag("first_party") ?? false
        if let name = try body.text("profile") {
            guard let profile = ClientProfile(rawValue: name), profile != .fapi2 else {
                throw .invalidArguments.saying("A profile is default, authgear or tim; the file has the other ones")
            }
            draft.profile = profile
        }
        return draft
    }
}
