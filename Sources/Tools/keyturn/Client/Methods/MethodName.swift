internal import ArgumentParser
internal import KeyturnWire

/// A way to sign in without a browser.
enum MethodName: String, CaseIterable, ExpressibleByArgument {
    case otp, magiclink, enchantedlink, password, totp
}

/// What `keyturn login --method` needs to know.
struct MethodOptions: ParsableArguments {
    @Option(help: "Sign in here instead of in the browser: otp, magiclink, enchantedlink, password or totp.")
    var method: MethodName?

    @Option(help: ArgumentHelp("Who signs in; asked for if it is missing.", valueName: "address"))
    var loginID: String?

    @Option(help: "How a code or link travels: email, sms, whatsapp or voice. Default: as the login ID looks.")
    var channel: DeliveryMethod?

    @Option(help: ArgumentHelp("The server's project. Default: KEYTURN_PROJECT.", valueName: "id"))
    var project: String?

    @Flag(help: "Make an account if there is none (codes and links).")
    var signUp = false

    func validate() throws {
        guard method != nil || (loginID == nil && channel == nil && !signUp) else {
            throw ValidationError("--login-id, --channel and --sign-up need a --method.")
        }
        guard !signUp || [.otp, .magiclink, .enchantedlink].contains(method) else {
            throw ValidationError("--sign-up works with otp, magiclink and enchantedlink.")
        }
        guard channel == nil || [.otp, .magiclink].contains(method) else {
            throw ValidationError("--channel belongs to otp and magiclink.")
        }
    }

    /// How something reaches `loginID` if nobody said how.
    func channel(for loginID: String) -> DeliveryMethod {
        channel ?? (loginID.contains("@") ? .email : .sms)
    }
}
