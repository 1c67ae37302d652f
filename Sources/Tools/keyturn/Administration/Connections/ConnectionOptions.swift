internal import ArgumentParser
internal import Federation
internal import Foundation
internal import KeyturnBase
internal import Model

/// The settings of a connection as options; what is not given stays as it is.
struct ConnectionOptions: ParsableArguments {
    @Option(help: "What buttons call it.") var name: String?
    @Option(help: "\(ConnectionCheck.presets.joined(separator: ", ")); or give --issuer.") var preset: String?
    @Option(help: "The provider's issuer, exactly as its discovery document spells it.") var issuer: String?
    @Option(name: .customLong("client-id"), help: "This server's name at the provider.") var clientID: String?
    @Option(
        help: ArgumentHelp(
            "A file with the secret, for Apple the private key; - reads standard input.", valueName: "file"))
    var clientSecretFile: String?
    @Option(help: ArgumentHelp("What a preset needs, as name=value; may be repeated.", valueName: "pair"))
    var parameter: [String] = []
    @Option(help: ArgumentHelp("An endpoint of a provider without discovery, as name=uri.", valueName: "pair"))
    var endpoint: [String] = []
    @Option(help: "Asked for beside the usual ones; may be repeated.") var scope: [String] = []
    @Option(
        name: .customLong("native-client-id"),
        help: ArgumentHelp("An app's own name at the provider; may be repeated.", valueName: "id"))
    var nativeClientID: [String] = []
    @Option(help: "login, consent or select_account; may be repeated.") var prompt: [String] = []
    @Option(help: ArgumentHelp("A claim of another name, as email=mail; may be repeated.", valueName: "pair"))
    var map: [String] = []
    @Option(
        help: ArgumentHelp(
            "A domain of the tenant, by your word and without proof; may be repeated.", valueName: "domain"))
    var domain: [String] = []
    @Option(help: ArgumentHelp("A role by the provider's group, as group=role; may be repeated.", valueName: "pair"))
    var role: [String] = []
    @Option(help: "An acr or amr that stands for two factors; may be repeated.") var strongContext: [String] = []
    @Option(help: "Who is told of expiring certificates.") var contact: String?
    @Flag(inversion: .prefixedNo, help: "The provider's verified addresses may link accounts.") var trustEmail: Bool?
    @Flag(inversion: .prefixedNo, help: "Users whom it does not know yet are made.") var createUsers: Bool?
    @Flag(inversion: .prefixedNo, help: "The provider's tokens are kept, sealed.") var keepTokens: Bool?
    @Flag(inversion: .prefixedNo, help: "The provider may have a private address.") var allowPrivate: Bool?

    @Option(name: .customLong("idp-entity-id"), help: "SAML: the provider's entityID.") var entityID: String?
    @Option(name: .customLong("sso-url"), help: "SAML: where requests go.") var signOnURL: String?
    @Option(name: .customLong("slo-url"), help: "SAML: where logout requests go.") var logoutURL: String?
    @Option(help: ArgumentHelp("SAML: a file with the provider's certificate; may be repeated.", valueName: "file"))
    var certificateFile: [String] = []
    @Option(name: .customLong("metadata-url"), help: "SAML: where the provider's metadata is.")
    var metadataURL: String?
    @Option(name: .customLong("name-id-format"), help: "SAML: the NameID format to ask for.") var nameIDFormat: String?
    @Option(help: "SAML: the attribute that identifies the user instead of the NameID.") var subjectAttribute: String?
    @Flag(inversion: .prefixedNo, help: "SAML: requests are signed.") var signRequests: Bool?
    @Flag(inversion: .prefixedNo, help: "SAML: the provider may begin a sign-in.") var idpInitiated: Bool?

    @OptionGroup(title: "Directories (LDAP)") var directory: DirectoryOptions

    /// The settings by the keys of the configuration file.
    ///
    /// - Throws: ``CommandFailure`` for what cannot be read.
    func members() throws -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        let texts = [
            ("name", name), ("preset", preset), ("issuer", issuer), ("client_id", clientID), ("contact", contact),
            ("idp_entity_id", entityID), ("sso_url", signOnURL), ("slo_url", logoutURL),
            ("metadata_url", metadataURL), ("name_id_format", nameIDFormat), ("subject_attribute", subjectAttribute),
        ]
        for (key, text) in texts { members[key] = text.map(JSONValue.string) }
        let flags = [
            ("trust_email", trustEmail), ("create_users", createUsers), ("keep_tokens", keepTokens),
            ("allow_private_addresses", allowPrivate), ("sign_requests", signRequests),
            ("idp_initiated", idpInitiated),
        ]
        for (key, flag) in flags { members[key] = flag.map(JSONValue.bool) }
        let lists = [
            ("scopes", scope), ("native_client_ids", nativeClientID), ("prompt", prompt), ("domains", domain),
            ("vouched_domains", domain), ("strong_contexts", strongContext),
            ("certificates", try certificateFile.map(Self.read)),
        ]
        for (key, list) in lists where !list.isEmpty { members[key] = .array(list.map(JSONValue.string)) }
        let pairs = [("parameters", parameter), ("endpoints", endpoint), ("mapping", map), ("roles", role)]
        for (key, list) in pairs where !list.isEmpty { members[key] = .object(try Self.pairs(list)) }
        if let clientSecretFile {
            members["client_secret"] = .string(
                try Self.read(clientSecretFile).trimmingCharacters(in: .whitespacesAndNewlines))
        }
        return members.merging(try directory.members()) { _, own in own }
    }

    private static func pairs(_ list: [String]) throws -> [String: JSONValue] {
        var pairs: [String: JSONValue] = [:]
        for text in list {
            guard let sign = text.lastIndex(of: "="), sign != text.startIndex else {
                throw CommandFailure.refused("\(Printable.text(text)): write it as name=value.")
            }
            pairs[String(text[..<sign])] = .string(String(text[text.index(after: sign)...]))
        }
        return pairs
    }

    static func read(_ path: String) throws -> String {
        let data: Data? =
            path == "-"
            ? try? FileHandle.standardInput.readToEnd() : FileManager.default.contents(atPath: path)
        guard let data, data.count <= Limits.connectionTextBytesMax, let text = String(data: data, encoding: .utf8)
        else {
            throw CommandFailure.refused(
                "\(Printable.text(path)) cannot be read, or is larger than \(Limits.connectionTextBytesMax) bytes.")
        }
        return text
    }
}
