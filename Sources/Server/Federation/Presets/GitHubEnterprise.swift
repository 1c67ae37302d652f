internal import KeyturnBase
internal import Model

extension ProviderPreset {
    /// A GitHub of one's own. Its administrators write addresses: the operator says whether they may link accounts.
    static let gitHubEnterprise: ProviderPreset = {
        var preset = gitHubLike(id: "github-enterprise", name: "GitHub Enterprise")
        preset.servesOne = { _ in true }
        preset.needs = [("host", "the host name of the server, such as github.example.com")]
        preset.endpoints = { settings in host(settings).map { gitHubEndpoints("https://\($0)") } ?? [:] }
        preset.user = { session throws(ConnectionFault) in
            guard let host = host(session.settings) else { throw ConnectionFault(.misconfigured, "host") }
            return try await gitHubUser(
                session, interface: session.settings.parameters["api"] ?? "https://\(host)/api/v3",
                issuer: "https://\(host)", trust: session.settings.trustsEmail ? .trusted : .verified)
        }
        return preset
    }()

    /// A name of a host and nothing else, in lower case: it is part of what identifies users.
    private static func host(_ settings: OpenIDConnectionSettings) -> String? {
        guard let text = settings.parameters["host"]?.lowercased(), let parts = URIParts("https://\(text)"),
            parts.host != nil, parts.path.isEmpty, parts.query == nil, parts.fragment == nil, parts.userinfo == nil
        else { return nil }
        return text
    }
}
