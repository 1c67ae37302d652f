package import Model

/// What an operator must know about a connection: what it lacks, and what to enter at the provider.
package enum ConnectionCheck {
    /// The words of the presets.
    package static var presets: [String] { ProviderPreset.all.map(\.id) }

    /// The name of a preset on buttons; `nil`: there is none of this word.
    package static func name(ofPreset preset: String) -> String? {
        ProviderPreset.all.first { $0.id == preset }?.name
    }

    /// The parameters that a preset needs and that are missing, each with what it is.
    package static func missing(_ settings: OpenIDConnectionSettings) -> [(name: String, what: String)] {
        guard let preset = ProviderPreset.of(settings) else { return [] }
        return preset.needs.filter { settings.parameters[$0.name]?.isEmpty ?? true }
    }

    /// What contradicts itself in a connection, each with the member of its settings, the reason and the remedy.
    package static func mistakes(_ connection: Connection) -> [(name: String, why: String, remedy: String)] {
        guard case .openID(let settings) = connection.settings, let preset = ProviderPreset.of(settings),
            !preset.servesOne(settings)
        else { return [] }
        var mistakes: [(name: String, why: String, remedy: String)] = []
        if connection.tenantID != nil, connection.domains.isEmpty {
            mistakes.append(
                (
                    "domains", "anyone has an account at \(preset.name), and would join the organisation",
                    "Name the organisation's domains."
                ))
        }
        if settings.trustsEmail, preset.neverTrusted {
            mistakes.append(
                (
                    "trust_email", "every organisation at \(preset.name) writes the addresses that it likes",
                    "Name the single organisation under parameters, or remove trust_email."
                ))
        }
        return mistakes
    }

    /// Everything that is wrong with a connection by its preset.
    package static func all(_ connection: Connection) -> [ConnectionMistake] {
        guard case .openID(let settings) = connection.settings else { return [] }
        guard settings.preset == nil || ProviderPreset.of(settings) != nil else {
            return [unknown(preset: settings.preset ?? "")]
        }
        var found: [ConnectionMistake] = []
        if settings.preset == nil, settings.issuer == nil { found.append(issuerMissing) }
        found += missing(settings).map { name, what in
            ConnectionMistake("parameters.\(name)", "it is missing", "Give \(what).")
        }
        return found + mistakes(connection).map { ConnectionMistake($0.name, $0.why, $0.remedy) }
    }

    /// What is said if there is neither a preset nor an issuer.
    package static var issuerMissing: ConnectionMistake {
        ConnectionMistake(
            "issuer", "it is missing", "Give the provider's issuer, or a preset: \(presets.joined(separator: ", ")).")
    }

    /// What is said of a preset that is not known.
    package static func unknown(preset: String) -> ConnectionMistake {
        let shown = String(preset.unicodeScalars.prefix(80).filter { $0.properties.generalCategory != .control })
        return ConnectionMistake(
            "preset", "\"\(shown)\" is not one of the choices",
            "Choose one of: \(presets.joined(separator: ", ")); or give an issuer instead.")
    }

    /// The lines to enter at the provider.
    ///
    /// - Parameter issuer: this server's.
    package static func entries(_ connection: Connection, issuer: String) -> [String] {
        guard case .openID(let settings) = connection.settings else { return [] }
        let preset = ProviderPreset.of(settings)
        let scopes = (preset?.scopes ?? []) + settings.scopes
        let lines = [
            "Redirect URI: \(OpenIDProtocol.redirectURI(of: connection.id, below: issuer))",
            "Scopes: \(scopes.joined(separator: " "))",
        ]
        // Of the presets none has such notices.
        guard settings.preset == nil else { return lines }
        return lines + [
            "Back-channel logout URI, if it has one: \(OpenIDProtocol.logoutURI(of: connection.id, below: issuer))",
            "Initiate login URI, if it has one: \(OpenIDProtocol.initiationURI(of: connection.id, below: issuer))",
        ]
    }
}
