public import KeyturnBase
internal import Model
public import SignIn

internal import Authority

extension PasswordMethods {
    /// Sets a user's password, as a command on the machine does.
    public func set(loginID: String, password: Secret, mustReplace: Bool) async throws {
        let account = try await named(loginID)
        try await set(
            password, of: account, mustReplace: mustReplace,
            by: try MachineAuthority.permit(Acts.SetPassword.self, on: account.user.id), named: "operator:test")
    }

    /// Expires a user's password, as a command on the machine does.
    public func expire(loginID: String) async throws {
        _ = try await core.stores.passwords.expire(try await named(loginID).user.id, at: Ambient.live.now())
    }

    private func named(_ loginID: String) async throws -> Account {
        guard let identifier = Identifier(loginID: loginID),
            let account = try await core.stores.users.account(identifier)
        else { throw StoreError(.missing) }
        return account
    }
}
