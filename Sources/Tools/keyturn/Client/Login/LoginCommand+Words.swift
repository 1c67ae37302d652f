internal import KeyturnWire

/// What a sign-in was told, for sentences that tell to run it again.
extension LoginCommand {
    /// The commands that sentences about this sign-in name.
    var advice: Advice { Advice(name: container.name, options: words(isLater: false), isSignIn: true) }

    /// The same sign-in with a code that is typed on another device.
    var deviceAdvice: String {
        Advice(name: container.name, options: ["--device"] + purpose + place, isSignIn: true).login
    }

    /// The options, as they are typed again.
    ///
    /// - Parameter isLater: For the next sign-in under the name: without what is remembered in any case, and without
    ///   what was meant for once.
    func words(isLater: Bool) -> [String] {
        var words: [String] = []
        if device { words.append("--device") }
        if credentials.clientCredentials { words.append("--client-credentials") }
        let secretFile = credentials.clientSecretFile.map { isLater && $0 != "-" ? ContainerOptions.absolute($0) : $0 }
        words += Self.option("--client-secret-file", secretFile)
        words += Self.option("--method", methods.method?.rawValue)
        words += Self.option("--login-id", methods.loginID)
        words += Self.option("--channel", methods.channel?.rawValue)
        if methods.securityKey { words.append("--security-key") }
        if methods.signUp, !isLater { words.append("--sign-up") }
        if noBrowser { words.append("--no-browser") }
        if fresh, !isLater { words.append("--fresh") }
        words += Self.option("--connection", connection)
        words += purpose
        return isLater ? words : words + place
    }

    /// What the token is for.
    private var purpose: [String] {
        (isOperator ? ["--operator"] : []) + audience.flatMap { ["--audience", $0] } + Self.option("--scope", scope)
    }

    /// Where the user signs in.
    private var place: [String] {
        Self.option("--service", service?.rawValue) + Self.option("--issuer", issuer)
            + Self.option("--client-id", clientID) + Self.option("--project", methods.project)
            + Self.option("--ca-file", container.caFile)
    }

    private static func option(_ name: String, _ value: String?) -> [String] {
        value.map { [name, $0] } ?? []
    }
}
