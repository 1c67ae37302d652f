internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Reads one step of a journey.
enum JourneyStepReader {
    static let kinds = [
        "identify", "prove", "create", "step_up", "decide", "collect", "accept", "link", "call", "choose_tenant",
        "refuse", "done",
    ]
    static let keys = ["name", "when", "next", "title", "text"] + kinds

    /// - Parameter following: the step below it, which follows unless the step says otherwise.
    static func read(_ section: Section, name: String, following: String?) -> JourneyStep? {
        let given = kinds.filter(section.has)
        guard let key = given.first, given.count == 1 else {
            section.mistake(
                given.dropFirst().first ?? "name",
                given.isEmpty ? "it does not say what it does" : "it does two things: \(given.joined(separator: ", "))",
                "Give one of: \(kinds.joined(separator: ", ")).")
            return nil
        }
        guard let kind = kind(key, section) else { return nil }
        var condition: JourneyCondition?
        if section.has("when") {
            guard
                let read = section.section("when", keys: JourneyConditionReader.keys)
                    .flatMap(JourneyConditionReader.read)
            else { return nil }
            condition = read
        }
        let next = section.text("next")?.value
        if next != nil, kind.isEnd || key == "call" {
            section.mistake(
                "next", key == "call" ? "a call leads to the step of its outcome" : "nothing follows \(key)",
                key == "call" ? "Write the step below outcomes and failed." : "Remove it.")
        }
        if condition != nil, kind.isEnd || key == "call" || key == "decide" {
            section.mistake("when", "\(key) is never passed over", "Put a decide step before it.")
        }
        return JourneyStep(
            name, kind, when: condition, next: kind.isEnd || key == "call" ? nil : next ?? following,
            title: LocalizedTextReader.read("title", section), text: LocalizedTextReader.read("text", section))
    }

    private static func kind(_ key: String, _ section: Section) -> JourneyStepKind? {
        switch key {
        case "identify":
            let inner = section.section(key, keys: ["sign_up"])
            return .identify(allowsSignUp: inner?.boolean("sign_up") ?? true)
        case "prove": return section.section(key, keys: proofKeys).flatMap(proof).map(JourneyStepKind.prove)
        case "create":
            guard let inner = section.section(key, keys: proofKeys + ["sign_in"]) else { return nil }
            return proof(inner).map { .create($0, allowsSignIn: inner.boolean("sign_in") ?? true) }
        case "step_up": return section.section(key, keys: proofKeys).flatMap(proof).map(JourneyStepKind.stepUp)
        case "decide": return branches(section).map(JourneyStepKind.decide)
        case "collect": return JourneyFieldReader.form(section).map(JourneyStepKind.collect)
        case "accept": return document(section).map(JourneyStepKind.accept)
        case "link": return link(section).map(JourneyStepKind.link)
        case "call": return call(section).map(JourneyStepKind.call)
        default:
            guard section.boolean(key) == true else {
                section.mistake(key, "it has no settings", "Write \(key): true.")
                return nil
            }
            return key == "choose_tenant" ? .chooseTenant : key == "refuse" ? .refuse : .done
        }
    }

    private static let proofKeys = ["methods", "connections", "max_age"]

    private static func proof(_ inner: Section) -> JourneyProof? {
        let texts = inner.texts("methods") ?? []
        let methods = JourneyMethods.read(texts, inner)
        let connections = connections(inner)
        let maxAge = inner.integer("max_age", within: 0...ConfigurationLimits.lifetimeSecondsMax)
        // A word that cannot be read would leave the step open to every method.
        guard methods.count == Set(texts.map(\.value)).count, !inner.has("max_age") || maxAge != nil else { return nil }
        return JourneyProof(methods, connections: connections, maxAgeSeconds: maxAge.map(Int64.init))
    }

    private static func connections(_ section: Section) -> Set<String> {
        Set(
            (section.texts("connections") ?? []).map { connection in
                section.reading.refer(to: .connection, connection, in: "connections")
                return connection.value
            })
    }

    private static func link(_ section: Section) -> JourneyLink? {
        guard let inner = section.section("link", keys: ["connections", "required"]) else { return nil }
        return JourneyLink(connections(inner), isRequired: inner.boolean("required") ?? true)
    }

    private static func branches(_ section: Section) -> [JourneyBranch]? {
        let sections = section.sections("decide", keys: ["when", "next"])
        let branches: [JourneyBranch] = sections.compactMap { inner in
            guard inner.has("when"), let next = inner.text("next") else {
                inner.mistake("next", "a branch has when and next", "Write both.")
                return nil
            }
            return inner.section("when", keys: JourneyConditionReader.keys).flatMap(JourneyConditionReader.read).map {
                JourneyBranch(when: $0, next: next.value)
            }
        }
        return branches.count == sections.count && !branches.isEmpty ? branches : nil
    }

    private static func document(_ section: Section) -> JourneyDocument? {
        guard let inner = section.section("accept", keys: ["document", "version", "url"]) else { return nil }
        for key in ["document", "version", "url"] where !inner.has(key) {
            inner.mistake(key, "it is missing", "Say which version of which document is accepted, and where it is.")
        }
        guard let name = inner.text("document", bytesMax: Limits.journeyNameBytesMax),
            inner.reading.check(TextRules.identifier(name.value), name),
            let version = inner.text("version", bytesMax: Limits.journeyNameBytesMax),
            inner.reading.check(TextRules.identifier(version.value), version), let uris = addresses("url", inner)
        else { return nil }
        return JourneyDocument(name: name.value, version: version.value, uris: uris)
    }

    /// One address, or one by language.
    private static func addresses(_ key: String, _ section: Section) -> LocalizedText? {
        guard case .map? = section.node(key)?.value.content else {
            return address(key, section).map { LocalizedText(["en": $0]) }
        }
        let uris = LocalizedTextReader.read(key, section)
        let refusals = uris.texts.values.sorted().compactMap {
            URIRules.endpoint($0, isDevelopment: section.reading.isDevelopment)
        }
        if let refusal = refusals.first { section.mistake(key, refusal.detail, refusal.remedy) }
        return refusals.isEmpty && !uris.isEmpty ? uris : nil
    }

    private static func call(_ section: Section) -> JourneyCall? {
        let keys = ["url", "secret", "timeout", "outcomes", "failed"]
        guard let inner = section.section("call", keys: keys) else { return nil }
        for key in ["url", "secret", "outcomes", "failed"] where !inner.has(key) {
            inner.mistake(key, "it is missing", "A call needs url, secret, outcomes and failed.")
        }
        if let text = inner.text("secret", bytesMax: ConfigurationLimits.secretBytesMax) {
            inner.checkStrength(of: text)
        }
        var outcomes: [String: String] = [:]
        let words = inner.section("outcomes", keys: nil)
        for word in words?.keys ?? [] { outcomes[word] = words?.text(word)?.value }
        guard let uri = address("url", inner), let secret = inner.secret("secret"),
            let failed = inner.text("failed"), !outcomes.isEmpty
        else { return nil }
        return JourneyCall(
            uri: uri, secret: secret, timeoutSeconds: Int64(inner.integer("timeout", within: 1...10) ?? 5),
            outcomes: outcomes, failed: failed.value)
    }

    private static func address(_ key: String, _ section: Section) -> String? {
        guard let text = section.text(key, bytesMax: ConfigurationLimits.uriBytesMax) else { return nil }
        let refusal = URIRules.endpoint(text.value, isDevelopment: section.reading.isDevelopment)
        return section.reading.check(refusal, text) ? text.value : nil
    }
}

/// The words of methods in journeys.
enum JourneyMethods {
    static let words: [String: AuthenticationMethod] = [
        "email": .email, "sms": .sms, "whatsapp": .whatsapp, "voice": .voice, "totp": .totp, "password": .password,
        "passkey": .passkey, "social": .social, "federated": .federated, "recovery_code": .recoveryCode,
        "approval": .approval,
    ]

    static func read(_ texts: [Located<String>], _ section: Section) -> Set<AuthenticationMethod> {
        Set(
            texts.compactMap { text in
                let method = words[text.value]
                if method == nil {
                    section.reading.mistake(
                        text.path, at: text.origin, "\"\(Printable.text(text.value))\" is not one of the methods",
                        "Choose from: \(words.keys.sorted().joined(separator: ", ")).")
                }
                return method
            })
    }
}
