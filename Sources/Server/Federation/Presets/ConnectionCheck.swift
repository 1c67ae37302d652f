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

    /// The lines to enter at the provider.
    ///
    /// - Parameter issuer: this server's.
    package static func entries(_ connection: Connection, issuer: String) -> [String] {
        guard case .openID(let settings) = connection.settings else { return [] }
        let preset = ProviderPreset.of(settings)
        let scopes = (preset?.scopes ?? []) + settings.scopes
        return [
            "Redirect URI: \(OpenIDProtocol.redirectURI(of: connection.id, below: issuer))",
            "Scopes: \(scopes.joined(separator: " "))",
        ]
    }
}
