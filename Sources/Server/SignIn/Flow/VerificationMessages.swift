package import KeyturnBase
internal import KeyturnWire
package import Model

/// Turns plans into messages.
package struct VerificationMessages: Sendable {
    let sender: any MessageSender
    let project: Project
    let ambient: Ambient

    /// Sends a code, with a link that does the same if there is one.
    package func send(_ code: Secret, link: String? = nil, _ plan: VerificationPlan) async throws(StoreError) {
        let kind: MessageKind =
            switch plan.facts.purpose {
            case .update: .verifyAddress
            case .recovery: .recoveryProof
            default: .code
            }
        var message = message(plan, kind: kind)
        message.code = code.exposed()
        message.links = link.map { [$0] } ?? []
        try await sender.enqueue(message, at: ambient.now())
    }

    /// Sends one link.
    func send(link: String, code: Secret? = nil, _ plan: VerificationPlan) async throws(StoreError) {
        let kind: MessageKind =
            switch plan.facts.purpose {
            case .update: .verifyAddress
            case .passwordReset: .passwordReset
            default: .magicLink
            }
        var message = message(plan, kind: kind)
        message.links = [link]
        message.code = code?.exposed()
        try await sender.enqueue(message, at: ambient.now())
    }

    /// Sends three links with their numbers, in the order in which they are shown.
    func send(links: [(number: String, link: String)], code: Secret? = nil, _ plan: VerificationPlan)
        async throws(StoreError)
    {
        var message = message(plan, kind: .enchantedLink)
        message.links = links.map(\.link)
        message.code = code?.exposed()
        message.values[MessageValue.linkIDs] = links.map(\.number).joined(separator: " ")
        try await sender.enqueue(message, at: ambient.now())
    }

    private func message(_ plan: VerificationPlan, kind: MessageKind) -> OutgoingMessage {
        // Options that a client sends are never used for the texts or numbers of a message.
        var values: [String: String] = [:]
        values[MessageValue.appName] = project.name
        values[MessageValue.minutes] = String(Limits.proofSeconds / 60)
        return OutgoingMessage(
            kind: plan.isRegistered ? .alreadyRegistered : kind, channel: plan.method, to: plan.to,
            locale: plan.options.locale, values: values, template: plan.options.templateID,
            options: plan.options.templateOptions, idempotencyKey: ambient.randomToken(byteCount: 16),
            isDecoy: plan.isSilent, expiresAt: ambient.now() + Limits.proofSeconds)
    }
}
