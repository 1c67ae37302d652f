internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// `/passkey`: performs a ceremony for a program on the same machine that has no authenticator.
///
/// The program began it over the methods' interface, opens this page in the system's browser, and waits on a loopback
/// port. The answer is useless without the transaction, which only the program has.
extension SignInRoutes {
    /// `GET /passkey`.
    @Sendable func showCeremony(_ request: Request, _ context: WebContext) async throws -> Response {
        let query = try request.queryParameters()
        let state = try query.one("state") ?? ""
        guard let target = LoopbackReturn(try query.one("redirect_uri") ?? ""), state.utf8.count <= Limits.stateBytesMax
        else {
            return presenter.error(
                .redirectMismatch,
                "redirect_uri must be http://127.0.0.1:PORT/… or http://[::1]:PORT/…, and state short.",
                status: .badRequest, request, context)
        }
        let passkeys = services.methods.passkeys
        guard let ceremony = try await passkeys.resume(page: try query.one("transaction") ?? "") else {
            return .seeOther(target.address(state, error: "unexpected"))
        }
        guard let own = passkeys.parties.own, own.id == ceremony.relyingParty else {
            return .seeOther(target.address(state, error: "invalid_domain"))
        }
        let button = PasskeyButton(
            kind: ceremony.isCreation ? .create : .get, options: ceremony.options["publicKey"] ?? ceremony.options,
            returning: target.prefix(state))
        return presenter.response(
            PasskeyCeremonyPage(
                projectName: services.project.name, account: ceremony.name, button: button,
                cancelURI: target.address(state, error: "canceled_by_user")),
            look: presenter.look(request))
    }
}

/// An address on which a program on the same machine waits (RFC 8252 §7.3): no host name, no user, its own port.
struct LoopbackReturn: Sendable {
    private let uri: String

    init?(_ text: String) {
        guard let parts = URIParts(text, bytesMax: Limits.redirectBytesMax), let host = parts.host,
            host.address == .loopbackV4 || host.address == .loopbackV6, let port = parts.port,
            // In its one spelling.
            text.hasPrefix("http://\(host.authority):\(port)/"), parts.fragment == nil,
            !text.contains("'")
        else { return nil }
        uri = text
    }

    /// The address up to the answer.
    func prefix(_ state: String) -> String {
        let separator = !uri.contains("?") ? "?" : uri.hasSuffix("?") || uri.hasSuffix("&") ? "" : "&"
        var form = FormParameters()
        form.append("state", state)
        return uri + separator + (state.isEmpty ? "" : form.encoded + "&")
    }

    func address(_ state: String, error: String) -> String {
        prefix(state) + "error=" + error
    }
}
