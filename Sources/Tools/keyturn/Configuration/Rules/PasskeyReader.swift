private import KeyturnBase
private import KeyturnWebAuthn
private import KeyturnWire
internal import SignIn

/// Reads one entry of `passkeys`.
enum PasskeyReader {
    static let keys = [
        "rp_id", "rp_name", "origins", "related_origins", "top_origins", "publishable_key", "secret_key",
        "secret_keys", "apple_apps", "android_apps", "user_verification", "resident_key", "signature_counter",
        "attestation", "attestation_roots", "metadata", "metadata_roots", "metadata_host",
    ]

    static func read(_ section: Section) -> PasskeyConfiguration? {
        let rpID = rpID(section)
        let name = section.text("rp_name", bytesMax: ConfigurationLimits.nameBytesMax)
        let origins = origins("origins", relyingParty: rpID, section)
        if !section.has("origins") {
            section.mistake("origins", "it is missing", "Give the origins of the pages, such as https://example.com.")
        }
        var result = PasskeyConfiguration(rpID: rpID ?? "", rpName: name?.value ?? rpID ?? "", origins: origins)
        result.relatedOrigins = self.origins("related_origins", relyingParty: nil, section)
        result.topOrigins = self.origins("top_origins", relyingParty: nil, section)
        result.publishableKey = publishableKey(section)
        result.secretKeys = secretKeys(section)
        result.appleApps = appleApps(section)
        result.androidApps = section.sections("android_apps", keys: ["package_name", "sha256_cert_fingerprints"])
            .compactMap(androidApp)
        if let value = section.choice("user_verification", of: UserVerificationRequirement.self) {
            result.userVerification = value
        }
        if let value = section.choice("resident_key", of: ResidentKeyRequirement.self) { result.residentKey = value }
        if let value = section.choice("signature_counter", of: SignatureCounterRule.self) {
            result.signatureCounter = value
        }
        readAttestation(section, into: &result)
        guard rpID != nil else { return nil }
        do {
            _ = try result.policy()
        } catch  where !origins.isEmpty || section.texts("origins")?.isEmpty == true {
            section.mistake("origins", error.detail, "Give the origins as browsers write them: https://example.com.")
        } catch {
            return nil
        }
        return result
    }

    private static func origins(_ key: String, relyingParty: String?, _ section: Section) -> [String] {
        (section.texts(key) ?? []).filter { origin in
            let refusal = URIRules.origin(
                origin.value, relyingParty: relyingParty, isDevelopment: section.reading.isDevelopment)
            return section.reading.check(refusal, origin)
        }.map(\.value)
    }

    /// `secret_` and 96 bits in hexadecimal.
    private static let secretKeyBytesMin = 31

    private static func publishableKey(_ section: Section) -> String? {
        guard let key = section.text("publishable_key", bytesMax: ConfigurationLimits.nameBytesMax) else { return nil }
        let isKey = PasskeyKey.publishable(key.value).isWellFormed
        section.reading.check(
            isKey ? nil : Refusal("it is no publishable key", "Write pubkey_ and letters and digits after it."), key)
        section.reading.declare(.publishableKey, key)
        return key.value
    }

    /// `secret_key`; or `secret_keys`, two while one replaces the other.
    private static func secretKeys(_ section: Section) -> [Secret] {
        let bytesMax = ConfigurationLimits.secretBytesMax
        let single = section.text("secret_key", bytesMax: bytesMax)
        guard let several = section.texts("secret_keys", bytesMax: bytesMax) else {
            return single.flatMap { secretKey($0, section.reading) }.map { [$0] } ?? []
        }
        if section.has("secret_key") {
            section.mistake("secret_key", "there is secret_keys as well", "Write every key under secret_keys.")
        }
        if !(1...ConfigurationLimits.secretKeysMax).contains(several.count) {
            section.mistake(
                "secret_keys", "\(several.count) keys are given",
                "Give one, or two while backends change from the first to the second.")
        }
        var seen: Set<String> = []
        return several.compactMap { text in
            guard seen.insert(text.value).inserted else {
                section.reading.check(Refusal("this key is listed twice", "Remove one."), text)
                return nil
            }
            return secretKey(text, section.reading)
        }
    }

    private static func secretKey(_ text: Located<String>, _ reading: ConfigurationReading) -> Secret? {
        guard reading.check(TextRules.secret(text.value), text) else { return nil }
        let key = Secret(text.value)
        let count = text.value.utf8.count
        let remedy = "Write secret_ and what `openssl rand -hex 24` prints after it."
        if !PasskeyKey.secret(key).isWellFormed {
            reading.mistake(text.path, at: text.origin, "it is no secret key", remedy)
        } else if count < secretKeyBytesMin, !reading.isDevelopment {
            let isHopeless = count < PasskeyKey.secretPrefix.utf8.count + ConfigurationLimits.sharedSecretBytesMin
            let note = isHopeless ? reading.mistake : reading.warning
            note(text.path, text.origin, "it is short enough to be guessed", remedy)
        }
        return key
    }

    private static func appleApps(_ section: Section) -> [String] {
        (section.texts("apple_apps", bytesMax: ConfigurationLimits.nameBytesMax) ?? []).filter { app in
            let parts = app.value.split(separator: ".", omittingEmptySubsequences: false)
            let isApp =
                parts.count >= 3 && parts[0].count == 10 && parts.allSatisfy { !$0.isEmpty }
                && app.value.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            return section.reading.check(
                isApp ? nil : Refusal("it is no app", "Write it as TEAMID1234.com.example.app."), app)
        }.map(\.value)
    }

    private static func androidApp(_ section: Section) -> RelyingParty.AndroidApp? {
        guard let name = section.text("package_name", bytesMax: ConfigurationLimits.nameBytesMax) else {
            section.mistake("package_name", "it is missing", "Give the app's package, such as com.example.app.")
            return nil
        }
        let fingerprints = section.texts("sha256_cert_fingerprints") ?? []
        if fingerprints.isEmpty {
            section.mistake(
                "sha256_cert_fingerprints", "it is missing",
                "Give what `keytool -list -v` prints as SHA256 of the certificate that signs the app.")
        }
        for print in fingerprints {
            let pairs = print.value.split(separator: ":", omittingEmptySubsequences: false)
            let isPrint = pairs.count == 32 && pairs.allSatisfy { $0.count == 2 && $0.allSatisfy(\.isHexDigit) }
            section.reading.check(
                isPrint ? nil : Refusal("it is no fingerprint", "Write 32 pairs of hexadecimal digits: 12:AB:…"), print)
        }
        return RelyingParty.AndroidApp(
            packageName: name.value, fingerprints: fingerprints.map { $0.value.uppercased() })
    }

    private static func readAttestation(_ section: Section, into result: inout PasskeyConfiguration) {
        if let value = section.choice("attestation", of: PasskeyConfiguration.Attestation.self) {
            result.attestation = value
        }
        result.attestationRoots = section.text("attestation_roots")?.value
        result.metadata = section.text("metadata")?.value
        result.metadataRoots = section.text("metadata_roots")?.value
        if let host = section.text("metadata_host") { result.metadataHost = host.value.lowercased() }
        if result.metadata != nil, result.metadataRoots == nil {
            section.mistake(
                "metadata", "nobody says who may sign it",
                "Name the root certificate as metadata_roots: GlobalSign Root R3, of ca-certificates.")
        }
        if result.attestation == .trusted, result.attestationRoots == nil, result.metadata == nil {
            section.mistake(
                "attestation", "no authenticator could be trusted",
                "Name attestation_roots, metadata, or both; or write \"ask\".")
        }
    }

    private static func rpID(_ section: Section) -> String? {
        guard section.has("rp_id") else {
            section.mistake("rp_id", "it is missing", "Give the domain of the pages, such as example.com.")
            return nil
        }
        guard let text = section.text("rp_id") else { return nil }
        let isDomain =
            URIHost(text.value).map { $0.address == nil && $0.text == text.value } == true
            && (text.value.contains(".") || text.value == "localhost")
        let refusal = isDomain ? nil : Refusal("it is not a domain", "Write it without scheme and port, in lower case.")
        section.reading.declare(.relyingParty, text)
        return section.reading.check(refusal, text) ? text.value : nil
    }
}
