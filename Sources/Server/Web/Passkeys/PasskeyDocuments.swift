internal import HTTPTypes
internal import KeyturnBase
internal import KeyturnWebAuthn
internal import NIOCore
internal import SignIn

/// Tells devices which apps and sites may use a relying party's passkeys. Devices ask at the party's own domain, so the
/// request's host selects the party.
struct PasskeyDocuments: Sendable {
    let parties: RelyingParties

    var routes: [Route] {
        [
            route("/.well-known/apple-app-site-association", Self.appleApps),
            route("/.well-known/assetlinks.json", Self.androidApps),
            route("/.well-known/webauthn") { $0.policy.relatedOriginsDocument },
        ]
    }

    private func route(_ path: String, _ document: @escaping @Sendable (RelyingParty) -> JSONValue?) -> Route {
        Route(.get, path, open: "public document", sharing: .anybody) { request, _ in
            guard let json = party(of: request).flatMap(document) else {
                throw Unreadable(status: .notFound, detail: "no app or site is configured for this domain")
            }
            return .json(
                json.serialized,
                headers: [.cacheControl: "public, max-age=3600", .accessControlAllowOrigin: "*"])
        }
    }

    /// The relying party of the requested host, else that of this server's own pages, else the only one.
    private func party(of request: Request) -> RelyingParty? {
        let host = request.headers.host.map { $0.lowercased().prefix { $0 != ":" } } ?? ""
        return parties.all.first { $0.id == host } ?? parties.own ?? (parties.all.count == 1 ? parties.all[0] : nil)
    }

    /// Apple's Associated Domains, service `webcredentials`.
    private static func appleApps(_ party: RelyingParty) -> JSONValue? {
        guard !party.appleApps.isEmpty else { return nil }
        return ["webcredentials": ["apps": .array(party.appleApps.map(JSONValue.string))]]
    }

    /// Google's Digital Asset Links.
    private static func androidApps(_ party: RelyingParty) -> JSONValue? {
        guard !party.androidApps.isEmpty else { return nil }
        let relations: JSONValue = [
            "delegate_permission/common.get_login_creds", "delegate_permission/common.handle_all_urls",
        ]
        return .array(
            party.androidApps.map { app in
                [
                    "relation": relations,
                    "target": [
                        "namespace": "android_app", "package_name": .string(app.packageName),
                        "sha256_cert_fingerprints": .array(app.fingerprints.map(JSONValue.string)),
                    ],
                ]
            })
    }
}
