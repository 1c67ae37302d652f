internal import Identity
internal import KeyturnAuthenticator
internal import KeyturnBase
internal import KeyturnWebAuthn
package import KeyturnWire
package import Model
package import SignIn

/// The factors of the users of a test server.
extension TestServer {
    /// A server at an address that has passkeys.
    package static func startWithPasskeys(
        channels: Set<DeliveryMethod> = [.email, .sms], relyingParties: [RelyingParty] = []
    ) async throws -> TestServer {
        try await start(issuer: "http://localhost:8080", channels: channels, relyingParties: relyingParties)
    }

    /// The owner of an account, signed in a moment ago.
    package func owner(_ name: String = TestServer.username) async throws -> AccountOwner {
        let account = try await known(name)
        let facts = AuthenticationFacts(time: clock.now, methods: ["pwd", "otp", "hwk", "mfa"], contextClass: "test")
        guard let (_, cookie) = try await services.signIn.openSession(for: account.user, facts, replacing: nil),
            let owner = try await services.signIn.owner(of: cookie)
        else { throw TestFailure("no session was opened") }
        return owner
    }

    /// Gives the user a passkey, kept by the device.
    @discardableResult
    package func givePasskey(to name: String = TestServer.username, on device: inout PasskeyDevice) async throws
        -> StoredPasskey
    {
        let owner = try await owner(name)
        guard let options = try await services.methods.passkeys.beginAdding(to: owner) else {
            throw TestFailure("there are no passkeys here")
        }
        let answer = try device.authenticator.register(try PublicKeyCredentialCreationOptions(json: options.publicKey))
        return try await services.methods.passkeys.finishAdding(answer.json, to: owner)
    }

    package func passkeys(of user: UserID = TestServer.subject) async throws -> [StoredPasskey] {
        try await services.methods.passkeys.passkeys(of: user)
    }

    /// Gives the user an authenticator.
    package func giveAuthenticator(to name: String = TestServer.username) async throws -> TOTPCode {
        let account = try await known(name)
        let key = try await services.methods.authenticators.enrol(account, after: .password(at: clock.now))
        guard let secret = TOTPSecret(typed: key) else { throw TestFailure("not a key of an authenticator app") }
        let authenticator = TOTPCode(secret)
        _ = try await services.methods.confirm(
            key, of: account, code: authenticator.code(at: clock.now), from: nil)
        clock.advance(31)
        return authenticator
    }

    /// An account by its login ID.
    package func account(_ loginID: String) async throws -> Account? {
        guard let identifier = Identifier(loginID: loginID) else { throw TestFailure("no login ID: \(loginID)") }
        return try await services.stores.users.account(identifier)
    }

    private func known(_ loginID: String) async throws -> Account {
        guard let account = try await account(loginID) else { throw TestFailure("there is no user \(loginID)") }
        return account
    }
}
