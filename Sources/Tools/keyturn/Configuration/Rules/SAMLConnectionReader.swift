internal import KeyturnBase
internal import Model
internal import SAML

/// Reads what a connection to a SAML provider has of its own: the section `saml`; and the server's key for SAML.
enum SAMLConnectionReader {
    static let keys = [
        "metadata_file", "entity_id", "sign_on_url", "certificates", "sign_requests", "want_assertions_signed",
        "want_assertions_encrypted", "name_id_format", "subject_attribute", "skew_seconds",
        "idp_initiated", "landing_uris",
    ]
    /// Keys of connections of other kinds.
    private static let foreignKeys = [
        "preset", "issuer", "client_id", "client_secret", "scopes", "native_client_ids", "prompt", "parameters",
    ]
    private static let warningSeconds: Int64 = 30 * 86_400

    static func settings(_ section: Section) -> SAMLConnectionSettings? {
        guard let saml = section.section("saml", keys: keys) else { return nil }
        for key in foreignKeys where section.has(key) {
            section.mistake(key, "a SAML provider has no such thing", "Remove it, or remove saml.")
        }
        let metadata = metadata(saml)
        guard !saml.has("metadata_file") || metadata != nil,
            let entityID = required(
                "entity_id", saml, metadata?.entityID, "Copy it from the provider, or give metadata_file."),
            let address = required(
                "sign_on_url", saml, metadata?.signOnURL, "Copy the provider's address for HTTP-Redirect.")
        else { return nil }
        if saml.has("sign_on_url"), let text = saml.text("sign_on_url") {
            let refusal = URIRules.endpoint(text.value, isDevelopment: section.reading.isDevelopment)
            guard section.reading.check(refusal, text) else { return nil }
        }
        let certificates = certificates(saml) ?? metadata?.certificates ?? []
        guard (1...4).contains(certificates.count) else {
            saml.mistake(
                "certificates", certificates.isEmpty ? "there is none" : "there are more than four",
                "Give the certificates with which the provider signs, in PEM.")
            return nil
        }
        var settings = SAMLConnectionSettings(entityID: entityID, signOnURL: address, certificates: certificates)
        if !saml.has("sign_on_url") { settings.signOnBinding = metadata?.signOnBinding }
        settings.logoutURL = metadata?.logoutURL
        settings.logoutBinding = metadata?.logoutBinding
        settings.logoutResponseURL = metadata?.logoutResponseURL
        settings.signsRequests = saml.boolean("sign_requests") ?? true
        settings.wantsAssertionsSigned = saml.boolean("want_assertions_signed") ?? false
        settings.wantsAssertionsEncrypted = saml.boolean("want_assertions_encrypted") ?? false
        settings.allowsUnsolicited = saml.boolean("idp_initiated") ?? false
        settings.landingURIs = landings(saml)
        settings.nameIDFormat = saml.text("name_id_format")?.value
        settings.subjectAttribute = saml.text("subject_attribute")?.value
        settings.mapping = ConnectionReader.mapping(section)
        settings.trustsEmail = section.boolean("trust_email") ?? false
        if let skew = saml.integer("skew_seconds", within: 0...180) { settings.skewSeconds = Int64(skew) }
        warnOfExpiry(certificates, saml)
        return settings
    }

    private static func landings(_ saml: Section) -> [String]? {
        saml.texts("landing_uris")?.compactMap { text in
            let refusal = URIRules.endpoint(text.value, isDevelopment: saml.reading.isDevelopment)
            return saml.reading.check(refusal, text) ? text.value : nil
        }
    }

    /// The server's key; `nil`: requests are not signed, and no assertion is encrypted.
    static func key(_ section: Section?) -> ServiceKey? {
        guard let path = section?.text("private_key_file") else { return nil }
        do throws(ServiceKey.Problem) {
            guard let text = ConfigurationFile.text(path.value) else { throw .unreadable }
            return try ServiceKey(pem: text)
        } catch {
            section?.mistake(
                "private_key_file",
                error == .weak ? "the key has fewer than 2,048 bits" : "there is no RSA key in it",
                "Make one: openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -out saml.pem")
            return nil
        }
    }

    private static func required(_ key: String, _ saml: Section, _ other: String?, _ remedy: String) -> String? {
        if let text = saml.text(key) { return text.value }
        if let other { return other }
        saml.mistake(key, "it is missing", remedy)
        return nil
    }

    private static func metadata(_ saml: Section) -> ProviderMetadata? {
        guard let path = saml.text("metadata_file") else { return nil }
        guard let text = ConfigurationFile.text(path.value) else {
            saml.mistake("metadata_file", "it cannot be read", "Name the file that was downloaded from the provider.")
            return nil
        }
        do throws(SAMLFault) {
            return try ProviderMetadata(Array(text.utf8), entityID: saml.text("entity_id")?.value)
        } catch {
            saml.mistake(
                "metadata_file", "it describes no identity provider with an address and a key (\(error.code))",
                "Download the provider's metadata again; in a file of many, name the provider with entity_id.")
            return nil
        }
    }

    private static func certificates(_ saml: Section) -> [String]? {
        saml.texts("certificates")?.compactMap { text in
            if let certificate = try? ProviderCertificate(text.value) { return certificate.pem }
            saml.reading.mistake(
                text.path, at: text.origin, "it is no certificate with a strong key",
                "Give PEM or base64, with an RSA key of at least 2,048 bits, or of P-256, P-384 or P-521.")
            return nil
        }
    }

    /// An expired certificate still counts, but providers replace theirs about then.
    private static func warnOfExpiry(_ certificates: [String], _ saml: Section) {
        let now = Ambient.live.now()
        for certificate in certificates.compactMap({ try? ProviderCertificate($0) })
        where certificate.expiresAt <= now + warningSeconds {
            saml.warning(
                "certificates",
                "the certificate \(certificate.fingerprint.prefix(16)) ends on "
                    + "\(SAMLTime.text(certificate.expiresAt).prefix(10))",
                "Ask the provider's administrator for the next one, and list both until it is used.")
        }
    }
}
