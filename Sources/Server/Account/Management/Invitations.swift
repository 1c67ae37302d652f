internal import Authority
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Invitations: a message with a link. Opening it verifies the address, and enables the user.
extension ManagedUsers {
    /// Sends the message: by mail by default, by text message if the call says so.
    ///
    /// - Parameter attempt: distinguishes a message that is sent again.
    /// - Throws: ``MethodProblem/invalidArguments`` for an operator's link that leads elsewhere: a key alone chooses that.
    func invite(_ account: Account, _ body: MethodBody, by actor: Actor, attempt: String = "") async throws {
        let link = try body.text("inviteUrl") ?? project.issuer
        guard actor.caller.kind != .operator || isOwn(link) else {
            throw MethodProblem.invalidArguments.saying("inviteUrl must be an address of \(project.issuer)")
        }
        let byText = try body.flag("sendSMS") ?? false
        let byMail = try body.flag("sendMail") ?? !byText
        if byMail, let email = account.email { try await send(.email, to: email, link, account, body, attempt) }
        if byText, let phone = account.phone { try await send(.sms, to: phone, link, account, body, attempt) }
    }

    private func isOwn(_ link: String) -> Bool {
        guard let origin = URIParts(link)?.origin else { return false }
        return origin == URIParts(project.issuer)?.origin
    }

    private func send(
        _ channel: DeliveryMethod, to address: String, _ link: String, _ account: Account, _ body: MethodBody,
        _ attempt: String
    ) async throws {
        let key = "invitation/\(account.user.id.rawValue)/\(channel.rawValue)\(attempt)"
        let message = OutgoingMessage(
            kind: .invitation, channel: channel, to: address, locale: try body.text("locale"),
            values: [MessageValue.appName: project.name], links: [link], idempotencyKey: key,
            isDecoy: account.user.isTest)
        try await messages.enqueue(message, at: ambient.now())
    }
}
