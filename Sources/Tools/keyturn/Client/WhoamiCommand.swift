internal import ArgumentParser
internal import Keyturn
internal import KeyturnBase

/// `keyturn whoami`: who is signed in, by the service's own words.
struct WhoamiCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami",
        abstract: "Show who is signed in.",
        discussion: "Asks the service. With --offline: what it said at the last sign-in or renewal.")

    @OptionGroup var container: ContainerOptions

    @OptionGroup var pin: PINOptions

    @Flag(help: "Ask nobody; show what is stored.")
    var offline = false

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func run() async throws {
        guard case .user(let auth) = try await container.holder(pin: pin.given()) else { return try await showClient() }
        let claims = try await ClientFailure.explained(container.advice) { try await ask(auth) }
        guard !json else {
            return Report.json([
                "name": .string(container.name), "issuer": .string(auth.service.issuer),
                "client_id": .string(auth.service.clientID), "claims": .object(claims),
            ])
        }
        let known = KnownContainers.live?.read()[container.name]?.person
        Live.write(Self.text(claims, issuer: auth.service.issuer, known: known))
    }

    /// A client that signed in as itself: the service says so by giving it a token.
    private func showClient() async throws {
        let session = container.clientSession
        let found = try await ClientFailure.explained(container.advice) {
            if !offline { _ = try await session.token(minimumSeconds: 60) }
            return try await session.store.find(container.name)?.client
        }
        guard let client = found else { throw container.nobody }
        guard !json else {
            return Report.json([
                "name": .string(container.name), "issuer": .string(client.issuer),
                "client_id": .string(client.clientID), "method": "client_credentials",
            ])
        }
        Live.write(
            """
            \(Self.printable(client.clientID))
            client   \(Self.printable(client.clientID)), as itself
            issuer   \(Self.printable(client.issuer))

            """)
    }

    private func ask(_ auth: Keyturn) async throws(AuthError) -> [String: JSONValue] {
        try await auth.start()
        if !offline {
            do throws(AuthError) {
                return try await auth.userInfo().claims
            } catch {
                // A service without this endpoint has told everything in the ID token.
                guard error.code == .unsupported else { throw error }
            }
        }
        if let idToken = await auth.idToken { return idToken.claims }
        // A session that a method made has no ID token; what it said about the person is kept with it.
        guard let claims = auth.sessionManager.session?.userClaims, !claims.isEmpty else {
            throw AuthError(.signedOut, "nobody is signed in")
        }
        return claims
    }

    /// The best name first, then what identifies the person for good.
    static func text(
        _ claims: [String: JSONValue], issuer: String, known: ServiceChoice.Person? = nil
    ) -> String {
        let subject = claims["sub"]?.stringValue ?? "?"
        let best = name(in: claims, known: known)
        var lines = [printable(best ?? subject)]
        if let name = claims["name"]?.stringValue, name != best { lines.append("name     \(printable(name))") }
        lines.append("subject  \(printable(subject))")
        lines.append("issuer   \(printable(issuer))")
        return lines.joined(separator: "\n") + "\n"
    }

    /// An address or a name of the person in `claims`; else, if it is the same person, the one of the last sign-in.
    static func name(in claims: [String: JSONValue], known: ServiceChoice.Person?) -> String? {
        let names = ["email", "preferred_username", "phone_number", "name"].lazy.compactMap { claims[$0]?.stringValue }
        if let name = names.first(where: { !$0.isEmpty }) { return name }
        return known?.subject == claims["sub"]?.stringValue ? known?.name : nil
    }

    /// A person chose their name: it must not move the cursor.
    static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { !isControl($0) }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
