internal import Keyturn
internal import KeyturnBase
internal import KeyturnWire

/// Signs a person in at the terminal. Nothing is stored before the last answer, and then at once: a user who gives up in
/// between is where they were.
struct MethodLogin {
    let auth: Keyturn
    let options: MethodOptions
    let method: MethodName
    let console: MethodConsole

    /// Wrong codes that a person at a terminal may correct; the server counts as well.
    private static let triesMax = 3

    /// - Throws: ``CommandFailure``, or the library's `AuthError`.
    func run() async throws -> AuthenticationResponse {
        if method == .passkey, !options.signUp { return try await passkey(options.loginID) }
        let loginID = try options.loginID ?? console.ask("Email address, phone number or user name: ")
        switch method {
        case .otp: return try await code(loginID)
        case .magiclink: return try await link(loginID)
        case .enchantedlink: return try await enchantedLink(loginID)
        case .password:
            let password = try console.askSecret("Password: ")
            return try await auth.password.signIn(loginId: loginID, password: password.exposed())
        case .totp:
            return try await retrying("Code from your authenticator app: ") { code in
                try await auth.totp.verify(loginId: loginID, code: code)
            }
        case .passkey: return try await passkey(loginID)
        }
    }

    /// In the browser, or with a security key.
    ///
    /// - Parameter loginID: `nil`: the user whom the authenticator finds.
    private func passkey(_ loginID: String?) async throws -> AuthenticationResponse {
        let (auth, signsUp) = (auth, options.signUp)
        let kinds: Set<PasskeyAuthenticatorKind> = options.securityKey ? [.securityKey] : .all
        if !options.securityKey { console.tell("Go on in the browser. Waiting; Ctrl-C gives up.") }
        return try await console.waiting(showsDots: !options.securityKey) {
            guard signsUp, let loginID else {
                return try await auth.passkeys.signIn(loginId: loginID, authenticators: kinds)
            }
            return try await auth.passkeys.signUpOrIn(loginId: loginID, authenticators: kinds)
        }
    }

    private func code(_ loginID: String) async throws -> AuthenticationResponse {
        let channel = options.channel(for: loginID)
        let masked =
            options.signUp
            ? try await auth.otp.signUpOrIn(with: channel, loginId: loginID)
            : try await auth.otp.signIn(with: channel, loginId: loginID)
        console.tell("If \(Printable.text(masked)) has an account, a code is on its way.")
        return try await retrying("Code: ") { code in
            try await auth.otp.verify(with: channel, loginId: loginID, code: code)
        }
    }

    private func link(_ loginID: String) async throws -> AuthenticationResponse {
        let channel = options.channel(for: loginID)
        let masked =
            options.signUp
            ? try await auth.magicLink.signUpOrIn(with: channel, loginId: loginID)
            : try await auth.magicLink.signIn(with: channel, loginId: loginID)
        console.tell("If \(Printable.text(masked)) has an account, a link is on its way. Do not open it: copy it.")
        let token = Self.token(in: try console.ask("The link, or its token: "))
        return try await auth.magicLink.verify(token: token)
    }

    private func enchantedLink(_ loginID: String) async throws -> AuthenticationResponse {
        let started =
            options.signUp
            ? try await auth.enchantedLink.signUpOrIn(loginId: loginID)
            : try await auth.enchantedLink.signIn(loginId: loginID)
        console.tell(
            """
            If \(Printable.text(started.maskedEmail)) has an account, a message with three links is on its way.
            Follow link \(Printable.text(started.linkId)), on any device. Waiting; Ctrl-C gives up.
            """)
        let auth = auth
        return try await console.waiting {
            try await auth.enchantedLink.pollForSession(pendingRef: started.pendingRef)
        }
    }

    /// Asks for a code, at a terminal once more if it was wrong.
    private func retrying(
        _ prompt: String, _ verify: (String) async throws -> AuthenticationResponse
    ) async throws -> AuthenticationResponse {
        var tries = 1
        while true {
            let code = try console.ask(prompt).filter { !$0.isWhitespace && $0 != "-" }
            do {
                return try await verify(code)
            } catch let error as AuthError
                where error.methodCode == MethodProblem.wrongCode.code && console.isTerminal && tries < Self.triesMax
            {
                console.tell("That code is wrong.")
                tries += 1
            }
        }
    }

    /// The parameter `t` of an address; a text that is none is the token itself.
    static func token(in text: String) -> String {
        let query = URIParts(text)?.query.flatMap { try? FormParameters(parsing: $0) }
        return query?.values("t").first ?? text
    }
}
