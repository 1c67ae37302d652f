internal import ArgumentParser
internal import KeyturnWire

/// A way to sign in without a browser.
enum MethodName: String, CaseIterable, ExpressibleByArgument {
    case otp, magiclink, enchantedlink, password, totp, passkey
}

/// What `keyturn login --method` needs to know.
struct MethodOptions: ParsableArguments {
    @Option(
        help: "Sign in here instead of on the sign-in page: otp, magiclink, enchantedlink, password, totp or passkey.")
    var method: MethodName?

    @Option(
        help: ArgumentHelp(
            "Who signs in; asked for if it is missing, and not needed for a passkey.", valueName: "address"))
    var loginID: String?

    @Option(help: "How a code or link travels: email, sms, whatsapp or voice. Default: as the login ID looks.")
    var channel: DeliveryMethod?

    @Option(
        help: ArgumentHelp(
            "The server's project. Default: KEYTURN_PROJECT, or the one that the server publishes.", valueName: "id"))
    var project: String?

    @Flag(help: "Make an account if there is none (codes, links and passkeys).")
    var signUp = false

    @Flag(help: "Use a security key at this machine for the passkey, not the browser.")
    var securityKey = false

    func validate() throws {
        guard method != nil || (loginID == nil && channel == nil && !signUp && !securityKey) else {
            throw ValidationError("--login-id, --channel, --sign-up and --security-key need a --method.")
        }
        guard !signUp || [.otp, .magiclink, .enchantedlink, .passkey].contains(method) else {
            throw ValidationError("--sign-up works with otp, magiclink, enchantedlink and passkey.")
        }
        guard channel == nil || [.otp, .magiclink].contains(method) else {
            throw ValidationError("--channel belongs to otp and magiclink.")
        }
        guard !securityKey || method == .passkey else {
            throw ValidationError("--security-key belongs to passkey.")
        }
    }

    /// How a message reaches `loginID` unless `--channel` says.
    func channel(for loginID: String) -> DeliveryMethod {
        channel ?? (loginID.contains("@") ? .email : .sms)
    }
}
